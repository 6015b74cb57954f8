// SPDX-License-Identifier: Apache-2.0
// Scenes for back-projection tile by tile: an antenna that passes a plane of pixels, straight or not, and lines of
// band-limited noise; and the sums by their definition, in double precision.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/passes/accumulation.h"

namespace cornerturn {

struct TileScene {
    std::int64_t lines = 300, rows = 96, columns = 80;
    double carrier_hz = 9.6e9;
    double height_m = 3000, ground_m = 9500;  ///< of the antenna above the plane, and beside the middle of the image
    double aperture_m = 300;                  ///< along the track, middle at the middle of the image
    double row_m = 0.6, column_m = 0.7;       ///< ground
    double turned = 0;                        ///< of the image's rows to the track, radians
    double cell_m = 0.3;                      ///< one way
    double sag_m = 0, jitter_m = 0;           ///< of the track: curved, and from line to line
    double squint_m = 0;                      ///< by which the middle of the aperture lies ahead
    double relief_m = 0, rise_m = 0;          ///< mean of the relief, and its height
    double spare_cells = 40;                  ///< on either side of the image's cells; negative: they do not cover it
    bool windowed = false;
    Place velocity = {100, 1, -0.5};
    double signal_to_error_db = 100;

    static constexpr Place rise = {0, 0.05, 1};

    Place place(double row, double column) const {
        const double along = row_m * (row - 0.5 * static_cast<double>(rows - 1)),
                     across = column_m * (column - 0.5 * static_cast<double>(columns - 1));
        return {along * std::cos(turned) - across * std::sin(turned),
                ground_m + along * std::sin(turned) + across * std::cos(turned), 0};
    }

    /// In the middle of the aperture, which the Doppler window lies about.
    double centroid_hz(const Place& at) const {
        const double x = squint_m - at.x_m, y = -at.y_m, z = height_m - at.z_m;
        return -2 * carrier_hz / c_m_s * (velocity.x_m * x + velocity.y_m * y + velocity.z_m * z) /
               std::sqrt(x * x + y * y + z * z);
    }

    PixelMesh mesh() const {
        constexpr double step = 16;
        PixelMesh mesh{static_cast<std::int64_t>(static_cast<double>(rows) / step) + 5,
                       static_cast<std::int64_t>(static_cast<double>(columns) / step) + 5,
                       step,
                       step,
                       {}};
        for (std::int64_t i = 0; i < mesh.rows; ++i)
            for (std::int64_t k = 0; k < mesh.columns; ++k) {
                const double row = step * static_cast<double>(i - 1), column = step * static_cast<double>(k - 1);
                const Place at = place(row, column);
                mesh.nodes.push_back({.place = at,
                                      .rise = rise,
                                      .centroid_hz = centroid_hz({0, at.y_m, 0}),
                                      .phase_cycles = 1.3 * column + 0.01 * row,
                                      .gain = 0.01 + 1e-5 * column});
            }
        return mesh;
    }

    AccumulationGeometry geometry() const {
        AccumulationGeometry geometry;
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        for (std::int64_t line = 0; line < lines; ++line) {
            const double part = lines > 1 ? 2.0 * static_cast<double>(line) / static_cast<double>(lines - 1) - 1 : 0;
            const double x = squint_m + 0.5 * aperture_m * part;
            geometry.paths.push_back(
                {.start = {x + jitter_m * normal(random), sag_m * part * part + jitter_m * normal(random),
                           height_m + 0.3 * sag_m * part + jitter_m * normal(random)},
                 .velocity_s = velocity,
                 .curve_s2 = {0, 0.05, 0}});
        }
        geometry.pixels = mesh();
        if (relief_m != 0 || rise_m != 0)
            for (std::int64_t row = 0; row < rows; ++row)
                for (std::int64_t column = 0; column < columns; ++column)
                    geometry.relief_m.push_back(
                        static_cast<float>(relief_m + rise_m * std::sin(0.05 * static_cast<double>(row)) *
                                                          std::cos(0.07 * static_cast<double>(column))));
        return geometry;
    }

