// SPDX-License-Identifier: Apache-2.0
// Reading of raw echo: NISAR L0B (RRSD) files and what comes close to them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/files/frame_selection.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// Throws InputError as read_l0b_header does.
RawContents list_l0b(const std::string& path);

/// Reads and cross-checks everything but the samples. A receiver's `attenuation` (dB, a column for each channel) is
/// gain control, and line k is multiplied by 10^(attenuation[k] / 20), where its description says so or where it
/// changes from line to line by the same in all channels. NISAR's files note a setting of each of their twelve channels
/// there, which the samples no longer show: not used, and said. What is missing but can be done without, and other
/// doubts, are added to `warnings`. Throws InputError naming the file, the dataset, what was found and what was
/// expected.
Acquisition read_l0b_header(const std::string& path, const FrameSelection& selection,
                            std::vector<std::string>& warnings);

/// The same, and the samples line by line while the source lives. Its read throws InputError for damaged data and
/// Interrupted on request.
std::unique_ptr<EchoSource> open_l0b(const std::string& path, const FrameSelection& selection,
                                     std::vector<std::string>& warnings);

}  // namespace cornerturn
