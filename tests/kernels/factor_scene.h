// SPDX-License-Identifier: Apache-2.0
// A scene for factorised back-projection, and how far a sum of it lies off the one that it stands for, taken exactly of
// what the lines were sampled from.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "kernels/back_projection/factorisation.h"
#include "kernels/cpu/factorised/factorised_accumulation.h"
#include "kernels/host/line_fft.h"

namespace cornerturn {

/// An antenna that flies past a plane, not quite straight.
struct FactorScene {
    double carrier_hz = 9.6e9, range_m = 12e3, grazing_deg = 35, aperture_deg = 3.5, pixel_m = 0.45, squint_deg = 0;
    std::int64_t lines = 700, rows = 150, columns = 90, cells_per_column = 4;
    double fill = 0.72;     ///< of the columns' rate by the pulse's band
    double window = 0;      ///< bandwidth of the Doppler window, of the Doppler frequencies of the aperture; 0: none
    double jitter_m = 0.5;  ///< by which the antenna leaves the straight line
    double hills_m = 0;     ///< by which pixels rise and fall, each by itself
    bool nearer = false;    ///< ranges fall from column to column; of 16 n + 1 columns, whose mesh ends with the last

    double lambda_m() const { return c_m_s / carrier_hz; }
    double track_m() const { return 2 * range_m * std::tan(aperture_deg * std::numbers::pi / 360); }
    double cell_m() const {
        return pixel_m * std::cos(grazing_deg * std::numbers::pi / 180) / static_cast<double>(cells_per_column);
    }
};

inline constexpr double factor_speed_m_s = 200;

inline Place place_at(const FactorScene& scene, double row, double column) {
    return {(row - 0.5 * static_cast<double>(scene.rows)) * scene.pixel_m,
            (column - 0.5 * static_cast<double>(scene.columns)) * (scene.nearer ? -scene.pixel_m : scene.pixel_m), 0};
}

inline AccumulationGeometry geometry_of(const FactorScene& scene) {
    AccumulationGeometry geometry;
    const double grazing = scene.grazing_deg * std::numbers::pi / 180,
                 squint_m = scene.range_m * std::tan(scene.squint_deg * std::numbers::pi / 180);
    for (std::int64_t line = 0; line < scene.lines; ++line) {
        const double part = (static_cast<double>(line) + 0.5) / static_cast<double>(scene.lines) - 0.5,
                     wave = 2 * std::numbers::pi * part;
        PulsePath path;
        path.start = {scene.track_m() * part - squint_m,
                      -scene.range_m * std::cos(grazing) + scene.jitter_m * std::sin(wave),
                      scene.range_m * std::sin(grazing) + scene.jitter_m * std::cos(wave)};
        path.velocity_s = {factor_speed_m_s, 2 * std::sin(wave), -std::cos(wave)};
        geometry.paths.push_back(path);
    }
    PixelMesh& mesh = geometry.pixels;
    mesh.row_step = mesh.column_step = 16;
    mesh.rows = 4 + scene.rows / 16;
    mesh.columns = 4 + scene.columns / 16;
    for (std::int64_t i = 0; i < mesh.rows; ++i)
        for (std::int64_t k = 0; k < mesh.columns; ++k) {
            const Place place = place_at(scene, 16.0 * static_cast<double>(i - 1), 16.0 * static_cast<double>(k - 1));
            const double range_m =
                std::hypot(place.y_m + scene.range_m * std::cos(grazing), scene.range_m * std::sin(grazing));
            mesh.nodes.push_back({.place = place,
                                  .rise = {0, 0, 1},
                                  .centroid_hz = 2 * factor_speed_m_s / scene.lambda_m() *
                                                 std::sin(scene.squint_deg * std::numbers::pi / 180),
                                  .phase_cycles = -2 * range_m / scene.lambda_m(),
                                  .gain = 0.01 * (1 + 1e-3 * place.y_m)});
        }
    std::minstd_rand random(11);
    for (std::int64_t i = 0; scene.hills_m > 0 && i < scene.rows * scene.columns; ++i)
        geometry.relief_m.push_back(
            static_cast<float>(scene.hills_m * std::uniform_real_distribution<double>(-1, 1)(random)));
    return geometry;
}

/// Lines of noise within the band of a pulse, as if every place reflected: finer than the pass gets them by a whole
/// number.
class WhiteEcho {
public:
    static constexpr std::int64_t fine = 24;  ///< values for each column

