// SPDX-License-Identifier: Apache-2.0
// Heights in HDF5: height (latitude x longitude), latitude and longitude in degrees, of cell centres.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/uniform_axis.h"
#include "data/terrain/raster_terrain.h"
#include "data/terrain/terrain_file.h"

namespace cornerturn {
namespace {

/// In degrees.
MapAxis read_angles(const h5::Reader& file, const std::string& path, double limit_deg) {
    const std::vector<double> values = file.numbers(path, {.rows = {}, .columns = {}, .meaning = ""});
    if (values.size() < 2)
        file.refuse(path, fmt::format("holds {} values, expected two or more, in degrees", values.size()));
    const MapAxis axis = map_axis(file, path, values);
    for (const double value : {values.front(), values.back()})
        if (!(std::abs(value) <= limit_deg))
            file.refuse(path, fmt::format("holds {}, expected degrees within +-{}; projected coordinates are not read: "
                                          "gdalwarp -t_srs EPSG:4979",
                                          value, limit_deg));
    return axis;
}

/// By CF's conventions stored numbers may stand for others.
void require_plain(const h5::Reader& file, const h5::Dataset& heights) {
    for (const auto& [name, plain] : {std::pair{"scale_factor", 1.0}, std::pair{"add_offset", 0.0}}) {
        double number = plain;
        {
            const h5::Turn turn;
            if (H5Aexists(heights, name) <= 0) continue;
            const h5::Attribute attribute(h5::found(H5Aopen(heights, name, H5P_DEFAULT), heights));
            if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) < 0) number = std::nan("");
        }
        if (number != plain)
            file.refuse("/height", fmt::format("has a {} of {}, expected heights in m as they are; multiply it out",
                                               name, number));
    }
}

RasterPlace place_of(const h5::Reader& file) {
    for (const char* path : {"/height", "/latitude", "/longitude"})
        if (!file.exists(path))
            file.refuse(path,
                        "is missing; expected heights above the ellipsoid in m as height (latitude x longitude), with "
                        "latitude and longitude in degrees");
    const MapAxis latitude = read_angles(file, "/latitude", 90), longitude = read_angles(file, "/longitude", 540);
    if (longitude.step < 0)
        file.refuse("/longitude", "falls, expected to rise eastwards; turn it and the columns of height about");
    const h5::Dataset heights = file.dataset("/height");
    require_plain(file, heights);
    if (h5::shape(heights) !=
            std::vector{static_cast<hsize_t>(latitude.count), static_cast<hsize_t>(longitude.count)} ||
        !h5::is_number(h5::type_of(heights)))
        file.refuse(
            "/height",
            fmt::format("holds {} of {}, expected {} x {} numbers, one for each latitude and longitude",
                        h5::shape_text(heights), h5::type_text(h5::type_of(heights)), latitude.count, longitude.count));
    return {latitude.count, longitude.count, latitude.first, latitude.step, longitude.first, longitude.step};
}

class HeightGridFile final : public RasterTerrain {
public:
    HeightGridFile(const std::string& path, h5::Reader file)
        : RasterTerrain(path, place_of(file)), file_(std::move(file)), heights_(file_.dataset("/height")) {
        const h5::Turn turn;
        if (H5Aexists(heights_, "_FillValue") > 0) {
            const h5::Attribute attribute(h5::found(H5Aopen(heights_, "_FillValue", H5P_DEFAULT), heights_));
            float value = 0;
            if (H5Aread(attribute, H5T_NATIVE_FLOAT, &value) >= 0) gap_ = value;
        }
    }

private:
    void read_row(std::int64_t row, std::int64_t first_column, std::span<float> height_m) override {
        const h5::Turn turn;
        const h5::Space all = h5::space_of(heights_);
        const hsize_t from[2]{static_cast<hsize_t>(row), static_cast<hsize_t>(first_column)},
            count[2]{1, height_m.size()};
        h5::checked(H5Sselect_hyperslab(all, H5S_SELECT_SET, from, nullptr, count, nullptr), "H5Sselect_hyperslab");
        const h5::Space to = h5::make_space(count);
        file_.look(H5Dread(heights_, H5T_NATIVE_FLOAT, to, all, H5P_DEFAULT, height_m.data()), "/height");
        if (gap_) std::replace(height_m.begin(), height_m.end(), *gap_, std::numeric_limits<float>::quiet_NaN());
    }

    h5::Reader file_;
    h5::Dataset heights_;
    std::optional<float> gap_;
};

}  // namespace

StoredTerrain open_height_grid(const std::string& path) {
    return {.source = std::make_unique<HeightGridFile>(path, h5::Reader(path)), .datum = HeightDatum::ellipsoid};
}

}  // namespace cornerturn
