// SPDX-License-Identifier: Apache-2.0
// ALOS PALSAR level 1.0: raw echo in CEOS files, an image file IMG-HH-... for each polarization beside a leader
// LED-....
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/files/frame_selection.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// Whether a file is one of such a set by its first bytes, or a folder holds one. False, too, where it cannot be read.
bool is_palsar(const std::string& path);

/// `path`: the folder, an image file or the leader. Throw InputError naming file and place.
RawContents list_palsar(const std::string& path);
/// Lines lie where their times say, those that repeat an earlier one are left out. Near ranges that change are taken as
/// whole samples. Doubts are added to `warnings`.
Acquisition read_palsar_header(const std::string& path, const FrameSelection& selection,
                               std::vector<std::string>& warnings);
std::unique_ptr<EchoSource> open_palsar(const std::string& path, const FrameSelection& selection,
                                        std::vector<std::string>& warnings);

}  // namespace cornerturn
