// SPDX-License-Identifier: Apache-2.0
#include "data/terrain/terrain_file.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>

#include "kernels/errors.h"

namespace cornerturn {

std::unique_ptr<TerrainSource> open_terrain(const std::string& path, std::vector<std::string>& remarks) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
    std::array<char, 8> begin{};
    file.read(begin.data(), begin.size());
    const std::string_view magic(begin.data(), static_cast<std::size_t>(file.gcount()));
    if (magic.starts_with("II*") || magic.starts_with(std::string_view("MM\0*", 4)) || magic.starts_with("II+") ||
        magic.starts_with(std::string_view("MM\0+", 4)))
        return open_geotiff(path, remarks);
    if (magic == "\x89HDF\r\n\x1a\n") return open_height_grid(path);
    throw InputError(
        fmt::format("{}: is neither GeoTIFF nor HDF5; give heights as GeoTIFF in EPSG:4979 (gdalwarp -t_srs EPSG:4979 "
                    "{} dem.tif) or as HDF5 with the "
                    "datasets height, latitude and longitude",
                    path, path));
}

}  // namespace cornerturn
