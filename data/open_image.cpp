// SPDX-License-Identifier: Apache-2.0
#include "data/open_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/envi/envi_reader.h"
#include "data/files/refusal.h"
#include "data/geotiff/geotiff_reader.h"
#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/epoch.h"
#include "data/nisar/gslc_reader.h"
#include "data/nisar/rslc_reader.h"
#include "data/other_content.h"
#include "data/raw_file.h"
#include "data/sicd/sicd_reader.h"
#include "kernels/host/letter_case.h"

namespace cornerturn {
namespace {

struct ImageFormat {
    /// By content.
    bool (*is_it)(const std::string& path);
    StoredImage (*open)(const std::string& path);
};

/// A line for each whose files hold one image; HDF5 may hold several, or raw echo.
constexpr std::array one_image_formats{ImageFormat{is_sicd, open_sicd}, ImageFormat{is_tiff_image, open_tiff_image},
                                       ImageFormat{is_envi, open_envi}};

/// None of raw echo, though a header of ENVI's may lie beside it.
const ImageFormat* one_image_format(const std::string& path) {
    if (is_raw_only(path)) return nullptr;
    const auto* const found = std::find_if(one_image_formats.begin(), one_image_formats.end(),
                                           [&](const ImageFormat& format) { return format.is_it(path); });
    return found == one_image_formats.end() ? nullptr : found;
}

void check_epoch(const std::string& path, const StoredImage& image) {
    const std::string& epoch = image.header().acquisition.epoch;
    if (!parse_epoch(epoch)) refuse(path, fmt::format("its epoch is '{}', expected an ISO 8601 time", shown(epoch)));
}

/// There is nothing to choose among.
void check_selection(const std::string& path, const StoredImage& image, const FrameSelection& selection) {
    const std::string& there = image.header().acquisition.polarization;
    if (selection.polarization && upper(*selection.polarization) != there)
        refuse(path, fmt::format("--polarization {}: the file holds one image, {}", *selection.polarization,
                                 there.empty() ? "whose polarization is not told" : "of " + there));
    if (selection.frequency)
        refuse(path, fmt::format("--frequency {}: {} names no frequencies; leave it out", *selection.frequency,
                                 image.format()));
}

/// What raw echo has, and no image.
void check_no_part_of_echo(const std::string& path, const FrameSelection& selection) {
    const std::string what = selection.channel                           ? "channel " + *selection.channel
                             : selection.swath                           ? "swath " + *selection.swath
                             : selection.burst                           ? "burst " + std::to_string(*selection.burst)
                             : selection.told_delay == ToldDelay::remove ? "troposphere remove"
                                                                         : "";
    if (!what.empty()) refuse(path, fmt::format("--{}: is of raw echo, and this is an image; leave it out", what));
}

}  // namespace

bool holds_image(const std::string& path) {
    if (one_image_format(path) != nullptr) return true;
    if (h5::is_hdf5(path)) return product_kind(path) != ProductKind::raw;
    if (!is_raw_only(path)) refuse_other_content(path, fmt::format("{}, or {}", raw_echo_wanted, image_wanted));
    return false;
}

StoredImage open_image(const std::string& path, const FrameSelection& selection) {
    check_no_part_of_echo(path, selection);
    if (const ImageFormat* const format = one_image_format(path)) {
        StoredImage image = format->open(path);
        check_epoch(path, image);
        check_selection(path, image, selection);
        return image;
    }
    if (is_raw_only(path))
        refuse(path, fmt::format("is raw echo ({}), expected {}; run `cornerturn focus` first", raw_format(path),
                                 image_wanted));
    if (!h5::is_hdf5(path)) refuse_other_content(path, image_wanted);
    return product_kind(path) == ProductKind::map ? open_gslc(path, selection) : open_rslc(path, selection);
}

void require_axes(const std::string& name, const Image& image, const std::string& what_for) {
    if (image.map)
        refuse(name, fmt::format("is an image on a map, which has no zero-Doppler axes, and {} takes those that have; "
                                 "info, quicklook, multilook, convert, analyze and compare take maps, else focus "
                                 "without --grid",
                                 what_for));
    if (!image.grid.has_axes())
        refuse(name, fmt::format("does not tell zero-Doppler times and slant ranges of its rows and columns, which {} "
                                 "needs; info, quicklook and multilook take it as it is",
                                 what_for));
}

}  // namespace cornerturn
