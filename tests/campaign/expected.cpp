// SPDX-License-Identifier: Apache-2.0
#include "tests/campaign/expected.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <vector>

namespace cornerturn::campaign {
namespace {

/// What frequencies along rows that come unevenly make of the width of a response, over that of a flat band as wide as
/// theory has it. Pulses may be weighed alike (back-projection) or frequencies.
Span widths_of(const std::vector<double>& frequency_hz, double theory_hz) {
    if (frequency_hz.size() < 8) return {1, 1};
    const auto [low, high] = std::minmax_element(frequency_hz.begin(), frequency_hz.end());
    const double low_hz = *low, band_hz = *high - *low, flat = theory_hz / band_hz;
    const auto power = [&](double t) {
        std::complex<double> sum = 0;
        for (const double f_hz : frequency_hz) sum += std::polar(1.0, 2 * std::numbers::pi * (f_hz - low_hz) * t);
        return std::norm(sum / static_cast<double>(frequency_hz.size()));
    };
    // All are in phase at the peak; the response is as wide on both sides, and 0.886 over the band where that is flat.
    double inside = 0, outside = 1.5 / band_hz;
    for (int round = 0; round < 30; ++round) {
        const double middle = 0.5 * (inside + outside);
        (power(middle) > 0.5 ? inside : outside) = middle;
    }
    constexpr double flat_width = 0.88589294;  // sinc^2 = 1/2
    const double even_pulses = 2 * inside * theory_hz / flat_width;
    return {std::min(flat, even_pulses), std::max(flat, even_pulses)};
}

}  // namespace

Span widths_as_flown(const SceneGeometry& geometry, const Scene& scene, const LocatedTarget& target,
                     const Footprint& seen) {
    const double step_s = 0.5 / scene.prf_hz;
    const double time_s = target.truth.zero_doppler_time_s - scene.first_pulse_time_s;
    const auto place = [&](double shift_s) {
        return geometry
            .locate({ZeroDopplerPosition{target.truth.range_m, time_s + shift_s}, 1, 0, target.truth.height_m})
            .place_m;
    };
    const Vec3 before_m = place(-step_s), after_m = place(step_s);
    std::vector<double> frequency_hz, doppler_hz;
    for (double line = seen.lines.first; line <= seen.lines.last; ++line) {
        // An edge is a delay in samples: c / (2 fs) metres each.
        frequency_hz.push_back((geometry.edge(line, before_m) - geometry.edge(line, after_m)) *
                               scene.range_spacing_m() / (scene.wavelength_m() * step_s));
        doppler_hz.push_back(geometry.radar().doppler_hz(line, target.place_m));
    }
    if (doppler_hz.empty()) return {1, 1};
    const auto [low, high] = std::minmax_element(doppler_hz.begin(), doppler_hz.end());
    return widths_of(frequency_hz, *high - *low);
}

Span widths_on_rows(const SceneGeometry& geometry, const Orbit& reference, const LocatedTarget& target,
                    const Footprint& seen) {
    RadarGeometry radar = geometry.radar();
    radar.take_rows_of(interpolated_track(reference));
    const double row_s = radar.closest_approach(target.place_m, target.truth.zero_doppler_time_s).time_s;
    std::vector<double> frequency_hz;
    for (double line = seen.lines.first; line <= seen.lines.last; ++line)
        frequency_hz.push_back(radar.aperture_hz(line, target.place_m, row_s));
    if (frequency_hz.empty()) return {1, 1};
    const auto [low, high] = std::minmax_element(frequency_hz.begin(), frequency_hz.end());
    return widths_of(frequency_hz, *high - *low);
}

double movable_px(const ResponseSupport& support, const ImageGrid& grid) {
    constexpr int parts = 33;
    double count = 0;
    std::array<double, 2> sum{};
    std::array<double, 3> products{};
    for (int i = 0; i < parts; ++i) {
        const double f_tau = support.range_bandwidth_hz * ((i + 0.5) / parts - 0.5);
        const auto band = support.azimuth_band_hz(f_tau);
        if (!band) continue;
        const auto centre = support.image_range_frequency_hz(0, support.centre_hz());
        for (int k = 0; k < parts; ++k) {
            const double f_eta = std::lerp(band->low_hz, band->high_hz, (k + 0.5) / parts),
                         rows = (f_eta - support.centre_hz()) * grid.time_spacing_s,
                         columns = (support.image_range_frequency_hz(f_tau, f_eta) - centre) * 2 *
                                   grid.range_spacing_m / speed_of_light_m_s;
            ++count;
            sum[0] += rows, sum[1] += columns;
            products[0] += rows * rows, products[1] += rows * columns, products[2] += columns * columns;
        }
    }
    const double rows = products[0] / count - sum[0] * sum[0] / (count * count),
                 both = products[1] / count - sum[0] * sum[1] / (count * count),
                 columns = products[2] / count - sum[1] * sum[1] / (count * count);
    return std::sqrt(std::max(rows, columns) / (rows * columns - both * both)) / (2 * std::numbers::pi);
}

}  // namespace cornerturn::campaign
