// SPDX-License-Identifier: Apache-2.0
// Raw echo, whatever its format: what verbs open. A format is a folder here and a line in raw_file.cpp; which one a
// file has is told by its content. Files, or folders of files that belong together.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/frame_selection.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// Whether the file is of a format that holds nothing but raw echo: HDF5 may hold images, too.
bool is_raw_only(const std::string& path);

/// "NISAR L0B" (of any HDF5), "Sentinel-1 Level-0". Throws InputError that says what a file of no such format is.
std::string_view raw_format(const std::string& path);
/// Whether it is HDF5; throws InputError likewise.
bool is_nisar(const std::string& path);

/// Throws InputError as read_raw_header does.
RawContents list_raw(const std::string& path);

/// Everything but the samples, cross-checked. Doubts are added to `warnings`. Throws InputError naming the file, the
/// place in it, what was found and what was expected.
Acquisition read_raw_header(const std::string& path, const FrameSelection& selection,
                            std::vector<std::string>& warnings);

/// The same, and the samples line by line while the source lives. Its read throws InputError for damaged data and
/// Interrupted on request.
std::unique_ptr<EchoSource> open_raw(const std::string& path, const FrameSelection& selection,
                                     std::vector<std::string>& warnings);

}  // namespace cornerturn
