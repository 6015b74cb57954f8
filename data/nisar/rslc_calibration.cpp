// SPDX-License-Identifier: Apache-2.0
// calibrationInformation of an RSLC file: what turns brightness in the slant plane into that of the ground. No format
// that is read tells a calibration, so that beta0 itself is uncalibrated, and says so.
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_parts.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn {

void write_calibration(h5::Writer& file, const std::string& group, const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    if (!acquisition.orbit) return;
    constexpr std::size_t times = 6, ranges = 33;
    const ImageGrid& grid = image.grid;
    std::vector<double> time_s, range_m;
    for (std::size_t i = 0; i < times; ++i)
        time_s.push_back(grid.time_s(static_cast<double>(grid.rows - 1) * static_cast<double>(i) / (times - 1)));
    for (std::size_t k = 0; k < ranges; ++k)
        range_m.push_back(grid.range_m(static_cast<double>(grid.columns - 1) * static_cast<double>(k) / (ranges - 1)));
    // (A / lut)^2 is beta0, sigma0, gamma0, as NISAR's tables are used: beta0 = sigma0 / sin = gamma0 / tan of the
    // incidence angle.
    std::vector<float> beta(times * ranges, 1.0F), sigma, gamma;
    for (const double at_s : time_s) {
        const StateVector platform = interpolate(*acquisition.orbit, at_s);
        for (const double at_m : range_m) {
            const auto view =
                ground_view(platform, at_m, acquisition.identification.look_side, image.processing.scene_height_m);
            const double angle = view ? view->incidence_deg * degree : std::numeric_limits<double>::quiet_NaN();
            sigma.push_back(static_cast<float>(1 / std::sqrt(std::sin(angle))));
            gamma.push_back(static_cast<float>(1 / std::sqrt(std::tan(angle))));
        }
    }
    const std::string geometry = group + "/geometry";
    file.numbers(geometry + "/zeroDopplerTime", time_s, time_units(acquisition.epoch));
    file.numbers(geometry + "/slantRange", range_m, "meters");
    file.table(geometry + "/beta0", beta, ranges, "1",
               "(amplitude / beta0)^2; not calibrated, off by an unknown factor");
    file.table(geometry + "/sigma0", sigma, ranges, "1", "Beside beta0, by the incidence angle on the ellipsoid");
    file.table(geometry + "/gamma0", gamma, ranges, "1", "Beside beta0, by the incidence angle on the ellipsoid");
    file.attribute(
        group, "description",
        "No raw file tells a calibration: amplitudes are those of the echo, compressed with a gain of 1, and "
        "an unknown factor off. The tables tell what the geometry does");
}

}  // namespace cornerturn
