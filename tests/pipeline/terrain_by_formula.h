// SPDX-License-Identifier: Apache-2.0
// A digital elevation model that is a formula.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "pipeline/acquisition/ground/terrain.h"
#include "pipeline/proof/geodesy.h"

namespace cornerturn {

using HeightModel = std::function<double(double latitude_deg, double longitude_deg)>;

/// A height model by a formula, over some box.
class TerrainByFormula final : public TerrainSource {
public:
    TerrainByFormula(GeographicBox box, HeightModel height_m) : box_(box), height_m_(std::move(height_m)) {}
    const std::string& name() const override { return name_; }
    GeographicBox extent() const override { return box_; }
    HeightGrid read(const GeographicBox& box, double latitude_step_deg, double longitude_step_deg) override {
        const double south = std::max(box.south_deg, box_.south_deg), west = std::max(box.west_deg, box_.west_deg);
        const auto count = [](double from, double to, double step) {
            return static_cast<std::int64_t>(std::max(0.0, std::floor((to - from) / step)));
        };
        HeightGrid grid{.rows = count(south, std::min(box.north_deg, box_.north_deg), latitude_step_deg),
                        .columns = count(west, std::min(box.east_deg, box_.east_deg), longitude_step_deg),
                        .first_latitude_deg = south + 0.5 * latitude_step_deg,
                        .latitude_step_deg = latitude_step_deg,
                        .first_longitude_deg = west + 0.5 * longitude_step_deg,
                        .longitude_step_deg = longitude_step_deg,
                        .height_m = {}};
        for (std::int64_t row = 0; row < grid.rows; ++row)
            for (std::int64_t column = 0; column < grid.columns; ++column)
                grid.height_m.push_back(static_cast<float>(
                    height_m_(grid.first_latitude_deg + static_cast<double>(row) * latitude_step_deg,
                              grid.first_longitude_deg + static_cast<double>(column) * longitude_step_deg)));
        return grid;
    }

private:
    std::string name_ = "formula";
    GeographicBox box_;
    HeightModel height_m_;
};

inline GeographicBox box_about(const Geodetic& middle, double degrees) {
    return {middle.latitude_deg - degrees, middle.latitude_deg + degrees, middle.longitude_deg - degrees,
            middle.longitude_deg + degrees};
}

}  // namespace cornerturn
