// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/pulse_weights.h"

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

/// Under which a pulse sees a place.
double doppler_hz(double carrier_hz, const PhaseHistory& pulses, std::size_t pulse, const Place& place) {
    const Vec3 sight = unit(vector_of(place) - pulses.antenna_m[pulse]);
    return 2 * carrier_hz / c_m_s * dot(pulses.velocity_m_s[pulse], sight);
}

}  // namespace

double middle_doppler_hz(const Acquisition& acquisition, const MapView& map, const Place& place) {
    const PhaseHistory& pulses = *map.pulses;
    return 0.5 * (doppler_hz(acquisition.carrier_hz, pulses, 0, place) +
                  doppler_hz(acquisition.carrier_hz, pulses, pulses.antenna_m.size() - 1, place));
}

PulseWeights pulse_weights(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr int entries = 2049;
    constexpr double wider = 1.1;  // elsewhere on the map pulses span a little more: edges weigh what they do there
    const Window& window = image.parameters.azimuth_window;
    const PhaseHistory& pulses = *image.map->pulses;
    const std::size_t count = pulses.antenna_m.size();
    if (window.kind == Window::Kind::none) return {.window = {}, .sum = static_cast<double>(count)};
    const Place middle = image.map->ground->at(image.map->middle).place;
    const auto seen_hz = [&](std::size_t pulse) { return doppler_hz(acquisition.carrier_hz, pulses, pulse, middle); };
    const double centroid_hz = middle_doppler_hz(acquisition, *image.map, middle),
                 span_hz = std::abs(seen_hz(0) - seen_hz(count - 1));
    const auto weight = [&](double offset_hz) { return window(std::clamp(offset_hz / span_hz, -0.5, 0.5)); };
    PulseWeights weights{.window = {.bandwidth_hz = span_hz, .reach = 0.5 * wider, .weight = {}}, .sum = 0};
    for (int i = 0; i < entries; ++i)
        weights.window.weight.push_back(
            static_cast<float>(weight(0.5 * wider * span_hz * (2.0 * i / (entries - 1) - 1))));
    for (std::size_t pulse = 0; pulse < count; ++pulse) weights.sum += weight(seen_hz(pulse) - centroid_hz);
    return weights;
}

}  // namespace cornerturn
