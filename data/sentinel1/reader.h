// SPDX-License-Identifier: Apache-2.0
// Sentinel-1 Level-0: strips, bursts and vignettes of space packets, in a measurement file (.dat) or the SAFE folder
// that holds it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/files/frame_selection.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// Whether a file begins with such a packet, or a folder holds one that does. False, too, where it cannot be read.
bool is_sentinel1(const std::string& path);

/// Throw InputError naming the file. Of bursts (IW, EW) and vignettes (WV) each is an echo of its own.
RawContents list_sentinel1(const std::string& path);
/// Times are since the epoch of GPS, which is told in UTC. Lost and damaged packets are missing lines, and said.
Acquisition read_sentinel1_header(const std::string& path, const FrameSelection& selection,
                                  std::vector<std::string>& warnings);
std::unique_ptr<EchoSource> open_sentinel1(const std::string& path, const FrameSelection& selection,
                                           std::vector<std::string>& warnings);

}  // namespace cornerturn
