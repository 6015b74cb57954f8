// SPDX-License-Identifier: Apache-2.0
#include "data/other_content.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "data/envi/envi_reader.h"
#include "data/files/file_kind.h"
#include "data/files/refusal.h"

namespace cornerturn {
namespace {

constexpr std::string_view for_images = "; analyze, compare, quicklook, multilook, convert and info take images";

struct Content {
    std::string_view begin, name, way_out = {};
};

constexpr Content contents[] = {
    {hdf5_signature, "HDF5"},
    {"PK\3\4", "a zip archive", "; unpack it first (unzip), and give the folder or file that was in it"},
    {"\x1f\x8b", "packed by gzip", "; unpack it first (gunzip, or tar -xf)"},
    {"BZh", "packed by bzip2", "; unpack it first (bunzip2, or tar -xf)"},
    {{"\xfd\x37zXZ", 5}, "packed by xz", "; unpack it first (unxz, or tar -xf)"},
    {"\x28\xb5\x2f\xfd", "packed by zstd", "; unpack it first (unzstd, or tar -xf)"},
    {"NITF", "NITF, as SICD images are", for_images},
    {"NSIF", "NSIF, as SICD images are", for_images},
    {{"II*\0", 4}, "TIFF", for_images},
    {{"MM\0*", 4}, "TIFF", for_images},
    {{"II+\0", 4}, "BigTIFF", for_images},
    {{"MM\0+", 4}, "BigTIFF", for_images},
    {"ENVI", "a header of ENVI's, as images have it", for_images},
    {"CRSD/", "CRSD (NGA's compensated received signal data), which is not read"},
    {"\x89PNG", "a PNG picture"},
    {"\xff\xd8\xff", "a JPEG picture"},
    {"GIF8", "a GIF picture"},
    {"%PDF", "a PDF document"},
    {{"CDF", 3}, "NetCDF of before HDF5"},
    {"PRODUCT=\"", "a product of Envisat's, which is not read"},
    {"<!DOCTYPE html", "a web page (HTML), as of a download that wanted a login"},
    {"<html", "a web page (HTML), as of a download that wanted a login"},
    {"<", "XML"}};

/// Of characters that are printed, and of bytes that UTF-8 may hold.
bool is_text(const std::string& begin) {
    return std::all_of(begin.begin(), begin.end(), [](char c) {
        const auto code = static_cast<unsigned char>(c);
        const bool never_in_utf8 = code == 0xc0 || code == 0xc1 || code >= 0xf5;
        return (code >= 0x20 && code != 0x7f && !never_in_utf8) || (code >= '\t' && code <= '\r');
    });
}

constexpr std::size_t enough = 512;  // to tell it by

Content content_of(const std::string& path) {
    constexpr std::size_t of_tar = 257;
    const std::string begin = beginning_of(path, enough);
    for (const Content& content : contents)
        if (begin.starts_with(content.begin)) return content;
    if (begin.size() > of_tar + 5 && std::string_view(begin).substr(of_tar, 5) == "ustar")
        return {{}, "a tar archive", "; unpack it first (tar -xf), and give the folder or file that was in it"};
    if (is_envi(path)) return {{}, "samples of an ENVI image, by the header beside it", for_images};
    return {{}, is_text(begin) ? "text" : "of no format that is known here"};
}

/// Not at all, or nothing to be read.
std::optional<std::string> why_not_read(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0) return fmt::format("cannot be read: {}", std::strerror(errno));
    if (S_ISDIR(about.st_mode))
        return "is a folder, but none of Sentinel-1's (*.dat of SAFE) or ALOS PALSAR's (IMG-*); name a file";
    if (about.st_size == 0) return "is empty";
    if (beginning_of(path, 1).empty()) return fmt::format("cannot be read: {}", std::strerror(errno));
    return std::nullopt;
}

}  // namespace

void require_file_or_folder(const std::string& path) {
    std::error_code none;
    if (const std::filesystem::file_status found = std::filesystem::status(path, none);
        std::filesystem::exists(found) && std::filesystem::is_other(found))
        refuse(path, "is a pipe or a device, which can be read once only; save it as a file first");
}

void require_text(const std::string& path, std::string_view wanted) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) return;
    const std::string begin = beginning_of(path, enough);
    // Text in whatever encoding holds no zeros.
    if (begin.starts_with(hdf5_signature) || begin.find('\0') != std::string::npos) refuse_other_content(path, wanted);
}

void refuse_other_content(const std::string& path, std::string_view wanted) {
    if (const auto reason = why_not_read(path)) refuse(path, fmt::format("{}; expected {}", *reason, wanted));
    const Content content = content_of(path);
    refuse(path, fmt::format("is {}, expected {}{}", content.name, wanted, content.way_out));
}

}  // namespace cornerturn
