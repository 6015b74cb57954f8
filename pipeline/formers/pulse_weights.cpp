// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/pulse_weights.h"

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

double doppler_hz(const Acquisition& acquisition, std::int64_t line, const Place& place) {
    const auto at = static_cast<std::size_t>(line);
    const PhaseHistory& history = *acquisition.phase_history;
    const Vec3 sight = unit(Vec3{place.x_m, place.y_m, place.z_m} - history.antenna_m[at]);
    return 2 * acquisition.carrier_hz / c_m_s * dot(history.velocity_m_s[at], sight);
}

Place middle_of(const MapView& map) {
    return map.ground
        ->at({map.grid.x(0.5 * static_cast<double>(map.grid.columns - 1)),
              map.grid.y(0.5 * static_cast<double>(map.grid.rows - 1))})
        .place;
}

}  // namespace

double middle_doppler_hz(const Acquisition& acquisition, const Place& place) {
    return 0.5 * (doppler_hz(acquisition, 0, place) + doppler_hz(acquisition, acquisition.lines - 1, place));
}

PulseWeights pulse_weights(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr int entries = 2049;
    constexpr double wider = 1.1;  // elsewhere on the map pulses span a little more: edges weigh what they do there
    const Window& window = image.parameters.azimuth_window;
    if (window.kind == Window::Kind::none) return {.window = {}, .sum = static_cast<double>(acquisition.lines)};
    const Place middle = middle_of(*image.map);
    const double centroid_hz = middle_doppler_hz(acquisition, middle),
                 span_hz = std::abs(doppler_hz(acquisition, 0, middle) -
                                    doppler_hz(acquisition, acquisition.lines - 1, middle));
    const auto weight = [&](double offset_hz) { return window(std::clamp(offset_hz / span_hz, -0.5, 0.5)); };
    PulseWeights weights{.window = {.bandwidth_hz = span_hz, .reach = 0.5 * wider, .weight = {}}, .sum = 0};
    for (int i = 0; i < entries; ++i)
        weights.window.weight.push_back(
            static_cast<float>(weight(0.5 * wider * span_hz * (2.0 * i / (entries - 1) - 1))));
    for (std::int64_t line = 0; line < acquisition.lines; ++line)
        weights.sum += weight(doppler_hz(acquisition, line, middle) - centroid_hz);
    return weights;
}

}  // namespace cornerturn
