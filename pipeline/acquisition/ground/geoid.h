// SPDX-License-Identifier: Apache-2.0
// Heights of the geoid above the ellipsoid, by the grids that come with PROJ.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cornerturn {

enum class GeoidModel { egm96, egm2008 };
/// "EGM96", "EGM2008".
std::string_view name_of(GeoidModel model);
/// The names under which PROJ has its grid, the newer first: "us_nga_egm96_15.tif or egm96_15.gtx".
std::string grid_names(GeoidModel model);

/// One model of the geoid above WGS84.
class Geoid {
public:
    /// None where PROJ's grid is not installed. Nothing is fetched from the network.
    static std::unique_ptr<Geoid> find(GeoidModel model);
    ~Geoid();

    /// "egm96_15.gtx".
    const std::string& grid() const;
    /// N, in m, at places of one latitude, in degrees: h = H + N of a height H above the geoid. Throws InputError where
    /// the grid has none. One thread at a time.
    void heights_m(double latitude_deg, std::span<const double> longitude_deg, std::span<double> height_m) const;

private:
    struct Proj;
    explicit Geoid(std::unique_ptr<Proj> proj);
    std::unique_ptr<Proj> proj_;
};

}  // namespace cornerturn
