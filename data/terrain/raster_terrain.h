// SPDX-License-Identifier: Apache-2.0
// A digital elevation model as a raster of latitudes and longitudes in a file, of which only what is wanted is read.
#pragma once

#include <span>
#include <string>

#include "pipeline/acquisition/ground/terrain.h"

namespace cornerturn {

/// Where the pixels of a raster lie: pixel (row, column) is the cell about (first + index * step) that is as wide as a
/// step.
struct RasterPlace {
    std::int64_t rows = 0, columns = 0;
    double first_latitude_deg = 0,
           latitude_step_deg = 0;  ///< centre of row 0; the step is negative where row 0 is the northernmost
    double first_longitude_deg = 0, longitude_step_deg = 0;  ///< eastwards
    bool projected = false;  ///< these stand for y and x of a map in m, which nothing turns

    /// Whether its columns go round the Earth.
    bool goes_round() const { return !projected && static_cast<double>(columns) * longitude_step_deg > 360 - 1e-6; }
};

class RasterTerrain : public TerrainSource {
public:
    const std::string& name() const override { return name_; }
    GeographicBox extent() const override;
    HeightGrid read(const GeographicBox& box, double latitude_step_deg, double longitude_step_deg) override;

protected:
    RasterTerrain(std::string name, const RasterPlace& place) : name_(std::move(name)), place_(place) {}
    const RasterPlace& place() const { return place_; }

    /// A part of one row; NaN where no height is known. Rows are asked for in their order.
    virtual void read_row(std::int64_t row, std::int64_t first_column, std::span<float> height_m) = 0;

private:
    void read_round(std::int64_t row, std::int64_t first_column, std::span<float> height_m);

    std::string name_;
    RasterPlace place_;
};

/// Throws InputError where a height is none that there is on Earth, which means another unit or an unmarked gap.
void check_height(const std::string& name, float height_m);

}  // namespace cornerturn