    Accumulation pass() const {
        const AccumulationGeometry of = geometry();
        Accumulation pass;
        pass.lines = lines;
        pass.rows = rows;
        pass.columns = columns;
        pass.timing = {.carrier_hz = carrier_hz,
                       .chirp_duration_s = 2e-6,
                       .chirp_inverse_slope_s2 = 1 / 5e13,
                       .filter_doppler_hz = 20,
                       .first_cell_s = 0,
                       .cell_rate_hz = c_m_s / 2 / cell_m};
        double least = INFINITY, most = -INFINITY;
        for (const PulsePath& path : of.paths)
            for (const double row : {0.0, 0.5, 1.0})
                for (const double column : {0.0, 0.5, 1.0}) {
                    const Place level =
                        place(row * static_cast<double>(rows - 1), column * static_cast<double>(columns - 1));
                    const double cell =
                        arrival(pass.timing, path, raised({.place = level, .rise = rise}, relief_m)).cell;
                    least = std::min(least, cell);
                    most = std::max(most, cell);
                }
        pass.timing.first_cell_s = (std::floor(least) - spare_cells + 0.3) / pass.timing.cell_rate_hz;
        pass.cells = static_cast<std::int64_t>(most - least + 2 * spare_cells);
        if (windowed) {
            const double rate =
                2 * carrier_hz / c_m_s * 100 / std::hypot(ground_m, height_m);  // Hz a metre along the track
            pass.window.bandwidth_hz = 0.5 * rate * aperture_m;
            pass.window.reach = 0.6;
            for (int i = 0; i <= 500; ++i)
                pass.window.weight.push_back(
                    static_cast<float>(0.6 + 0.4 * std::cos(2 * 3.14159265358979 * (i - 250) / 500)));
        }
        pass.signal_to_error_db = signal_to_error_db;
        pass.geometry = [scene = *this] { return scene.geometry(); };
        return pass;
    }

    /// Noise that fills half of the band that the cells can hold.
    static std::vector<Complex64> noise(std::int64_t lines, std::int64_t cells) {
        std::mt19937 random(11);
        std::normal_distribution<float> normal;
        constexpr int reach = 8;
        std::vector<float> taps;
        for (int i = -reach; i <= reach; ++i) {
            const double x = 3.14159265358979 * 0.5 * i;
            taps.push_back(static_cast<float>((i == 0 ? 1 : std::sin(x) / x) *
                                              (0.54 + 0.46 * std::cos(3.14159265358979 * i / (reach + 1)))));
        }
        std::vector<Complex64> out(static_cast<std::size_t>(lines * cells)),
            white(static_cast<std::size_t>(cells + 2 * reach));
        for (std::int64_t line = 0; line < lines; ++line) {
            for (Complex64& value : white) value = {normal(random), normal(random)};
            for (std::int64_t cell = 0; cell < cells; ++cell) {
                Complex64 sum{0, 0};
                for (std::size_t i = 0; i < taps.size(); ++i)
                    sum = sum + taps[i] * white[static_cast<std::size_t>(cell) + i];
                out[static_cast<std::size_t>(line * cells + cell)] = sum;
            }
        }
        return out;
    }
};

/// A pixel by the definition of Accumulation.
inline Complex128 defined_pixel(const Accumulation& pass, const AccumulationGeometry& geometry,
                                const Complex64* compressed, std::int64_t row, std::int64_t column) {
    if (!pass.covered_rows.empty()) {
        const Interval covered = pass.covered_rows[static_cast<std::size_t>(column)];
        if (row < covered.first || row >= covered.last) return {0, 0};
    }
    const PixelNode pixel = view_of(geometry.pixels).at(static_cast<double>(row), static_cast<double>(column));
    const double relief_m =
        geometry.relief_m.empty()
            ? 0.0
            : static_cast<double>(geometry.relief_m[static_cast<std::size_t>(row * pass.columns + column)]);
    const Place place = raised(pixel, relief_m);
    Complex128 sum{0, 0};
    for (std::int64_t line = 0; line < pass.lines; ++line) {
        const Arrival at = arrival(pass.timing, geometry.paths[static_cast<std::size_t>(line)], place);
        const double weight = view_of(pass.window, pass.window.weight.data()).at(at.row_hz - pixel.centroid_hz);
        sum = sum + weight * (between_cells(compressed + line * pass.cells, pass.cells, at.cell) *
                              unit_phasor<double>(at.cycles));
    }
    return pixel.gain * (sum * unit_phasor<double>(pixel.phase_cycles));
}

}  // namespace cornerturn
