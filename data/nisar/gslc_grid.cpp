// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/gslc_grid.h"

#include <fmt/format.h>

#include <cmath>

#include "data/files/refusal.h"
#include "data/nisar/product_group.h"
#include "data/nisar/uniform_axis.h"

namespace cornerturn {
namespace {

/// The centres of pixels; of one pixel alone the spacing is what the file says.
MapAxis read_axis(const h5::Reader& file, const std::string& path, const std::string& spacing) {
    const std::vector<double> values = file.numbers(path, {});
    if (values.empty()) file.refuse(path, "is empty, expected the centres of the pixels");
    if (values.size() == 1) return {values[0], file.number(spacing), 1};
    return map_axis(file, path, values);
}

Vec3 read_vector(const h5::Reader& file, const std::string& path) {
    const std::vector<double> values = file.numbers(path, {.rows = 3, .columns = {}, .meaning = "x, y and z in ECEF"});
    return {values[0], values[1], values[2]};
}

MapProjection read_projection(const h5::Reader& file, const std::string& frequency) {
    const double epsg = file.number(frequency + "/projection");
    if (epsg == MapProjection::scene_plane)
        return MapProjection::on({.origin_m = read_vector(file, frequency + plane_origin),
                                  .x_axis = read_vector(file, frequency + plane_x_axis),
                                  .y_axis = read_vector(file, frequency + plane_y_axis)});
    if (!(epsg >= 0 && epsg < 1e6 && epsg == std::floor(epsg)))
        file.refuse(frequency + "/projection",
                    fmt::format("is {}, expected an EPSG code (0: a local plane, {}: that of a scene)", epsg,
                                MapProjection::scene_plane));
    return {static_cast<int>(epsg)};
}

}  // namespace

MapGrid read_gslc_grid(const h5::Reader& file, const std::string& frequency) {
    const MapAxis x = read_axis(file, frequency + "/xCoordinates", frequency + "/xCoordinateSpacing"),
                  y = read_axis(file, frequency + "/yCoordinates", frequency + "/yCoordinateSpacing");
    return {.projection = read_projection(file, frequency),
            .rows = y.count,
            .columns = x.count,
            .first_x = x.first,
            .x_step = x.step,
            .first_y = y.first,
            .y_step = y.step};
}

MapGrid read_gslc_grid(const std::string& path) {
    const h5::Reader file(path);
    const auto product = find_product(file, map_products);
    const std::string grids = product.value_or("") + "/grids";
    if (product && file.is_group(grids))
        for (const std::string& frequency : frequencies_below(file, grids))
            return read_gslc_grid(file, fmt::format("{}/frequency{}", grids, frequency));
    refuse(path,
           "no group /science/LSAR/GSLC/grids/frequencyA, expected an image on a map (NISAR GSLC) whose grid is taken "
           "over");
}

}  // namespace cornerturn
