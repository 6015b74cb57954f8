// SPDX-License-Identifier: Apache-2.0
#include "data/terrain/terrain_file.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "data/files/file_kind.h"
#include "kernels/errors.h"
#include "kernels/host/names.h"
#include "pipeline/acquisition/ground/geoid.h"

namespace cornerturn {

namespace {

constexpr Named<HeightDatum> datums[] = {
    {HeightDatum::ellipsoid, "ellipsoid"}, {HeightDatum::egm96, "egm96"}, {HeightDatum::egm2008, "egm2008"}};

/// Heights H above a geoid as those above the ellipsoid, H + N. N changes by some m over a degree: that of a cell's
/// middle is that of its mean.
class TerrainAboveGeoid final : public TerrainSource {
public:
    TerrainAboveGeoid(std::unique_ptr<TerrainSource> above, std::unique_ptr<Geoid> geoid)
        : above_(std::move(above)), geoid_(std::move(geoid)) {}

    const std::string& name() const override { return above_->name(); }
    GeographicBox extent() const override { return above_->extent(); }
    HeightGrid read(const GeographicBox& box, double latitude_step_deg, double longitude_step_deg) override {
        HeightGrid grid = above_->read(box, latitude_step_deg, longitude_step_deg);
        std::vector<double> longitude_deg, undulation_m(static_cast<std::size_t>(grid.columns));
        for (std::int64_t column = 0; column < grid.columns; ++column)
            longitude_deg.push_back(grid.first_longitude_deg + static_cast<double>(column) * grid.longitude_step_deg);
        for (std::int64_t row = 0; row < grid.rows; ++row) {
            geoid_->heights_m(grid.first_latitude_deg + static_cast<double>(row) * grid.latitude_step_deg,
                              longitude_deg, undulation_m);
            for (std::int64_t column = 0; column < grid.columns; ++column)
                grid.at(row, column) += static_cast<float>(undulation_m[static_cast<std::size_t>(column)]);
        }
        return grid;
    }
    const std::string& geoid() const { return geoid_->grid(); }

private:
    std::unique_ptr<TerrainSource> above_;
    std::unique_ptr<Geoid> geoid_;
};

StoredTerrain open_stored(const std::string& path) {
    switch (file_kind(path)) {
        case FileKind::tiff: return open_geotiff(path);
        case FileKind::hdf5: return open_height_grid(path);
        case FileKind::other: break;
    }
    throw InputError(
        fmt::format("{}: is neither GeoTIFF nor HDF5; give heights as GeoTIFF in EPSG:4979 (gdalwarp -t_srs EPSG:4979 "
                    "{} dem.tif) or as HDF5 with the datasets height, latitude and longitude",
                    path, path));
}

std::unique_ptr<TerrainSource> above_ellipsoid(std::unique_ptr<TerrainSource> terrain, GeoidModel model) {
    if (auto geoid = Geoid::find(model))
        return std::make_unique<TerrainAboveGeoid>(std::move(terrain), std::move(geoid));
    throw InputError(fmt::format(
        "{}: has heights above the geoid {}, of which PROJ has no grid here ({}); install it (package proj-data, or "
        "projsync), convert the file: gdalwarp -s_srs EPSG:4326+{} -t_srs EPSG:4979 {} dem.tif, or give --heights "
        "ellipsoid if they are above the ellipsoid after all",
        terrain->name(), name_of(model), grid_names(model), model == GeoidModel::egm96 ? 5773 : 3855, terrain->name()));
}

}  // namespace

HeightDatum height_datum_named(const std::string& name) { return choose_in(datums, "--heights", name); }

std::unique_ptr<TerrainSource> open_terrain(const std::string& path, std::optional<HeightDatum> meant,
                                            std::vector<std::string>& remarks) {
    StoredTerrain stored = open_stored(path);
    if (!meant && !stored.datum)
        throw InputError(
            fmt::format("{}: {}: give --heights ellipsoid, egm96 or egm2008 (those above the ellipsoid differ by -107 "
                        "to 86 m from those above the geoid)",
                        path, stored.says));
    if (meant && stored.datum && *meant != *stored.datum)
        remarks.push_back(fmt::format("{}: says that its heights are above {}, and is taken as above {} (--heights)",
                                      path, name_in(datums, *stored.datum), name_in(datums, *meant)));
    switch (meant ? *meant : *stored.datum) {
        case HeightDatum::ellipsoid: return std::move(stored.source);
        case HeightDatum::egm96: return above_ellipsoid(std::move(stored.source), GeoidModel::egm96);
        case HeightDatum::egm2008: return above_ellipsoid(std::move(stored.source), GeoidModel::egm2008);
    }
    throw std::logic_error("a datum that is not known");
}

std::string heights_of(const TerrainSource& terrain) {
    const auto* above = dynamic_cast<const TerrainAboveGeoid*>(&terrain);
    return above == nullptr ? "as stored" : "by " + above->geoid();
}

}  // namespace cornerturn
