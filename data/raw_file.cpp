// SPDX-License-Identifier: Apache-2.0
#include "data/raw_file.h"

#include <algorithm>
#include <array>

#include "data/ceos/palsar_reader.h"
#include "data/cphd/reader.h"
#include "data/files/refusal.h"
#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/l0b_reader.h"
#include "data/other_content.h"
#include "data/sentinel1/reader.h"
#include "data/zip/unpacked_archive.h"

namespace cornerturn {
namespace {

struct EchoFormat {
    std::string_view name;
    /// By content.
    bool (*is_it)(const std::string& path);
    RawContents (*list)(const std::string& path);
    Acquisition (*read_header)(const std::string& path, const FrameSelection& selection,
                               std::vector<std::string>& warnings);
    std::unique_ptr<EchoSource> (*open)(const std::string& path, const FrameSelection& selection,
                                        std::vector<std::string>& warnings);
};

/// A line for each; HDF5 may hold other things than raw echo.
constexpr std::array formats{
    EchoFormat{"ALOS PALSAR level 1.0", is_palsar, list_palsar, read_palsar_header, open_palsar},
    EchoFormat{"CPHD", is_cphd, list_cphd, read_cphd_header, open_cphd},
    EchoFormat{"Sentinel-1 Level-0", is_sentinel1, list_sentinel1, read_sentinel1_header, open_sentinel1},
    EchoFormat{"NISAR L0B", h5::is_hdf5, list_l0b, read_l0b_header, open_l0b}};

/// A file or folder of a format; of a zip archive what it holds.
struct RawFile {
    std::shared_ptr<const UnpackedArchive> archive;
    std::string path;
    const EchoFormat* format = nullptr;  ///< nullptr: none of these
};

RawFile look_into(const std::string& path) {
    require_file_or_folder(path);
    RawFile file{.archive = unpacked_if_zip(path), .path = path};
    if (file.archive) file.path = file.archive->path();
    const auto found =
        std::find_if(formats.begin(), formats.end(), [&](const EchoFormat& format) { return format.is_it(file.path); });
    if (found != formats.end()) file.format = &*found;
    return file;
}

RawFile raw_file(const std::string& path) {
    RawFile file = look_into(path);
    if (file.format == nullptr) refuse_other_content(path, raw_echo_wanted);
    return file;
}

/// What others have not is refused.
RawFile raw_file_for(const std::string& path, const FrameSelection& selection) {
    RawFile file = raw_file(path);
    const EchoFormat& format = *file.format;
    const bool is_cphd = format.list == list_cphd;
    if (selection.channel && !is_cphd && format.list != list_l0b)
        refuse(path, fmt::format("--channel {}: {} has no channels; leave it out", *selection.channel, format.name));
    const bool has_bursts = format.list == list_sentinel1;
    if (!has_bursts && (selection.swath || selection.burst))
        refuse(path,
               fmt::format("--{}: {} has no bursts; leave it out",
                           selection.swath ? "swath " + *selection.swath : "burst " + std::to_string(*selection.burst),
                           format.name));
    if (selection.told_delay == ToldDelay::remove && !is_cphd)
        refuse(path,
               fmt::format("--troposphere remove: {} tells no delay of its own; use standard or none", format.name));
    return file;
}

}  // namespace

bool is_raw_only(const std::string& path) {
    const RawFile file = look_into(path);
    return file.format != nullptr && file.format->is_it != h5::is_hdf5;
}

std::string_view raw_format(const std::string& path) { return raw_file(path).format->name; }
bool is_nisar(const std::string& path) { return raw_file(path).format->is_it == h5::is_hdf5; }

RawContents list_raw(const std::string& path) {
    const RawFile file = raw_file(path);
    return file.format->list(file.path);
}

Acquisition read_raw_header(const std::string& path, const FrameSelection& selection,
                            std::vector<std::string>& warnings) {
    const RawFile file = raw_file_for(path, selection);
    return file.format->read_header(file.path, selection, warnings);
}

std::unique_ptr<EchoSource> open_raw(const std::string& path, const FrameSelection& selection,
                                     std::vector<std::string>& warnings) {
    const RawFile file = raw_file_for(path, selection);
    return file.format->open(file.path, selection, warnings);
}

}  // namespace cornerturn
