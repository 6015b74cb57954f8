// SPDX-License-Identifier: Apache-2.0
// Lines and pixels for tests of back-projection: an antenna that flies past a plane, not quite straight, over lines of
// random numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "kernels/passes/accumulation.h"

namespace cornerturn {

struct AccumulationScene {
    double carrier_hz = 9.6e9, range_m = 10e3, grazing_deg = 35, aperture_deg = 2, pixel_m = 0.5, cell_m = 0.3,
           turned_deg = 0;
    std::int64_t lines = 40, rows = 61, columns = 47;
    double jitter_m = 0.05;  ///< by which the antenna leaves the straight line, over the whole aperture
    double relief_m = 0;     ///< of hills
    double hill_width = 1;   ///< in units of 29 x 45 pixels
    double window = 0;       ///< bandwidth of the Doppler window, of the Doppler frequencies of the aperture; 0: none
    double cut = 0;          ///< part of the swath that the lines lack at either end
};

/// A pass, what its geometry function gives, and its input.
struct AccumulationCase {
    Accumulation pass;
    AccumulationGeometry geometry;
    std::vector<Complex<float>> compressed;
};

/// Along the track x, up z; the scene's middle is the origin.
inline Place place_in(const AccumulationScene& scene, double row, double column) {
    const double turned = scene.turned_deg * std::numbers::pi / 180;
    const double x = (row - 0.5 * static_cast<double>(scene.rows)) * scene.pixel_m;
    const double y = (column - 0.5 * static_cast<double>(scene.columns)) * scene.pixel_m;
    return {x * std::cos(turned) - y * std::sin(turned), x * std::sin(turned) + y * std::cos(turned), 0};
}

inline std::vector<PulsePath> paths_of(const AccumulationScene& scene) {
    const double grazing = scene.grazing_deg * std::numbers::pi / 180,
                 track_m = 2 * scene.range_m * std::tan(scene.aperture_deg * std::numbers::pi / 360), speed_m_s = 200;
    std::vector<PulsePath> paths;
    for (std::int64_t line = 0; line < scene.lines; ++line) {
        const double part = (static_cast<double>(line) + 0.5) / static_cast<double>(scene.lines) - 0.5;
        const double wave = 2 * std::numbers::pi * part;
        PulsePath path;
        path.start = {track_m * part, -scene.range_m * std::cos(grazing) + scene.jitter_m * std::sin(3 * wave),
                      scene.range_m * std::sin(grazing) + scene.jitter_m * std::cos(2 * wave)};
        path.velocity_s = {speed_m_s, 2 * std::sin(wave), -std::cos(wave)};
        path.curve_s2 = {0.01, 0.2, -0.1};
        paths.push_back(path);
    }
    return paths;
}

inline PixelMesh mesh_of(const AccumulationScene& scene) {
    const double grazing = scene.grazing_deg * std::numbers::pi / 180;
    PixelMesh mesh;
    mesh.row_step = mesh.column_step = 16;
    mesh.rows = 4 + scene.rows / 16;
    mesh.columns = 4 + scene.columns / 16;
    for (std::int64_t i = 0; i < mesh.rows; ++i)
        for (std::int64_t k = 0; k < mesh.columns; ++k) {
            const Place place = place_in(scene, 16.0 * static_cast<double>(i - 1), 16.0 * static_cast<double>(k - 1));
            const double range_m =
                std::hypot(place.y_m + scene.range_m * std::cos(grazing), scene.range_m * std::sin(grazing));
            mesh.nodes.push_back({.place = place,
                                  .rise = {0, 0, 1},
                                  .centroid_hz = 20 + 0.01 * place.y_m,
                                  .phase_cycles = -2 * range_m * scene.carrier_hz / c_m_s,
                                  .gain = 0.01 * (1 + 1e-3 * place.y_m)});
        }
    return mesh;
}

inline std::vector<float> relief_of(const AccumulationScene& scene) {
    std::vector<float> relief_m;
    if (scene.relief_m == 0) return relief_m;
    for (std::int64_t row = 0; row < scene.rows; ++row)
        for (std::int64_t column = 0; column < scene.columns; ++column)
            relief_m.push_back(
                static_cast<float>(scene.relief_m * std::sin(0.11 / scene.hill_width * static_cast<double>(row)) *
                                   std::cos(0.07 / scene.hill_width * static_cast<double>(column))));
    return relief_m;
}

/// Chooses the cells of lines and the Doppler window by what the corners of the image are seen at.
inline void fit_to_corners(const AccumulationScene& scene, const std::vector<PulsePath>& paths, Accumulation& pass) {
    const auto delay_s = [](double m) { return 2 * m / c_m_s; };
    double nearest_s = INFINITY, farthest_s = 0, lowest_hz = INFINITY, highest_hz = -INFINITY;
    for (const PulsePath& path : paths)
        for (const double row : {0.0, static_cast<double>(scene.rows)})
            for (const double column : {0.0, static_cast<double>(scene.columns)}) {
                const Arrival at = arrival(pass.timing, path, place_in(scene, row, column));
                nearest_s = std::min(nearest_s, at.cell / pass.timing.cell_rate_hz);
                farthest_s = std::max(farthest_s, at.cell / pass.timing.cell_rate_hz);
                lowest_hz = std::min(lowest_hz, at.row_hz);
                highest_hz = std::max(highest_hz, at.row_hz);
            }
    const double span_s = farthest_s - nearest_s + delay_s(2 * std::fabs(scene.relief_m) + 6 * scene.cell_m);
    pass.timing.first_cell_s = nearest_s - delay_s(std::fabs(scene.relief_m) + 3 * scene.cell_m) + scene.cut * span_s;
    pass.cells = static_cast<std::int64_t>(span_s * (1 - 2 * scene.cut) * pass.timing.cell_rate_hz);
    if (!(scene.window > 0)) return;
    pass.window = {.bandwidth_hz = scene.window * (highest_hz - lowest_hz), .reach = 0.6, .weight = {}};
    for (int i = 0; i <= 240; ++i)
        pass.window.weight.push_back(0.5f -
                                     0.5f * std::cos(2 * std::numbers::pi_v<float> * static_cast<float>(i) / 240));
}

/// White noise through a filter that leaves half of the band.
inline std::vector<Complex<float>> noise_lines(std::int64_t lines, std::int64_t cells) {
    std::vector<Complex<float>> compressed;
    std::minstd_rand random(7);
    std::normal_distribution<double> normal;
    for (std::int64_t line = 0; line < lines; ++line) {
        std::vector<std::complex<double>> white(static_cast<std::size_t>(cells + 16));
        for (auto& value : white) value = {normal(random), normal(random)};
        for (std::int64_t cell = 0; cell < cells; ++cell) {
            std::complex<double> sum;
            for (int tap = -8; tap <= 8; ++tap) {
                const double x = 0.5 * tap,
                             sinc = tap == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
                const auto at = static_cast<std::size_t>(cell + 8 + tap);
                if (at < white.size())
                    sum += white[at] * (0.5 * sinc * (0.5 + 0.5 * std::cos(std::numbers::pi * tap / 9)));
            }
            compressed.push_back({static_cast<float>(sum.real()), static_cast<float>(sum.imag())});
        }
    }
    return compressed;
}

inline AccumulationCase accumulation_case(const AccumulationScene& scene) {
    AccumulationCase made;
    made.geometry.paths = paths_of(scene);
    made.geometry.pixels = mesh_of(scene);
    made.geometry.relief_m = relief_of(scene);
    made.pass = {.lines = scene.lines,
                 .cells = 0,
                 .rows = scene.rows,
                 .columns = scene.columns,
                 .timing = {.carrier_hz = scene.carrier_hz,
                            .chirp_duration_s = 5e-6,
                            .chirp_inverse_slope_s2 = 1 / -3e13,
                            .filter_doppler_hz = 50,
                            .first_cell_s = 0,
                            .cell_rate_hz = c_m_s / (2 * scene.cell_m)},
                 .window = {},
                 .covered_rows = {},
                 .geometry = [geometry = made.geometry] { return geometry; }};
    fit_to_corners(scene, made.geometry.paths, made.pass);
    made.compressed = noise_lines(scene.lines, made.pass.cells);
    return made;
}

/// The definition, in double precision, over some of the lines.
inline std::complex<double> accumulated(const AccumulationCase& of, std::int64_t row, std::int64_t column,
                                        IndexRange lines) {
    const Accumulation& pass = of.pass;
    const PixelNode pixel = view_of(of.geometry.pixels).at(static_cast<double>(row), static_cast<double>(column));
    const double relief_m =
        of.geometry.relief_m.empty()
            ? 0
            : static_cast<double>(of.geometry.relief_m[static_cast<std::size_t>(row * pass.columns + column)]);
    const Place place = raised(pixel, relief_m);
    const DopplerWindowView window = view_of(pass.window, pass.window.weight.data());
    Complex<double> sum{0, 0};
    for (std::int64_t line = lines.first; line < lines.last; ++line) {
        const Arrival at = arrival(pass.timing, of.geometry.paths[static_cast<std::size_t>(line)], place);
        const Complex<double> sample = between_cells(of.compressed.data() + line * pass.cells, pass.cells, at.cell);
        sum = sum + window.at(at.row_hz - pixel.centroid_hz) * (sample * unit_phasor<double>(at.cycles));
    }
    sum = pixel.gain * (sum * unit_phasor<double>(pixel.phase_cycles));
    return {sum.re, sum.im};
}
inline std::complex<double> accumulated(const AccumulationCase& of, std::int64_t row, std::int64_t column) {
    return accumulated(of, row, column, {0, of.pass.lines});
}

}  // namespace cornerturn
