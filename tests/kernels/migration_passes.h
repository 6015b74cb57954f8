// SPDX-License-Identifier: Apache-2.0
// Passes of azimuth compression for the kernels that follow the migration, far and near, and their tolerances.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/passes/migration_law.h"
#include "tests/kernels/fused_tolerance.h"
#include "tests/kernels/hyperbolic_gather.h"

namespace cornerturn {

/// C band seen broadside or squinted, V bending smoothly with range, image rows beyond the transform.
inline HyperbolicGather azimuth_pass(int taps, std::int64_t fft_length, std::int64_t cells, double centroid_hz) {
    HyperbolicGather pass = c_band_gather(fft_length, cells, -2, centroid_hz);
    pass.columns = cells - 3;
    pass.image_rows = fft_length + 5;
    pass.kernel = SincKernel::for_band(taps, 0.9);
    for (std::int64_t column = 0; column < pass.columns; ++column) {
        pass.velocity_m_s.push_back(7062 + 1e-5 * static_cast<double>(column) * pass.range_spacing_m);
        const auto first = static_cast<std::int32_t>(column % 7);
        pass.covered_rows.push_back({first, static_cast<std::int32_t>(pass.image_rows - column % 3)});
    }
    for (std::int64_t bin = 0; bin < fft_length; ++bin)
        pass.weight.push_back(bin % 11 == 4 ? 0.0 : 1.0 / static_cast<double>(bin + fft_length));
    return pass;
}

/// X band from an aircraft over a wide beam, near enough that the gain falls visibly from column to column.
inline HyperbolicGather near_pass(int taps, std::int64_t fft_length, std::int64_t cells, double near_range_m,
                                  double spacing_m, double band_edge_hz = 150) {
    HyperbolicGather pass{.input_cells = cells,
                          .fft_length = fft_length,
                          .columns = cells,
                          .image_rows = fft_length,
                          .carrier_hz = 9.65e9,
                          .prf_hz = 400,
                          .input_near_range_m = near_range_m,
                          .image_near_range_m = near_range_m,
                          .range_spacing_m = spacing_m,
                          .velocity_m_s = std::vector<double>(static_cast<std::size_t>(cells), 120.0),
                          .weight = {},
                          .covered_rows = std::vector<Interval>(static_cast<std::size_t>(cells),
                                                                {0, static_cast<std::int32_t>(fft_length)}),
                          .kernel = SincKernel::for_band(taps, 0.9)};
    for (std::int64_t bin = 0; bin < fft_length; ++bin) {
        const bool in_band = std::abs(azimuth_frequency_hz(bin, fft_length, pass.prf_hz, 0)) < band_edge_hz;
        pass.weight.push_back(in_band ? 1 / static_cast<double>(fft_length) : 0.0);
    }
    return pass;
}

struct NearGeometry {
    double near_range_m, spacing_m;
};
inline constexpr NearGeometry near_geometries[] = {{300, 1.5},   {1000, 1.5}, {3000, 1.5},
                                                   {16000, 1.5}, {300, 0.5},  {1000, 0.5}};

/// Error that stepping may add to what float arithmetic has.
inline constexpr double stepped_tolerance = largest_stepping_error + fft_tolerance;
/// Of whole images: 110 dB.
inline constexpr double image_tolerance = 3.16e-6;

inline std::vector<std::int64_t> bins_in_order(const AzimuthCompression& pass) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(pass.fft_length));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

inline TileLaws laws_of(const AzimuthCompression& pass, std::int64_t tile_columns = law_tile_columns) {
    return tile_laws(pass, tile_columns, bins_in_order(pass));
}

}  // namespace cornerturn
