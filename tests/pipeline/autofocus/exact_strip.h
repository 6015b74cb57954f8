// SPDX-License-Identifier: Apache-2.0
// A strip of points that are in focus by construction, and the same with a phase error on its lines: no former in
// between.
#pragma once

#include <cmath>
#include <numbers>
#include <random>

#include "kernels/math/phasor.h"
#include "pipeline/acquisition/track/viewing_geometry.h"
#include "pipeline/autofocus/strip.h"

namespace cornerturn {

struct StripPlan {
    std::int64_t lines = 1600;  ///< some seven apertures of 230 lines
    std::int64_t columns = 40;
    int points = 60;
    double noise_db = -50;  ///< of a pixel, against a point
    double centroid_hz = 0;
};

/// Nothing but noise. X band, as small_scene: straight flight at 120 m/s past 3 km, 180 of 400 Hz illuminated.
inline StripImage noise_image(const StripPlan& plan, unsigned seed = 1) {
    constexpr double prf_hz = 400, carrier_hz = 9.65e9, velocity_m_s = 120, near_m = 3000;
    const ViewingGeometry geometry(
        std::make_shared<StraightTrack>(VelocityProfile(velocity_m_s)),
        [hz = plan.centroid_hz](double, double) { return hz; }, carrier_hz);
    const HistorySpan span{.from_m = near_m - 10, .to_m = near_m + 110, .half_band_hz = 0.5 * prf_hz};
    const double centre_lines = geometry.history(0, span).centre_time_s(near_m) * prf_hz;
    StripImage image{.grid = {.rows = plan.lines,
                              .columns = plan.columns,
                              .first_time_s = -std::round(centre_lines) / prf_hz,
                              .time_spacing_s = 1 / prf_hz,
                              .near_range_m = near_m,
                              .range_spacing_m = 1.5},
                     .range_m = {},
                     .samples = std::vector<std::complex<float>>(static_cast<std::size_t>(plan.lines * plan.columns)),
                     .lines = plan.lines,
                     .first_line_time_s = 0,
                     .illuminated_band_hz = 180,
                     .steady = true,
                     .history = [=](double time_s) { return geometry.history(time_s, span); }};
    for (std::int64_t k = 0; k < plan.columns; ++k) image.range_m.push_back(image.grid.range_m(static_cast<double>(k)));
    std::mt19937 random(seed);
    std::normal_distribution<float> noise(0,
                                          static_cast<float>(std::pow(10, plan.noise_db / 20) / std::numbers::sqrt2));
    for (auto& value : image.samples) value = {noise(random), noise(random)};
    return image;
}

/// The echo of a point at a row of the stretch: cut off where the beam and the strip end.
inline std::vector<Complex64> point_echo(const StripPiece& piece, std::int64_t length, std::int64_t row,
                                         std::int64_t lines) {
    LineBuffer<float> echo(length);
    StripTransforms(length).impulse(piece, row, echo.data());
    std::vector<Complex64> values(static_cast<std::size_t>(length));
    const std::int64_t first = std::max<std::int64_t>(0, -piece.first_line),
                       last = std::min(length, lines - piece.first_line);
    for (std::int64_t n = first; n < last; ++n)
        if (static_cast<double>(n - row) >= piece.illuminated_first &&
            static_cast<double>(n - row) <= piece.illuminated_last)
            values[static_cast<std::size_t>(n)] = echo.data()[n];
    return values;
}

/// Points anywhere in noise, in focus.
inline Strip points_in_focus(const StripPlan& plan, unsigned seed = 1) {
    Strip strip = strip_of(noise_image(plan, seed), {});
    std::mt19937 random(seed + 1);
    std::uniform_real_distribution<double> even(0, 1);
    for (int i = 0; i < plan.points; ++i) {
        const auto row = static_cast<std::int64_t>((i + even(random)) * static_cast<double>(plan.lines) / plan.points);
        const auto column = static_cast<std::size_t>(even(random) * static_cast<double>(plan.columns));
        const Complex64 size = static_cast<float>(1 + even(random)) * unit_phasor<float>(even(random));
        for (std::size_t k = column; k < strip.pieces.size(); k += static_cast<std::size_t>(plan.columns)) {
            StripPiece& piece = strip.pieces[k];
            const std::int64_t of_piece = row - piece.first_row;
            if (of_piece < piece.rows.first || of_piece >= piece.rows.last) continue;
            const std::vector<Complex64> echo = point_echo(piece, strip.length, of_piece, strip.lines);
            for (std::size_t n = 0; n < echo.size(); ++n) piece.echo[n] = multiply_add(piece.echo[n], size, echo[n]);
        }
    }
    return strip;
}

inline void multiply_lines(Strip& strip, const std::vector<double>& phase_rad) {
    std::vector<double> against(phase_rad);
    for (double& rad : against) rad = -rad;
    const std::vector<Complex64> phasors = phasors_against(against);
    const StripTransforms transforms(strip.length);
    for (StripPiece& piece : strip.pieces) {
        std::vector<Complex64> echo(piece.echo.size());
        transforms.corrected(piece, phasors, echo.data());
        piece.echo = std::move(echo);
    }
}

/// What an estimate leaves of a truth, over the lines that tell anything; and what of that bends within apertures.
inline double left_rad(const PhaseEstimate& found, std::vector<double> truth) {
    for (std::size_t i = 0; i < truth.size(); ++i) truth[i] -= found.phase_rad[i];
    remove_line(truth, found.weight);
    return rms_rad(truth, found.weight);
}
inline double left_bend_rad(const PhaseEstimate& found, std::vector<double> truth, double aperture_lines) {
    for (std::size_t i = 0; i < truth.size(); ++i) truth[i] -= found.phase_rad[i];
    return bend_rad(truth, found.weight, aperture_lines);
}

}  // namespace cornerturn
