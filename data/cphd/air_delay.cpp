// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/air_delay.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "data/cphd/bright_points.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/acquisition/fits/parabola.h"

namespace cornerturn::cphd {
namespace {

constexpr double doubt = 0.3;  // of the delay, to either side

/// What of the delay no other place on the plane explains, of each pulse: less the least squares of what a step along
/// either axis does.
std::vector<double> unexplained_s(const FocusedPoint& point, const std::vector<const Pulse*>& pulses) {
    double xx = 0, xy = 0, yy = 0, xd = 0, yd = 0;
    for (std::size_t i = 0; i < pulses.size(); ++i) {
        const auto& [x, y] = point.later_by_step_s[i];
        const double delay_s = pulses[i]->air_delay_s;
        xx += x * x, xy += x * y, yy += y * y, xd += x * delay_s, yd += y * delay_s;
    }
    const double determinant = xx * yy - xy * xy;
    std::vector<double> left_s;
    for (std::size_t i = 0; i < pulses.size(); ++i) {
        const auto& [x, y] = point.later_by_step_s[i];
        left_s.push_back(pulses[i]->air_delay_s - (x * (yy * xd - xy * yd) + y * (xx * yd - xy * xd)) / determinant);
    }
    return left_s;
}

/// The largest power of the sum of values over pulses that `cycles` turns, of all Doppler frequencies nearby.
double power_of(const FocusedPoint& point, const std::vector<double>& cycles, double part) {
    constexpr double most = 1, step = 0.1;  // of a Doppler cell
    double best = 0;
    std::vector<std::complex<double>> turned;
    for (std::size_t i = 0; i < cycles.size(); ++i) turned.push_back(point.values[i] * std_phasor(part * cycles[i]));
    for (double cell = -most; cell <= most; cell += step) {
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < turned.size(); ++i)
            sum += turned[i] * std_phasor(cell * point.place_in_aperture[i]);
        best = std::max(best, std::norm(sum));
    }
    return best;
}

/// The part of the delay that brings the point to its best focus; nothing where it is no point.
std::optional<double> part_in(const FocusedPoint& point, const std::vector<double>& cycles) {
    constexpr double from = -2, to = 3, step = 0.1, least_coherence = 0.5;
    double power = 0;
    for (const auto& value : point.values) power += std::norm(value);
    std::vector<double> powers;
    for (double part = from; part <= to + 0.5 * step; part += step) powers.push_back(power_of(point, cycles, part));
    const auto best = std::max_element(powers.begin(), powers.end());
    if (best == powers.begin() || best + 1 == powers.end()) return std::nullopt;
    if (*best < least_coherence * power * static_cast<double>(cycles.size())) return std::nullopt;
    return from + step * (static_cast<double>(best - powers.begin()) + parabola_top(best[-1], best[0], best[1]));
}

}  // namespace

bool AirFound::left_out() const { return std::abs(part) + 2 * deviation < doubt; }
bool AirFound::left_in() const { return std::abs(part - 1) + 2 * deviation < doubt; }

std::optional<AirFound> air_by_data(const Spectra& spectra, const std::vector<Pulse>& pulses, int sign,
                                    const ScenePlane& plane) {
    constexpr double least_cycles = 0.02;
    constexpr std::size_t fewest_points = 3;
    if (std::none_of(pulses.begin(), pulses.end(), [](const Pulse& pulse) { return pulse.air_delay_s != 0; }))
        return std::nullopt;
    const BrightPoints points(spectra, pulses, sign, plane);
    std::vector<double> parts;
    for (const FocusedPoint& point : points.focused()) {
        std::vector<double> cycles = unexplained_s(point, points.pulses());
        for (double& value : cycles) value *= points.carrier_hz();
        const auto [least, most] = std::minmax_element(cycles.begin(), cycles.end());
        if (*most - *least < least_cycles) continue;
        if (const auto part = part_in(point, cycles)) parts.push_back(*part);
    }
    if (parts.size() < fewest_points) return std::nullopt;
    const double part = median_of(parts);
    std::vector<double> off;
    for (const double other : parts) off.push_back(std::abs(other - part));
    constexpr double of_median = 1.4826;  // a standard deviation, of normal errors
    return AirFound{.part = part,
                    .deviation = of_median * median_of(off) / std::sqrt(static_cast<double>(parts.size())),
                    .points = parts.size()};
}

}  // namespace cornerturn::cphd
