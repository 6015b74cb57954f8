// SPDX-License-Identifier: Apache-2.0
// calibrationInformation of an RSLC file: what turns brightness in the slant plane into that of the ground. No raw
// format that is read tells a calibration, so that beta0 itself is uncalibrated then, and says so.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_parts.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn {
namespace {

constexpr std::size_t table_times = 6, table_ranges = 33;

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

BrightnessTables tables_of(const Image& image, const std::vector<double>& rows, const std::vector<double>& columns) {
    BrightnessTables tables;
    for (const double row : rows) {
        const StateVector platform = interpolate(*image.acquisition.orbit, image.grid.time_s(row));
        for (const double column : columns) {
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
    const auto even = [](std::size_t count, std::int64_t pixels) {
        std::vector<double> places;
        for (std::size_t i = 0; i < count; ++i)
            places.push_back(static_cast<double>(pixels - 1) * static_cast<double>(i) / static_cast<double>(count - 1));
        return places;
    };
    const ImageGrid& grid = image.grid;
    const std::vector<double> rows = even(table_times, grid.rows), columns = even(table_ranges, grid.columns);
    std::vector<double> time_s, range_m;
    for (const double row : rows) time_s.push_back(grid.time_s(row));
    for (const double column : columns) range_m.push_back(grid.range_m(column));
    const BrightnessTables tables = tables_of(image, rows, columns);
    const std::string geometry = group + "/geometry";
    const bool calibrated = image.radiometry && image.radiometry->calibrated;
    file.numbers(geometry + "/zeroDopplerTime", time_s, time_units(image.acquisition.epoch));
    file.numbers(geometry + "/slantRange", range_m, "meters");
    file.table(geometry + "/beta0", tables.beta, table_ranges, "1",
               calibrated
                   ? std::string("(amplitude / beta0)^2, by the calibration of the input")
                   : fmt::format("(amplitude / beta0)^2; {}: antenna pattern, loss with range and a constant are in it",
                                 not_calibrated));
    file.table(geometry + "/sigma0", tables.sigma, table_ranges, "1",
               calibrated ? "Likewise" : "Beside beta0, by the incidence angle on the ellipsoid");
    file.table(geometry + "/gamma0", tables.gamma, table_ranges, "1",
               "Beside sigma0, by the incidence angle on the ellipsoid");
    if (calibrated) return;
    file.attribute(group, "description",
                   "No file tells a calibration: antenna pattern, loss with range and a constant are in the "
                   "amplitudes. The tables tell what the geometry does");
}

}  // namespace cornerturn
