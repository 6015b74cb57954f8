// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/gslc_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/sample_reader.h"
#include "data/nisar/gslc_grid.h"
#include "data/nisar/image_frame.h"
#include "data/nisar/opened_image.h"
#include "data/nisar/product_group.h"
#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_record.h"
#include "data/nisar/uniform_axis.h"

namespace cornerturn {
namespace {

std::string find_map_product(const h5::Reader& file) {
    if (const auto map = find_product(file, map_products)) return *map;
    file.refuse("/science", "holds neither LSAR/GSLC nor SSAR/GSLC, expected an image on a map");
}

/// Where the mask says so; without one all is valid.
void read_mask(const h5::Reader& file, const ImagePaths& paths, Image& image) {
    const std::string path = paths.frequency + "/mask";
    if (!file.exists(path)) return;
    const h5::Dataset data = file.dataset(path);
    const auto rows = static_cast<hsize_t>(image.grid.rows), columns = static_cast<hsize_t>(image.grid.columns);
    if (h5::shape(data) != std::vector<hsize_t>{rows, columns})
        file.refuse(
            path, fmt::format("is {}, expected one number for each pixel of {}", h5::shape_text(data), paths.samples));
    std::vector<std::uint8_t> mask(rows * columns);
    file.read(data, H5T_NATIVE_UINT8, mask.data(), path);
    constexpr std::uint8_t beyond = 255;
    for (hsize_t row = 0; row < rows; ++row) {
        const auto begin = mask.begin() + static_cast<std::ptrdiff_t>(row * columns),
                   end = begin + static_cast<std::ptrdiff_t>(columns);
        const auto valid = [](std::uint8_t m) { return m != 0 && m != beyond; };
        const auto first = std::find_if(begin, end, valid);
        auto last = end;
        while (last > first && !valid(last[-1])) --last;
        image.valid_columns.push_back(
            first < last ? Interval{static_cast<std::int32_t>(first - begin), static_cast<std::int32_t>(last - begin)}
                         : Interval{});
    }
}

OpenedImage opened_gslc(const std::string& path, const FrameSelection& selection) {
    OpenedImage opened{.file = h5::Reader(path), .samples = {}, .image = {}};
    const h5::Reader& file = opened.file;
    Image& image = opened.image;
    Acquisition& acquisition = image.acquisition;
    const ImagePaths paths =
        locate_frame(file, find_map_product(file), "grids", "an image on a map", selection, acquisition);
    opened.samples = inspect_samples(file, paths.samples);
    image.map = read_gslc_grid(file, paths.frequency);
    if (image.map->rows != opened.samples.rows || image.map->columns != opened.samples.columns)
        file.refuse(paths.samples, fmt::format("has {} x {} pixels, but its axes {} x {}", opened.samples.rows,
                                               opened.samples.columns, image.map->rows, image.map->columns));
    image.grid.rows = image.map->rows;
    image.grid.columns = image.map->columns;
    read_mask(file, paths, image);
    acquisition.carrier_hz = file.number(paths.frequency + "/centerFrequency");
    check_positive(file, paths.frequency + "/centerFrequency", acquisition.carrier_hz, "Hz");
    Warnings doubts;  // nothing here keeps an image from being looked at
    acquisition.identification = read_identification(file, paths.band + "/identification", doubts);
    const std::string orbit = paths.product + "/metadata/orbit", times = orbit + "/time";
    const Epoch epoch =
        (file.exists(times) ? read_axis_epoch(file, times) : std::nullopt).value_or(epoch_of(acquisition));
    acquisition.epoch = epoch.text();
    acquisition.orbit = read_orbit(file, orbit, epoch_of(acquisition));
    acquisition.local_track = read_local_track(file, orbit, epoch_of(acquisition));
    acquisition.truth = read_truth(file, paths.product + "/metadata/simulation/targets", epoch_of(acquisition));
    read_echo(file, own_group(file, paths.processing() + rslc_echo, acquisition.frequency), acquisition);
    const std::string record = own_group(file, paths.processing() + rslc_record, acquisition.frequency);
    if (file.is_group(record)) image.processing = read_record(file, record, image.grid);
    image.processing.processed_at = file.optional_text(paths.band + "/identification/processingDateTime").value_or("");
    return opened;
}

}  // namespace

StoredImage open_gslc(const std::string& path, const FrameSelection& selection) {
    return stored_image("NISAR GSLC", opened_gslc(path, selection), selection.threads);
}

}  // namespace cornerturn
