// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/map_grid_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "data/files/refusal.h"
#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/uniform_axis.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/map_projection.h"

namespace cornerturn {
namespace {

/// The centres of pixels; of one pixel alone the spacing is what the file says.
MapAxis read_axis(const h5::Reader& file, const std::string& path, const std::string& spacing) {
    const std::vector<double> values = file.numbers(path, {});
    if (values.empty()) file.refuse(path, "is empty, expected the centres of the pixels");
    if (values.size() == 1) return {values[0], file.number(spacing), 1};
    return map_axis(file, path, values);
}

MapGrid gslc_grid(const std::string& path) {
    const h5::Reader file(path);
    for (const char* band : {"SSAR", "LSAR"})
        for (const char* frequency : {"frequencyA", "frequencyB"})
            if (const std::string group = fmt::format("/science/{}/GSLC/grids/{}", band, frequency);
                file.is_group(group))
                return read_gslc_grid(file, group);
    refuse(path,
           "no group /science/LSAR/GSLC/grids/frequencyA, expected an image on a map (NISAR GSLC) whose grid is taken "
           "over");
}

template <std::size_t count>
std::array<double, count> numbers_of(const std::string& path, const YAML::Node& node, const char* key,
                                     const char* expected) {
    std::vector<double> numbers;
    if (!node || !YAML::convert<std::vector<double>>::decode(node, numbers) || numbers.size() != count)
        refuse(path, fmt::format("{}: expected {}", key, expected));
    std::array<double, count> all{};
    std::copy(numbers.begin(), numbers.end(), all.begin());
    return all;
}

MapGrid yaml_grid(const std::string& path) try {
    const YAML::Node file = YAML::LoadFile(path);
    if (!file.IsMap()) refuse(path, "is no map grid, expected the keys projection, bounds and spacing");
    for (const auto& entry : file)
        if (const auto key = entry.first.as<std::string>(); key != "projection" && key != "bounds" && key != "spacing")
            refuse(path, fmt::format("{}: unknown; the keys are projection, bounds and spacing", key));
    if (!file["projection"] || !file["projection"].IsScalar())
        refuse(path, "projection: expected utm:ZONE (utm:33n), geographic, local or epsg:CODE");
    const auto projection = map_projection_named(file["projection"].as<std::string>());
    if (!projection) refuse(path, "projection: utm needs its zone here, such as utm:33n");
    const auto [west, south, east, north] =
        numbers_of<4>(path, file["bounds"], "bounds", "[west, south, east, north], the outer edges in the map's units");
    std::array<double, 2> spacing{};
    if (file["spacing"] && file["spacing"].IsScalar() && YAML::convert<double>::decode(file["spacing"], spacing[0]))
        spacing[1] = spacing[0];
    else
        spacing =
            numbers_of<2>(path, file["spacing"], "spacing", "a number, or [along x, along y], in the map's units");
    if (!(spacing[0] > 0 && spacing[1] > 0)) refuse(path, "spacing: expected numbers above 0");
    const double columns = (east - west) / spacing[0], rows = (north - south) / spacing[1];
    constexpr double rounding = 1e-6, most = 2147483647;
    if (!(columns >= 1 - rounding && rows >= 1 - rounding && columns < most && rows < most))
        refuse(path, fmt::format("bounds: {} x {} pixels (rows x columns), expected [west, south, east, north] with "
                                 "west below east and south "
                                 "below north, at least a pixel apart",
                                 rows, columns));
    return {.projection = *projection,
            .rows = static_cast<std::int64_t>(std::ceil(rows - rounding)),
            .columns = static_cast<std::int64_t>(std::ceil(columns - rounding)),
            .first_x = west + 0.5 * spacing[0],
            .x_step = spacing[0],
            .first_y = north - 0.5 * spacing[1],
            .y_step = -spacing[1]};
} catch (const YAML::Exception& error) {
    refuse(path, fmt::format("no valid YAML in line {}: {}", error.mark.line + 1, error.msg));
}

}  // namespace

MapGrid read_gslc_grid(const h5::Reader& file, const std::string& frequency) {
    const MapAxis x = read_axis(file, frequency + "/xCoordinates", frequency + "/xCoordinateSpacing"),
                  y = read_axis(file, frequency + "/yCoordinates", frequency + "/yCoordinateSpacing");
    const double epsg = file.number(frequency + "/projection");
    if (!(epsg >= 0 && epsg < 1e6 && epsg == std::floor(epsg)))
        file.refuse(frequency + "/projection", fmt::format("is {}, expected an EPSG code (0: a local plane)", epsg));
    return {.projection = {static_cast<int>(epsg)},
            .rows = y.count,
            .columns = x.count,
            .first_x = x.first,
            .x_step = x.step,
            .first_y = y.first,
            .y_step = y.step};
}

MapGrid read_map_grid(const std::string& path) {
    if (std::filesystem::is_directory(path)) refuse(path, "is a folder; name a file whose grid is to be taken over");
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
    std::array<char, 8> begin{};
    file.read(begin.data(), begin.size());
    const std::string_view magic(begin.data(), static_cast<std::size_t>(file.gcount()));
    if (magic == "\x89HDF\r\n\x1a\n") return gslc_grid(path);
    const bool tiff = magic.starts_with("II*") || magic.starts_with("II+") ||
                      magic.starts_with(std::string_view("MM\0*", 4)) ||
                      magic.starts_with(std::string_view("MM\0+", 4));
    return tiff ? read_geotiff_grid(path) : yaml_grid(path);
}

}  // namespace cornerturn