    WhiteEcho(const FactorScene& scene, std::int64_t columns) : columns_(columns) {
        const std::int64_t length = fine * columns,
                           band = static_cast<std::int64_t>(scene.fill * static_cast<double>(columns));
        std::minstd_rand random(5);
        std::normal_distribution<double> normal;
        LineBuffer<double> line(length);
        const LineFft<double> inverse(length, FftDirection::inverse);
        for (std::int64_t number = 0; number < scene.lines; ++number) {
            std::fill_n(line.data(), length, Complex128{0, 0});
            for (std::int64_t bin = -band / 2; bin <= band / 2; ++bin)
                line.data()[(bin + length) % length] = {normal(random), normal(random)};
            inverse(line.data());
            for (std::int64_t i = 0; i < length; ++i)
                values_.push_back({static_cast<float>(line.data()[i].re), static_cast<float>(line.data()[i].im)});
        }
    }
    std::int64_t columns() const { return columns_; }
    Complex<double> at(std::int64_t line, std::int64_t number) const {
        const std::int64_t length = fine * columns_;
        const Complex<float> value = values_[static_cast<std::size_t>(line * length + (number + length) % length)];
        return {value.re, value.im};
    }
    /// Between the fine values a cubic errs by 1e-6.
    Complex<double> between(std::int64_t line, double column) const {
        const double place = column * fine, below = std::floor(place);
        double weight[4];
        cubic_weights(place - below, weight);
        Complex<double> sum{0, 0};
        for (int i = 0; i < 4; ++i) sum = sum + weight[i] * at(line, static_cast<std::int64_t>(below) - 1 + i);
        return sum;
    }

private:
    std::int64_t columns_;
    std::vector<Complex<float>> values_;  ///< [line][value]
};

struct FactorCase {
    FactorisedAccumulation pass;
    AccumulationGeometry geometry;
    FactorisationNeeds needs;
    std::vector<Complex<double>> lines;
};

inline FactorCase case_of(const FactorScene& scene, double error_db) {
    FactorCase made{.pass = {}, .geometry = geometry_of(scene), .needs = {}, .lines = {}};
    made.pass.nearer = scene.nearer;
    Accumulation& sum = made.pass.sum;
    sum.lines = scene.lines;
    sum.rows = scene.rows;
    sum.columns = scene.columns;
    sum.timing = {.carrier_hz = scene.carrier_hz,
                  .chirp_duration_s = 5e-6,
                  .chirp_inverse_slope_s2 = 1 / -3e13,
                  .filter_doppler_hz = 50,
                  .first_cell_s = 0,
                  .cell_rate_hz = c_m_s / (2 * scene.cell_m())};
    double nearest = INFINITY, farthest = -INFINITY, lowest_hz = INFINITY, highest_hz = -INFINITY;
    for (const PulsePath& path : made.geometry.paths)
        for (const double row : {0.0, static_cast<double>(scene.rows)})
            for (const double column : {0.0, static_cast<double>(scene.columns)}) {
                const Arrival at = arrival(sum.timing, path, place_at(scene, row, column));
                nearest = std::min(nearest, at.cell);
                farthest = std::max(farthest, at.cell);
                lowest_hz = std::min(lowest_hz, at.row_hz);
                highest_hz = std::max(highest_hz, at.row_hz);
            }
    // Columns: nodes between which the edge pixels lie, and hills.
    const double beyond =
        40 + std::ceil(scene.hills_m / scene.pixel_m * std::tan(scene.grazing_deg * std::numbers::pi / 180));
    const auto per_column = static_cast<double>(scene.cells_per_column);
    sum.timing.first_cell_s = (std::floor(nearest) - beyond * per_column) / sum.timing.cell_rate_hz;
    sum.cells =
        static_cast<std::int64_t>(std::exp2(std::ceil(std::log2((farthest - nearest) / per_column + 2 * beyond)))) *
        scene.cells_per_column;
    if (scene.window > 0) {
        sum.window = {.bandwidth_hz = scene.window * (highest_hz - lowest_hz), .reach = 0.5, .weight = {}};
        for (int i = 0; i <= 1024; ++i)  // flat with edges that fade over an eighth
            sum.window.weight.push_back(static_cast<float>(
                0.5 - 0.5 * std::cos(std::numbers::pi * std::clamp(std::min(i, 1024 - i) / 128.0, 0.0, 1.0))));
    }
    made.needs = {.error_db = error_db,
                  .band_per_line = 1.02 * 2 / scene.lambda_m() * scene.track_m() / static_cast<double>(scene.lines) *
                                   scene.pixel_m / scene.range_m,
                  .line_rate_hz = 2 * factor_speed_m_s / scene.lambda_m() * scene.track_m() /
                                  static_cast<double>(scene.lines) / scene.range_m,
                  .window = sum.window,
                  .range_power = PowerOverFrequency::flat(0.5 * scene.fill * 1.02),
                  .rows = scene.rows,
                  .columns = scene.columns,
                  .lines = scene.lines,
                  .pixel_pulses = static_cast<double>(scene.rows * scene.columns * scene.lines)};
    sum.geometry = [geometry = made.geometry] { return geometry; };
    return made;
}

inline void sample(const WhiteEcho& echo, FactorCase& of) {
    const std::int64_t every = WhiteEcho::fine / of.pass.cells_per_column;
    for (std::int64_t line = 0; line < of.pass.sum.lines; ++line)
        for (std::int64_t cell = 0; cell < of.pass.sum.cells; ++cell) of.lines.push_back(echo.at(line, cell * every));
}

/// Sums lines onto an image.
template <class Real>
using Summing = std::function<void(const FactorisedAccumulation& pass, std::vector<Complex<Real>>& lines,
                                   std::vector<Complex<Real>>& image)>;

template <class Real>
void sum_on_cpu(const FactorisedAccumulation& pass, std::vector<Complex<Real>>& lines,
                std::vector<Complex<Real>>& image) {
    const auto matrix = [](std::vector<Complex<Real>>& samples, std::int64_t rows, std::int64_t columns) {
        return Matrix{.storage = std::shared_ptr<void>(samples.data(), [](void*) {}),
                      .format = sizeof(Real) == 4 ? SampleFormat::complex64 : SampleFormat::complex128,
                      .rows = rows,
                      .columns = columns};
    };
    const Matrix in = matrix(lines, pass.sum.lines, pass.sum.cells);
    Matrix out = matrix(image, pass.sum.rows, pass.sum.columns);
    factorised_accumulation_plan<Real>(pass, 2)->run(in, out);
}

template <class Real>
std::vector<Complex<Real>> image_of(const FactorCase& of, const Summing<Real>& sum = sum_on_cpu<Real>) {
    std::vector<Complex<Real>> lines, image(static_cast<std::size_t>(of.pass.sum.rows * of.pass.sum.columns));
    for (const auto& value : of.lines) lines.push_back({static_cast<Real>(value.re), static_cast<Real>(value.im)});
    sum(of.pass, lines, image);
    return image;
}

/// Energy of the difference to that of the sum, at pixels evenly over the image.
template <class Real>
double error_db(const WhiteEcho& echo, const FactorCase& of, const std::vector<Complex<Real>>& image) {
    const Accumulation& sum = of.pass.sum;
    const DopplerWindowView window = view_of(sum.window, sum.window.weight.data());
    double signal = 0, error = 0;
    for (std::int64_t number = 0; number < sum.rows * sum.columns; number += 37) {
        const std::int64_t row = number / sum.columns, column = number % sum.columns;
        const PixelNode pixel = view_of(of.geometry.pixels).at(static_cast<double>(row), static_cast<double>(column));
        const Place place = raised(pixel, of.geometry.relief_at_m(number));
        Complex<double> exact{0, 0};
        for (std::int64_t line = 0; line < sum.lines; ++line) {
            const Arrival at = arrival(sum.timing, of.geometry.paths[static_cast<std::size_t>(line)], place);
            const double weight = window.at(at.row_hz - pixel.centroid_hz),
                         cell = at.cell / static_cast<double>(of.pass.cells_per_column);
            if (weight != 0) exact = exact + weight * (echo.between(line, cell) * unit_phasor<double>(at.cycles));
        }
        exact = pixel.gain * (exact * unit_phasor<double>(pixel.phase_cycles));
        const auto& got = image[static_cast<std::size_t>(number)];
        signal += exact.re * exact.re + exact.im * exact.im;
        error += std::pow(got.re - exact.re, 2) + std::pow(got.im - exact.im, 2);
    }
    return 10 * std::log10(error / signal);
}

/// Of a scene by the plan that another one asks for.
template <class Real>
double measured_db(const FactorScene& planned, double allowed_db,
                   const std::function<FactorScene(FactorScene, const Factorisation&)>& changed,
                   const Summing<Real>& sum = sum_on_cpu<Real>) {
    std::string why;
    const auto plan = cheapest_factorisation(case_of(planned, allowed_db).needs, why);
    if (!plan) {
        ADD_FAILURE() << why;
        return 0;
    }
    FactorScene scene = changed(planned, plan->factors);
    scene.cells_per_column = plan->cells_per_column;
    FactorCase of = case_of(scene, allowed_db);
    of.pass.factors = plan->factors;
    of.pass.range_power = of.needs.range_power;
    of.pass.cells_per_column = plan->cells_per_column;
    of.pass.node_bytes_of_column = plan->node_bytes_per_column;
    of.pass.widest_strip = 70;  // two of them
    const WhiteEcho echo(scene, of.pass.sum.cells / scene.cells_per_column);
    sample(echo, of);
    return error_db(echo, of, image_of<Real>(of, sum));
}

template <class Real>
double measured_db(const FactorScene& scene, double allowed_db, const Summing<Real>& sum = sum_on_cpu<Real>) {
    return measured_db<Real>(
        scene, allowed_db, [](const FactorScene& as_it_is, const Factorisation&) { return as_it_is; }, sum);
}

}  // namespace cornerturn
