// SPDX-License-Identifier: Apache-2.0
#include "data/safe/azimuth_carrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::safe {
namespace {

/// Through the function at three Chebyshev nodes of the swath.
RangePolynomial through(const BurstStack& stack, const std::function<double(double)>& of_delay_s) {
    const double near_s = stack.delay_s(0), far_s = stack.delay_s(static_cast<double>(stack.samples - 1));
    const double middle_s = 0.5 * (near_s + far_s), apart_s = 0.25 * std::numbers::sqrt3 * (far_s - near_s);
    const double before = of_delay_s(middle_s - apart_s), at = of_delay_s(middle_s),
                 behind = of_delay_s(middle_s + apart_s);
    if (!(apart_s > 0)) return {middle_s, {at, 0, 0}};
    const double slope = (behind - before) / (2 * apart_s), bend = (before - 2 * at + behind) / (2 * apart_s * apart_s);
    const double from_middle_s = near_s - middle_s;
    return {near_s, {at + from_middle_s * (slope + from_middle_s * bend), slope + 2 * from_middle_s * bend, bend}};
}

/// -2 v^2 / (wavelength R), the velocity that of the image's column there.
double point_rate_hz_s(const Image& image, double delay_s) {
    const double range_m = 0.5 * delay_s * speed_of_light_m_s;
    const auto& velocity_m_s = image.processing.effective_velocity_m_s;
    const double column = (range_m - image.grid.near_range_m) / image.grid.range_spacing_m;
    const double v = velocity_m_s[static_cast<std::size_t>(
        std::clamp(std::round(column), 0.0, static_cast<double>(velocity_m_s.size() - 1)))];
    return -2 * v * v / (image.acquisition.wavelength_m() * range_m);
}

/// Of the frequency along a burst.
double sweep_hz_s(const BurstStack& stack, double speed_m_s, double of_point_hz_s) {
    const double steering_hz_s = 2 * speed_m_s * stack.swath().steering_rad_s / stack.acquisition().wavelength_m();
    return of_point_hz_s * steering_hz_s / (of_point_hz_s - steering_hz_s);
}

double middle_delay_s(const BurstStack& stack) { return stack.delay_s(0.5 * static_cast<double>(stack.samples - 1)); }

/// Of the law's frequencies against those of the image, over what is valid.
double rms_hz(const BurstStack& stack, const StackedBurst& burst, const AzimuthCarrier& carrier) {
    constexpr std::int64_t along = 24, across = 8;
    const double middle_s = stack.middle_time_s(burst);
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i <= along; ++i) {
        const std::int64_t line = i * (stack.lines - 1) / along;
        const Interval valid = stack.valid(burst, line);
        for (std::int64_t k = 0; valid.last > 0 && k <= across; ++k) {
            const double sample = valid.first + static_cast<double>(k * (valid.last - 1 - valid.first)) / across,
                         time_s = stack.time_s(burst, static_cast<double>(line));
            const double off_hz = carrier.frequency_hz(stack, time_s - middle_s, stack.delay_s(sample)) -
                                  burst.header.processing.doppler_hz(time_s, stack.range_m(sample));
            sum += off_hz * off_hz;
            ++count;
        }
    }
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

}  // namespace

double AzimuthCarrier::frequency_hz(const BurstStack& stack, double from_middle_s, double delay_s) const {
    const double a = fm_rate_hz_s(delay_s), mid_s = middle_delay_s(stack);
    const double t0_s = -centroid_hz(delay_s) / a + centroid_hz(mid_s) / fm_rate_hz_s(mid_s);
    return centroid_hz(delay_s) + sweep_hz_s(stack, speed_m_s, a) * (from_middle_s - t0_s);
}

AzimuthCarrier azimuth_carrier(const BurstStack& stack, const StackedBurst& burst) {
    const Image& image = burst.header;
    const double middle_s = stack.middle_time_s(burst), mid_swath_s = middle_delay_s(stack);
    AzimuthCarrier carrier;
    carrier.speed_m_s = norm(interpolate(*image.acquisition.orbit, middle_s).velocity_m_s);
    carrier.fm_rate_hz_s = through(stack, [&](double delay_s) { return point_rate_hz_s(image, delay_s); });
    const auto of_image_hz = [&](double delay_s) {
        return image.processing.doppler_hz(middle_s, 0.5 * delay_s * speed_of_light_m_s);
    };
    const double mid_swath_part_s = of_image_hz(mid_swath_s) / carrier.fm_rate_hz_s(mid_swath_s);
    // The centroid by which the law gives the image's frequencies in the middle of the burst.
    carrier.centroid_hz = through(stack, [&](double delay_s) {
        const double a = carrier.fm_rate_hz_s(delay_s), k = sweep_hz_s(stack, carrier.speed_m_s, a);
        return (of_image_hz(delay_s) + k * mid_swath_part_s) / (1 + k / a);
    });
    carrier.rms_hz = rms_hz(stack, burst, carrier);
    constexpr double most = 0.02;  // of the frequency of lines
    if (!(carrier.rms_hz < most / stack.line_spacing_s()))
        throw InputError(
            fmt::format("burst {} {}: its Doppler frequencies are {:.3g} Hz off those of a beam that is steered by "
                        "{:.4g} degrees per second, which readers of a SAFE take off; leave --doppler-centroid out",
                        stack.swath().swath, image.acquisition.burst->number, carrier.rms_hz,
                        stack.swath().steering_rad_s / degree));
    return carrier;
}

}  // namespace cornerturn::safe
