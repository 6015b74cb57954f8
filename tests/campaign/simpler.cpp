// SPDX-License-Identifier: Apache-2.0
#include "tests/campaign/simpler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/errors.h"

namespace cornerturn::campaign {
namespace {

/// Makes one thing simpler; false where it is as simple as can be.
using Step = std::function<bool(Drawn&)>;

template <class Value>
bool set(Value& value, const Value& simple) {
    if (value == simple) return false;
    value = simple;
    return true;
}

/// To one digit, or two where one was not possible.
double round_to(double value, int digits) {
    if (value == 0) return 0;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - (digits - 1));
    return unit >= 1 ? std::round(value / unit) * unit : std::round(value / unit) / std::round(1 / unit);
}

Step rounding(const std::function<double&(Drawn&)>& of, int digits) {
    return [=](Drawn& drawn) { return set(of(drawn), round_to(of(drawn), digits)); };
}

std::vector<Step> steps_for(const Drawn& drawn) {
    std::vector<Step> steps;
    const auto add = [&](Step step) { steps.push_back(std::move(step)); };
    // What is not needed.
    add([](Drawn& d) { return set(d.scatterers, std::int64_t{0}); });
    add([](Drawn& d) { return set(d.scene.noise_db, std::optional<double>()); });
    add([](Drawn& d) { return set(d.scene.dither, 0.0); });
    add([](Drawn& d) { return set(d.scene.lost_lines, 0.0); });
    add([](Drawn& d) { return set(d.scene.transmit_gaps, false); });
    add([](Drawn& d) { return set(d.hill_m, 0.0); });
    add([](Drawn& d) { return set(d.scene.height_m, 0.0); });
    add([](Drawn& d) { return set(d.scene.sample_type, SampleFormat::complex64); });
    add([](Drawn& d) { return set(d.centroid, Centroid::file); });
    add([](Drawn& d) { return set(d.scene.look_side, LookSide::right); });
    // Of several targets one, by halves.
    if (drawn.places.size() > 1)
        for (const bool front : {true, false})
            add([front](Drawn& d) {
                if (d.places.size() < 2) return false;
                const auto half = static_cast<std::ptrdiff_t>(d.places.size() / 2);
                front ? d.places.erase(d.places.begin() + half, d.places.end())
                      : d.places.erase(d.places.begin(), d.places.begin() + half);
                return true;
            });
    // A straight and even flight.
    if (drawn.flight) {
        add([](Drawn& d) { return d.flight->sway.empty() ? false : (d.flight->sway.clear(), true); });
        add([](Drawn& d) { return d.flight->sway.size() < 2 ? false : (d.flight->sway.pop_back(), true); });
        add([](Drawn& d) { return set(d.flight->turbulence, Turbulence()); });
        add([](Drawn& d) { return set(d.flight->acceleration_m_s2, 0.0); });
        add([](Drawn& d) { return set(d.flight->side_acceleration_m_s2, 0.0); });
        add([](Drawn& d) { return set(d.flight->heading_deg, 0.0); });
        add([](Drawn& d) { return set(d.flight->latitude_deg, 0.0); });
        add([](Drawn& d) {
            for (SwayWave& sway : d.flight->sway) sway.along_m *= 0.5, sway.across_m *= 0.5, sway.up_m *= 0.5;
            return !d.flight->sway.empty() && d.flight->sway[0].across_m > 1e-3;
        });
    }
    if (auto* orbit = std::get_if<KeplerOrbit>(&drawn.scene.orbit); orbit != nullptr) {
        const auto kepler = [](Drawn& d) -> KeplerOrbit& { return std::get<KeplerOrbit>(d.scene.orbit); };
        add([=](Drawn& d) { return set(kepler(d).eccentricity, 0.0); });
        add([=](Drawn& d) { return set(kepler(d).node_deg, 0.0); });
        add([=](Drawn& d) { return set(kepler(d).latitude_argument_deg, 0.0); });
        add(rounding([=](Drawn& d) -> double& { return kepler(d).altitude_m; }, 1));
    }
    add([](Drawn& d) { return set(d.scene.beam.steering, Steering::zero_doppler); });
    add([](Drawn& d) { return set(d.scene.beam.yaw_deg, 0.0); });
    // Smaller.
    add([](Drawn& d) { return d.strip_lines < 40 ? false : (d.strip_lines = std::round(0.5 * d.strip_lines), true); });
    add([](Drawn& d) {
        return d.swath_samples < 40 ? false : (d.swath_samples = std::round(0.5 * d.swath_samples), true);
    });
    // Round numbers.
    for (std::size_t i = 0; i < drawn.places.size(); ++i) {
        add([i](Drawn& d) { return i < d.places.size() && set(d.places[i].amplitude, 1.0); });
        add([i](Drawn& d) { return i < d.places.size() && set(d.places[i].phase_deg, 0.0); });
        if (drawn.places.size() > 1) continue;
        add([i](Drawn& d) { return i < d.places.size() && set(d.places[i].azimuth, 0.5); });
        add([i](Drawn& d) { return i < d.places.size() && set(d.places[i].range, 0.5); });
    }
    for (double Scene::*number :
         {&Scene::carrier_hz, &Scene::near_range_m, &Scene::prf_hz, &Scene::sample_rate_hz, &Scene::chirp_slope_hz_s,
          &Scene::chirp_duration_s, &Scene::azimuth_bandwidth_hz, &Scene::velocity_m_s, &Scene::doppler_centroid_hz})
        for (const int digits : {1, 2}) add(rounding([=](Drawn& d) -> double& { return d.scene.*number; }, digits));
    return steps;
}

}  // namespace

Drawn simplest(Drawn drawn, const std::function<bool(const Drawn&)>& fails, int most_tries) {
    int tries = 0;
    for (bool simpler = true; simpler && tries < most_tries;) {
        simpler = false;
        for (const Step& step : steps_for(drawn)) {
            // A step that worked is taken again: half of a half.
            for (; tries < most_tries; ++tries) {
                Drawn other = drawn;
                if (!step(other) || !fails(other)) break;
                drawn = std::move(other);
                simpler = true;
            }
            if (tries >= most_tries) break;
            ++tries;
        }
    }
    return drawn;
}

}  // namespace cornerturn::campaign
