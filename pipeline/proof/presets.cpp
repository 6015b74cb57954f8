// SPDX-License-Identifier: Apache-2.0
// The scenes that have names.
#include <fmt/format.h>

#include <cmath>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene.h"

namespace cornerturn {
namespace {

void fly_straight(Scene& scene, double velocity_m_s, double altitude_m, double doppler_centroid_hz = 0) {
    scene.velocity_m_s = velocity_m_s;
    scene.altitude_m = altitude_m;
    scene.doppler_centroid_hz = doppler_centroid_hz;
}

/// C band, the radar of the RADARSAT-1 fine beam.
void spaceborne(Scene& scene) { fly_straight(scene, 7062, 798e3); }

void squint(Scene& scene) { fly_straight(scene, 7062, 798e3, -6900); }

/// X band. The beam is narrow enough that the curved support of the spectrum (f0 (1 - cos theta) = 1.5 MHz at the edge
/// of the beam, 2 % of the chirp) moves the integrated sidelobes by less than 0.1 dB from those of a rectangle.
void airborne(Scene& scene) { fly_straight(scene, 120, 5000, 60); }

/// P band, a beam of 40 degrees: spectra are sectors of a ring, and apertures nearly as long as the range. The band is
/// 4 V sin(20 degrees) / lambda.
void pband(Scene& scene) { fly_straight(scene, 100, 1200); }

KeplerOrbit orbit(double altitude_m, double eccentricity, double inclination_deg, double node_deg, double perigee_deg,
                  double latitude_argument_deg) {
    return {altitude_m, eccentricity, inclination_deg, node_deg, perigee_deg, latitude_argument_deg};
}

/// C band over a yaw-steered antenna, the radar of a Sentinel-1 stripmap beam.
void sentinel(Scene& scene) { scene.orbit = orbit(693e3, 0.0011, 98.18, 35, 90, 48); }

/// L band, apertures of 3700 lines, two polarizations.
void nisar(Scene& scene) {
    scene.orbit = orbit(747e3, 0.0012, 98.4, -70, 90, 30);
    scene.look_side = LookSide::left;
    scene.polarizations = {"HH", "HV"};
}

/// X band with a beam of 3000 Hz: azimuth pixels of 2 m.
void xfine(Scene& scene) { scene.orbit = orbit(514e3, 0.0003, 97.44, 10, 90, -25); }

/// The radar of `spaceborne` on its orbit, with an antenna that is not steered: f_dc from -6880 to -7090 Hz over the
/// swath.
void radarsat(Scene& scene) {
    scene.orbit = orbit(792e3, 0.0011, 98.6, -110, 90, 49);
    scene.beam = {.steering = Steering::fixed, .yaw_deg = 0.16};
}

/// C band, an antenna that is not steered: over the swath the centroid changes by more than the PRF exceeds the beam
/// (-10292 to -10858 Hz), and range coupling differs from one end of the band to the other.
void wide(Scene& scene) {
    scene.orbit = orbit(735e3, 0.0011, 98.4, 70, 40, -15);
    scene.beam = {.steering = Steering::fixed, .yaw_deg = 0.5, .pitch_deg = 0.05};
}

/// X band, an aircraft that sways as those of campaigns do, at a speed that falls.
void aircraft(Scene& scene) {
    Flight flight;
    flight.latitude_deg = 48.1;
    flight.longitude_deg = 11.3;
    flight.altitude_m = 2900;
    flight.heading_deg = 70;
    flight.speed_m_s = 85;
    flight.acceleration_m_s2 = -0.15;
    flight.sway = {{.up_m = 0.8, .frequency_hz = 0.05, .phase_deg = 40},
                   {.up_m = 0.04, .frequency_hz = 0.3, .phase_deg = 11},
                   {.across_m = 1.5, .frequency_hz = 0.04, .phase_deg = 75},
                   {.across_m = 0.05, .frequency_hz = 0.35, .phase_deg = 143},
                   {.along_m = 0.2, .frequency_hz = 0.1, .phase_deg = 23}};
    scene.orbit = flight;
    scene.beam.steering = Steering::fixed;
}

/// Ku band, 0.3 m by 0.1 m, from a small aeroplane 120 m high in light air: gusts of a kilometre an hour.
void drone(Scene& scene) {
    Flight flight;
    flight.latitude_deg = 52.5;
    flight.longitude_deg = 13.4;
    flight.altitude_m = 120;
    flight.heading_deg = 305;
    flight.speed_m_s = 14;
    flight.turbulence = {.gust_m_s = 0.28, .autopilot_hz = 0.3, .seed = 11};
    scene.orbit = flight;
    scene.beam.steering = Steering::fixed;
}

/// The beam is held on a place at a range from mid scene, so many degrees ahead; `beyond` of that range further along
/// the line of sight, below the ground, where it slides.
void hold(Scene& scene, double range_m, double squint_deg, double beyond) {
    const StateVector antenna =
        kepler_track(std::get<KeplerOrbit>(scene.orbit), scene.first_pulse_time_s)(scene.mid_time_s());
    const Vec3 place_m = place_at(antenna.position_m, antenna.velocity_m_s, range_m, std::sin(squint_deg * degree),
                                  scene.height_m, scene.look_side);
    const Geodetic spot = to_geodetic(place_m + beyond * (place_m - antenna.position_m));
    scene.beam = {.steering = Steering::spotlight, .spot = {spot.latitude_deg, spot.longitude_deg}};
    if (beyond > 0) scene.beam.spot_height_m = spot.height_m;
}

/// X band, half a metre, a beam that is turned ahead and held on a place.
void spotlight(Scene& scene) {
    scene.orbit = orbit(525e3, 0.0006, 97.5, -118, 90, 34);
    scene.height_m = 240;
    hold(scene, 655e3, 12, 0);
}

/// X band, a metre, two polarizations: the beam is held on a place 22 km below the ground and slides over a scene that
/// is longer than it lights at a time.
void sliding(Scene& scene) {
    scene.orbit = orbit(505e3, 0.0004, 97.4, 25, 80, -37);
    scene.height_m = 65;
    scene.look_side = LookSide::left;
    scene.polarizations = {"VV", "VH"};
    hold(scene, 620e3, 0, 0.045);
}

struct Preset {
    std::string_view name;
    void (*fly)(Scene&);  ///< track, beam and what is unusual
    double carrier_hz, prf_hz, sample_rate_hz, near_range_m;
    std::int64_t lines, samples;
    double chirp_slope_hz_s, chirp_duration_s, azimuth_bandwidth_hz;
};
// clang-format off
constexpr Preset presets[] = {
//   name          flight     carrier      PRF  sampling  near range  lines  samples        slope  duration   beam
    {"airborne",   airborne,    9.65e9,     400,    100e6,      16000,  4096,    4096,      7.2e12,    10e-6,   150},
    {"aircraft",   aircraft,     9.6e9,     400,     80e6,       4600,  5120,    1024,      -15e12,     4e-6,   110},
    {"drone",      drone,       17.2e9,     150,    500e6,        180,  3072,    1536,      4.4e14,     1e-6,   110},
    {"nisar",      nisar,      1.257e9,    1650,     24e6,      900e3,  8192,    2048,      1.0e12,    20e-6,  1100},
    {"pband",      pband,        435e6,     250,    120e6,       2000,  6400,    1024,       40e12,     2e-6, 198.5},
    {"radarsat",   radarsat,     5.3e9, 1256.98, 32.317e6,   993513.0,  4096,    4096, -0.72135e12, 41.74e-6,  1005},
    {"sentinel",   sentinel,   5.405e9,    1700,     48e6,      850e3,  4096,    4096,      1.0e12,    42e-6,  1300},
    {"sliding",    sliding,     9.65e9,     480,    180e6,   619.7e3,   1300,    1620,       3.0e13,     5e-6,   330},
    {"spaceborne", spaceborne,   5.3e9, 1256.98, 32.317e6,   993513.0,  4096,    4096, -0.72135e12, 41.74e-6,  1005},
    {"spotlight",  spotlight,   9.65e9,     600,    360e6,   654.8e3,   1600,    2700,       6.0e13,     5e-6,   420},
    {"squint",     squint,       5.3e9, 1256.98, 32.317e6,   993513.0,  4096,    4096, -0.72135e12, 41.74e-6,  1005},
    {"wide",       wide,         5.3e9,    1257,     36e6,      890e3,  2816,    5632,      2.5e12,    12e-6,  1000},
    {"xfine",      xfine,       9.65e9,    3600,    120e6,      600e3,  4096,    4096,     -1.0e13,    10e-6,  3000},
};
// clang-format on

}  // namespace

Scene preset_scene(std::string_view name) {
    for (const Preset& preset : presets) {
        if (preset.name != name) continue;
        Scene scene{.carrier_hz = preset.carrier_hz,
                    .prf_hz = preset.prf_hz,
                    .sample_rate_hz = preset.sample_rate_hz,
                    .near_range_m = preset.near_range_m,
                    .lines = preset.lines,
                    .samples = preset.samples,
                    .chirp_slope_hz_s = preset.chirp_slope_hz_s,
                    .chirp_duration_s = preset.chirp_duration_s,
                    .azimuth_bandwidth_hz = preset.azimuth_bandwidth_hz};
        preset.fly(scene);
        return scene;
    }
    throw InputError(fmt::format("scene: no preset '{}'; the presets are {}", name, fmt::join(preset_names(), ", ")));
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const Preset& preset : presets) names.emplace_back(preset.name);
    return names;
}

}  // namespace cornerturn
