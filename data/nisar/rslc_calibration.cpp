// SPDX-License-Identifier: Apache-2.0
// calibrationInformation of an RSLC file: what turns brightness in the slant plane into that of the ground. No raw
// format that is read tells a calibration, so that beta0 itself is uncalibrated then, and says so.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "data/nisar/rslc_parts.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn {
namespace {

/// (A / lut)^2 is beta0, sigma0, gamma0, as NISAR's tables are used: beta0 = sigma0 / sin = gamma0 / tan of the
/// incidence angle.
struct BrightnessTables {
    std::vector<float> beta, sigma, gamma;

    void add(double beta0_factor, double sigma0_factor, double incidence_rad) {
        beta.push_back(static_cast<float>(1 / std::sqrt(beta0_factor)));
        sigma.push_back(static_cast<float>(1 / std::sqrt(sigma0_factor)));
        gamma.push_back(static_cast<float>(1 / std::sqrt(sigma0_factor / std::cos(incidence_rad))));
    }
};

BrightnessTables tables_of(const Image& image, const CoarseGrid& coarse) {
    BrightnessTables tables;
    for (const double row : coarse.rows) {
        const StateVector platform = interpolate(*image.acquisition.orbit, image.grid.time_s(row));
        for (const double column : coarse.columns) {
            const auto view = ground_view(platform, image.grid.range_m(column),
                                          image.acquisition.identification.look_side, image.processing.scene_height_m);
            const double angle = view ? view->incidence_deg * degree : std::numeric_limits<double>::quiet_NaN();
            if (const auto& known = image.radiometry)
                tables.add(known->beta0.at(row, column), known->sigma0.at(row, column), angle);
            else
                tables.add(1, std::sin(angle), angle);
        }
    }
    return tables;
}

}  // namespace

void write_calibration(h5::Writer& file, const std::string& group, const Image& image) {
    if (!image.acquisition.orbit) return;
    const CoarseGrid coarse(image.grid);
    const BrightnessTables tables = tables_of(image, coarse);
    const std::string geometry = group + "/geometry";
    const bool calibrated = image.radiometry && image.radiometry->calibrated;
    write_table_axes(file, geometry, coarse.time_s, coarse.range_m, image.acquisition.epoch);
    file.table(geometry + "/beta0", tables.beta, CoarseGrid::ranges, "1",
               calibrated
                   ? std::string("(amplitude / beta0)^2, by the calibration of the input")
                   : fmt::format("(amplitude / beta0)^2; {}: antenna pattern, loss with range and a constant are in it",
                                 not_calibrated));
    file.table(geometry + "/sigma0", tables.sigma, CoarseGrid::ranges, "1",
               calibrated ? "Likewise" : "Beside beta0, by the incidence angle on the ellipsoid");
    file.table(geometry + "/gamma0", tables.gamma, CoarseGrid::ranges, "1",
               "Beside sigma0, by the incidence angle on the ellipsoid");
    if (calibrated) return;
    file.attribute(group, "description",
                   "No file tells a calibration: antenna pattern, loss with range and a constant are in the "
                   "amplitudes. The tables tell what the geometry does");
}

}  // namespace cornerturn
