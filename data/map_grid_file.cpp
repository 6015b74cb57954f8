// SPDX-License-Identifier: Apache-2.0
#include "data/map_grid_file.h"

#include <filesystem>
#include <stdexcept>

#include "data/files/file_kind.h"
#include "data/files/refusal.h"
#include "data/nisar/gslc_grid.h"
#include "data/tiff/geotiff.h"
#include "data/yaml/map_grid.h"

namespace cornerturn {

MapGrid read_map_grid(const std::string& path) {
    if (std::filesystem::is_directory(path)) refuse(path, "is a folder; name a file whose grid is to be taken over");
    switch (file_kind(path)) {
        case FileKind::hdf5: return read_gslc_grid(path);
        case FileKind::tiff: return read_geotiff_grid(path);
        case FileKind::other: return read_yaml_grid(path);
    }
    throw std::logic_error("a kind of file that is not known");
}

}  // namespace cornerturn
