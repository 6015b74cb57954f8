// SPDX-License-Identifier: Apache-2.0
// CPHD 1.0 and 1.1 (NGA.STND.0068): phase histories that were compensated to a point of the scene, over frequency or
// times of arrival.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/files/frame_selection.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// By its first bytes. False, too, where it cannot be read.
bool is_cphd(const std::string& path);

/// Polarizations of its channels, as one frequency, A. Throw InputError naming file and place.
RawContents list_cphd(const std::string& path);
/// Lines are compressed pulses (compressed_pulse), at the carrier in the middle of the band. A channel whose point of
/// reference goes along with the antenna is a strip: its lines have one axis of delays, its orbit the places halfway
/// between sending and receiving. Of others, lines are those of a PhaseHistory. What was found to be other than the
/// file tells, by measuring, is added to `warnings`.
Acquisition read_cphd_header(const std::string& path, const FrameSelection& selection,
                             std::vector<std::string>& warnings);
/// Reads no more than the lines that are asked for.
std::unique_ptr<EchoSource> open_cphd(const std::string& path, const FrameSelection& selection,
                                      std::vector<std::string>& warnings);

}  // namespace cornerturn
