// SPDX-License-Identifier: Apache-2.0
// Presets, target placement and validation of simulated scenes.
#include "pipeline/proof/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"

namespace cornerturn {
namespace {

constexpr std::int64_t max_side = std::int64_t{1} << 24;
constexpr double grid_margin_pixels = 80;  // room for a chip of 64 pixels each way around every target
constexpr double grid_minimum_pixels = 120;

/// C band, the radar of the RADARSAT-1 fine beam.
Scene spaceborne() {
    Scene scene;
    scene.carrier_hz = 5.3e9;
    scene.prf_hz = 1256.98;
    scene.sample_rate_hz = 32.317e6;
    scene.near_range_m = 993513.0;
    scene.lines = 4096;
    scene.samples = 4096;
    scene.chirp_slope_hz_s = -0.72135e12;
    scene.chirp_duration_s = 41.74e-6;
    scene.velocity_m_s = 7062;
    scene.azimuth_bandwidth_hz = 1005;
    scene.altitude_m = 798e3;
    return scene;
}

Scene squint() {
    Scene scene = spaceborne();
    scene.doppler_centroid_hz = -6900;
    return scene;
}

/// X band. The beam is narrow enough that the curved support of the spectrum (f0 (1 - cos theta) = 1.5 MHz at the edge
/// of the beam, 2 % of the chirp) moves the integrated sidelobes by less than 0.1 dB from those of a rectangle.
Scene airborne() {
    Scene scene;
    scene.carrier_hz = 9.65e9;
    scene.prf_hz = 400;
    scene.sample_rate_hz = 100e6;
    scene.near_range_m = 16000;
    scene.lines = 4096;
    scene.samples = 4096;
    scene.chirp_slope_hz_s = 7.2e12;
    scene.chirp_duration_s = 10e-6;
    scene.velocity_m_s = 120;
    scene.doppler_centroid_hz = 60;
    scene.azimuth_bandwidth_hz = 150;
    scene.altitude_m = 5000;
    return scene;
}

/// C band over a yaw-steered antenna, the radar of a Sentinel-1 stripmap beam.
Scene sentinel() {
    Scene scene;
    scene.carrier_hz = 5.405e9;
    scene.prf_hz = 1700;
    scene.sample_rate_hz = 48e6;
    scene.near_range_m = 850e3;
    scene.lines = 4096;
    scene.samples = 4096;
    scene.chirp_slope_hz_s = 1.0e12;
    scene.chirp_duration_s = 42e-6;
    scene.azimuth_bandwidth_hz = 1300;
    scene.orbit = KeplerOrbit{.altitude_m = 693e3,
                              .eccentricity = 0.0011,
                              .inclination_deg = 98.18,
                              .node_deg = 35,
                              .perigee_deg = 90,
                              .latitude_argument_deg = 48};
    return scene;
}

/// L band, apertures of 3700 lines, two polarizations.
Scene nisar() {
    Scene scene;
    scene.carrier_hz = 1.257e9;
    scene.prf_hz = 1650;
    scene.sample_rate_hz = 24e6;
    scene.near_range_m = 900e3;
    scene.lines = 8192;
    scene.samples = 2048;
    scene.chirp_slope_hz_s = 1.0e12;
    scene.chirp_duration_s = 20e-6;
    scene.azimuth_bandwidth_hz = 1100;
    scene.look_side = LookSide::left;
    scene.polarizations = {"HH", "HV"};
    scene.orbit = KeplerOrbit{.altitude_m = 747e3,
                              .eccentricity = 0.0012,
                              .inclination_deg = 98.4,
                              .node_deg = -70,
                              .perigee_deg = 90,
                              .latitude_argument_deg = 30};
    return scene;
}

/// X band with a beam of 3000 Hz: azimuth pixels of 2 m.
Scene xfine() {
    Scene scene;
    scene.carrier_hz = 9.65e9;
    scene.prf_hz = 3600;
    scene.sample_rate_hz = 120e6;
    scene.near_range_m = 600e3;
    scene.lines = 4096;
    scene.samples = 4096;
    scene.chirp_slope_hz_s = -1.0e13;
    scene.chirp_duration_s = 10e-6;
    scene.azimuth_bandwidth_hz = 3000;
    scene.orbit = KeplerOrbit{.altitude_m = 514e3,
                              .eccentricity = 0.0003,
                              .inclination_deg = 97.44,
                              .node_deg = 10,
                              .perigee_deg = 90,
                              .latitude_argument_deg = -25};
    return scene;
}

/// The radar of `spaceborne` on its orbit, with an antenna that is not steered: f_dc from -6880 to -7090 Hz over the
/// swath.
Scene radarsat() {
    Scene scene = spaceborne();
    scene.velocity_m_s = 0;
    scene.altitude_m.reset();
    scene.orbit = KeplerOrbit{.altitude_m = 792e3,
                              .eccentricity = 0.0011,
                              .inclination_deg = 98.6,
                              .node_deg = -110,
                              .perigee_deg = 90,
                              .latitude_argument_deg = 49};
    scene.beam = {.steering = Steering::fixed, .yaw_deg = 0.16, .pitch_deg = 0};
    return scene;
}

/// C band, an antenna that is not steered: over the swath the centroid changes by more than the PRF exceeds the beam
/// (-10292 to -10858 Hz), and range coupling differs from one end of the band to the other.
Scene wide() {
    Scene scene;
    scene.carrier_hz = 5.3e9;
    scene.prf_hz = 1257;
    scene.sample_rate_hz = 36e6;
    scene.near_range_m = 890e3;
    scene.lines = 2816;
    scene.samples = 5632;
    scene.chirp_slope_hz_s = 2.5e12;
    scene.chirp_duration_s = 12e-6;
    scene.azimuth_bandwidth_hz = 1000;
    scene.orbit = KeplerOrbit{.altitude_m = 735e3,
                              .eccentricity = 0.0011,
                              .inclination_deg = 98.4,
                              .node_deg = 70,
                              .perigee_deg = 40,
                              .latitude_argument_deg = -15};
    scene.beam = {.steering = Steering::fixed, .yaw_deg = 0.5, .pitch_deg = 0.05};
    return scene;
}

/// X band, an aircraft that sways as those of campaigns do, at a speed that falls.
Scene aircraft() {
    Scene scene;
    scene.carrier_hz = 9.6e9;
    scene.prf_hz = 400;
    scene.sample_rate_hz = 80e6;
    scene.near_range_m = 4600;
    scene.lines = 5120;
    scene.samples = 1024;
    scene.chirp_slope_hz_s = -15e12;
    scene.chirp_duration_s = 4e-6;
    scene.azimuth_bandwidth_hz = 110;
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
    return scene;
}

/// Ku band, 0.3 m by 0.1 m, from a small aeroplane 120 m high in light air: gusts of a kilometre an hour.
Scene drone() {
    Scene scene;
    scene.carrier_hz = 17.2e9;
    scene.prf_hz = 150;
    scene.sample_rate_hz = 500e6;
    scene.near_range_m = 180;
    scene.lines = 3072;
    scene.samples = 1536;
    scene.chirp_slope_hz_s = 4.4e14;
    scene.chirp_duration_s = 1e-6;
    scene.azimuth_bandwidth_hz = 110;
    Flight flight;
    flight.latitude_deg = 52.5;
    flight.longitude_deg = 13.4;
    flight.altitude_m = 120;
    flight.heading_deg = 305;
    flight.speed_m_s = 14;
    flight.turbulence = {.gust_m_s = 0.28, .autopilot_hz = 0.3, .seed = 11};
    scene.orbit = flight;
    scene.beam.steering = Steering::fixed;
    return scene;
}

/// P band, a beam of 40 degrees: spectra are sectors of a ring, and apertures nearly as long as the range.
Scene pband() {
    Scene scene;
    scene.carrier_hz = 435e6;
    scene.prf_hz = 250;
    scene.sample_rate_hz = 120e6;
    scene.near_range_m = 2000;
    scene.lines = 6400;
    scene.samples = 1024;
    scene.chirp_slope_hz_s = 40e12;
    scene.chirp_duration_s = 2e-6;
    scene.velocity_m_s = 100;
    scene.azimuth_bandwidth_hz = 198.5;  // 4 V sin(20 degrees) / lambda
    scene.altitude_m = 1200;
    return scene;
}

struct Preset {
    std::string_view name;
    Scene (*make)();
};
constexpr std::array presets{Preset{"airborne", airborne}, Preset{"aircraft", aircraft},
                             Preset{"drone", drone},       Preset{"nisar", nisar},
                             Preset{"pband", pband},       Preset{"radarsat", radarsat},
                             Preset{"sentinel", sentinel}, Preset{"spaceborne", spaceborne},
                             Preset{"squint", squint},     Preset{"wide", wide},
                             Preset{"xfine", xfine}};

[[noreturn]] void refuse(std::string_view key, double value, const std::string& limit, std::string_view way_out) {
    throw InputError(fmt::format("scene: {} is {}, but {}; {}", key, value, limit, way_out));
}

void require_positive(std::string_view key, double value) {
    if (!(std::isfinite(value) && value > 0))
        refuse(key, value, "must be a number above 0", fmt::format("give {} its true value", key));
}

void require_finite(std::string_view key, double value) {
    if (!std::isfinite(value))
        refuse(key, value, "must be a finite number", fmt::format("give {} its true value", key));
}

void require_side(std::string_view key, std::int64_t value) {
    if (value < 1 || value > max_side)
        throw InputError(fmt::format("scene: {} is {}, but must be 1 to {}; choose a size that fits the memory", key,
                                     value, max_side));
}

void validate_radar(const Scene& scene) {
    require_positive("carrier_hz", scene.carrier_hz);
    require_positive("prf_hz", scene.prf_hz);
    require_positive("sample_rate_hz", scene.sample_rate_hz);
    require_positive("near_range_m", scene.near_range_m);
    if (!scene.on_orbit()) require_positive("velocity_m_s", scene.velocity_m_s);
    require_positive("chirp_duration_s", scene.chirp_duration_s);
    require_positive("azimuth_bandwidth_hz", scene.azimuth_bandwidth_hz);
    require_finite("chirp_slope_hz_s", scene.chirp_slope_hz_s);
    require_finite("doppler_centroid_hz", scene.doppler_centroid_hz);
    require_finite("first_pulse_time_s", scene.first_pulse_time_s);
    require_side("lines", scene.lines);
    require_side("samples", scene.samples);
    if (!(scene.dither >= 0 && scene.dither <= 0.25))
        refuse("dither", scene.dither, "must be 0 to 0.25", "give it in parts of an interval");
    if (!(scene.lost_lines >= 0 && scene.lost_lines <= 0.5))
        refuse("lost_lines", scene.lost_lines, "must be 0 to 0.5", "give it in parts of all lines");
    if (scene.chirp_slope_hz_s == 0)
        refuse("chirp_slope_hz_s", 0, "must not be 0", "a down-chirp is negative, an up-chirp positive");
}

void require_height(std::string_view key, double value) {
    if (!(std::abs(value) <= 20000))
        refuse(key, value, "must be -20000 to 20000", "give the height above the ellipsoid in metres");
}

void require_below(std::string_view key, double value, double limit) {
    if (!(std::abs(value) < limit)) refuse(key, value, fmt::format("must lie within +-{}", limit), "check its unit");
}

void validate_sway(const Flight& flight) {
    constexpr double fastest_hz = 10, most_m_s2 = 50;
    for (std::size_t i = 0; i < flight.sway.size(); ++i) {
        const SwayWave& wave = flight.sway[i];
        const auto name = [&](std::string_view key) { return fmt::format("flight.sway[{}].{}", i, key); };
        if (!(wave.frequency_hz >= 0 && wave.frequency_hz <= fastest_hz))
            refuse(name("frequency_hz"), wave.frequency_hz, fmt::format("must be 0 to {:.0f}", fastest_hz),
                   "faster motion is vibration, which no track tells");
        require_below(name("phase_deg"), wave.phase_deg, 361);
        const double rate = 2 * std::numbers::pi * wave.frequency_hz;
        for (const auto& [key, amplitude_m] :
             {std::pair{"along_m", wave.along_m}, std::pair{"across_m", wave.across_m}, std::pair{"up_m", wave.up_m}}) {
            require_below(name(key), amplitude_m, 1000);
            if (const double acceleration = std::abs(amplitude_m) * rate * rate; acceleration > most_m_s2)
                refuse(name(key), amplitude_m,
                       fmt::format("at {} Hz that is {:.4g} m/s2, and no aircraft bears more than {:.0f}",
                                   wave.frequency_hz, acceleration, most_m_s2),
                       "lower amplitude or frequency");
        }
    }
}

void validate_flight(const Scene& scene, const Flight& flight) {
    constexpr double slowest_part = 0.1;
    require_below("flight.latitude_deg", flight.latitude_deg, 89);
    require_below("flight.longitude_deg", flight.longitude_deg, 361);
    require_below("flight.heading_deg", flight.heading_deg, 361);
    if (!(flight.speed_m_s > 0 && flight.speed_m_s <= 1000))
        refuse("flight.speed_m_s", flight.speed_m_s, "must be above 0 and at most 1000", "give satellites an orbit");
    if (!(flight.altitude_m > scene.height_m && flight.altitude_m <= 30000))
        refuse("flight.altitude_m", flight.altitude_m,
               fmt::format("must lie above the ground, height_m {}, and not above 30000", scene.height_m),
               "give satellites an orbit");
    // Apertures reach beyond the record: as far again.
    const double duration_s = static_cast<double>(scene.lines - 1) / scene.prf_hz;
    const double most_m_s2 = (1 - slowest_part) * flight.speed_m_s / std::max(duration_s, 1e-9);
    if (!(std::abs(flight.acceleration_m_s2) <= most_m_s2))
        refuse("flight.acceleration_m_s2", flight.acceleration_m_s2,
               fmt::format("over {:.4g} s at {} m/s in their middle it must lie within +-{:.4g}", duration_s,
                           flight.speed_m_s, most_m_s2),
               "change the speed less, or record fewer lines");
    require_below("flight.side_acceleration_m_s2", flight.side_acceleration_m_s2, 20);
    if (const double r = std::abs(flight.turn_radius_m); r != 0) {
        if (!(r >= 10 && r <= 1e5))
            refuse("flight.turn_radius_m", flight.turn_radius_m, "must be 10 to 1e5, negative to the left, or 0",
                   "leave it out of a straight flight");
        if (flight.side_acceleration_m_s2 != 0)
            refuse("flight.side_acceleration_m_s2", flight.side_acceleration_m_s2,
                   fmt::format("the flight turns by turn_radius_m {}", flight.turn_radius_m), "leave one of them out");
    }
    validate_sway(flight);
    const Turbulence& turbulence = flight.turbulence;
    if (!(turbulence.gust_m_s >= 0 && turbulence.gust_m_s <= 10))
        refuse("flight.turbulence.gust_m_s", turbulence.gust_m_s, "must be 0 to 10",
               fmt::format("severe turbulence has {}", severe_gust_m_s));
    if (!(turbulence.autopilot_hz >= 0.02 && turbulence.autopilot_hz <= 2))
        refuse("flight.turbulence.autopilot_hz", turbulence.autopilot_hz, "must be 0.02 to 2",
               "a light aircraft's has 0.1");
}

void validate_orbit(const Scene& scene) {
    require_height("height_m", scene.height_m);
    if (!scene.on_orbit()) return;
    if (scene.beam.steering == Steering::spotlight) {
        require_below("beam.latitude_deg", scene.beam.spot.latitude_deg, 90.001);
        require_below("beam.longitude_deg", scene.beam.spot.longitude_deg, 361);
        if (!scene.targets || !scene.clutter.empty())
            throw InputError(
                "scene: a spotlight needs targets: by latitude_deg and longitude_deg, and no clutter: places of "
                "neither follow from lines and samples");
    }
    require_below("beam.yaw_deg", scene.beam.yaw_deg, 45);
    require_below("beam.pitch_deg", scene.beam.pitch_deg, 45);
    if (const auto* kepler = std::get_if<KeplerOrbit>(&scene.orbit)) {
        if (!(kepler->altitude_m > 1e5 && kepler->altitude_m < 1e8))
            refuse("orbit.altitude_m", kepler->altitude_m, "must be 1e5 to 1e8",
                   "give the semi-major axis less 6378137 m");
        if (!(kepler->eccentricity >= 0 && kepler->eccentricity < 0.9))
            refuse("orbit.eccentricity", kepler->eccentricity, "must be 0 to 0.9", "a circle has 0");
        require_below("orbit.inclination_deg", kepler->inclination_deg, 181);
        require_below("orbit.node_deg", kepler->node_deg, 361);
        require_below("orbit.perigee_deg", kepler->perigee_deg, 361);
        require_below("orbit.latitude_argument_deg", kepler->latitude_argument_deg, 361);
        return;
    }
    if (const auto* flight = std::get_if<Flight>(&scene.orbit)) {
        validate_flight(scene, *flight);
        return;
    }
    const auto& orbit = std::get<Orbit>(scene.orbit);
    if (orbit.time_s.size() < 4)
        throw InputError(
            fmt::format("scene: orbit has {} state vectors, but needs 4 or more; give those around the scene",
                        orbit.time_s.size()));
    for (std::size_t i = 1; i < orbit.time_s.size(); ++i)
        if (!(orbit.time_s[i] > orbit.time_s[i - 1]))
            throw InputError(
                fmt::format("scene: orbit.vectors[{}] is at {} s, not behind the one before at {} s; sort them by time",
                            i, orbit.time_s[i], orbit.time_s[i - 1]));
    const double last_s = scene.first_pulse_time_s + static_cast<double>(scene.lines - 1) / scene.prf_hz;
    if (orbit.time_s.front() > scene.first_pulse_time_s || orbit.time_s.back() < last_s)
        throw InputError(fmt::format(
            "scene: orbit covers {} to {} s, but pulses leave at {} to {} s; give state vectors that cover them",
            orbit.time_s.front(), orbit.time_s.back(), scene.first_pulse_time_s, last_s));
}

void validate_clutter(const Scene& scene) {
    for (std::size_t i = 0; i < scene.clutter.size(); ++i) {
        const ClutterPatch& patch = scene.clutter[i];
        const auto name = [&](std::string_view key) { return fmt::format("clutter[{}].{}", i, key); };
        for (const auto& [key, value] :
             {std::pair{"first_line", patch.first_line}, std::pair{"last_line", patch.last_line},
              std::pair{"first_sample", patch.first_sample}, std::pair{"last_sample", patch.last_sample}})
            require_finite(name(key), value);
        if (scene.near_range_m + patch.first_sample * scene.range_spacing_m() <= 0)
            refuse(name("first_sample"), patch.first_sample, "lies before the pulse left the antenna",
                   "move the patch");
        if (patch.last_line < patch.first_line)
            refuse(name("last_line"), patch.last_line, "lies before first_line", "swap them");
        if (patch.last_sample < patch.first_sample)
            refuse(name("last_sample"), patch.last_sample, "lies before first_sample", "swap them");
        if (patch.scatterers < 1 || patch.scatterers > 10000000)
            refuse(name("scatterers"), static_cast<double>(patch.scatterers), "must be 1 to 1e7",
                   "leave the patch out or thin it");
        if (!(std::abs(patch.power_db) <= 200))
            refuse(name("power_db"), patch.power_db, "must be -200 to 200 dB", "give it in dB");
    }
}

void validate_phase_error(const Scene& scene) {
    constexpr double most_rad = 1e4;
    const PhaseError& error = scene.phase_error;
    for (const auto& [key, value] :
         {std::pair{"quadratic_rad", error.quadratic_rad}, std::pair{"sine_rad", error.sine_rad},
          std::pair{"sine_cycles", error.sine_cycles}, std::pair{"walk_rad", error.walk_rad}})
        if (!(std::abs(value) <= most_rad))
            refuse(fmt::format("phase_error.{}", key), value, fmt::format("must lie within +-{:.0f}", most_rad),
                   "check its unit");
}

void validate_polarizations(const Scene& scene) {
    const bool known = std::all_of(scene.polarizations.begin(), scene.polarizations.end(), [](const std::string& name) {
        return name.size() == 2 && (name[0] == 'H' || name[0] == 'V') && (name[1] == 'H' || name[1] == 'V');
    });
    const bool one = !scene.polarizations.empty() && known && scene.polarizations.size() <= 2 &&
                     scene.polarizations.front()[0] == scene.polarizations.back()[0] &&
                     (scene.polarizations.size() == 1 || scene.polarizations[0] != scene.polarizations[1]);
    if (!one)
        throw InputError(
            fmt::format("scene: polarizations are [{}], but must be one or two with the same first letter; choose of "
                        "HH, HV or of VH, VV",
                        fmt::join(scene.polarizations, ", ")));
}

void validate_relations(const Scene& scene) {
    const double bandwidth_hz = std::abs(scene.chirp_slope_hz_s) * scene.chirp_duration_s;
    if (bandwidth_hz > scene.sample_rate_hz)
        refuse("chirp bandwidth |chirp_slope_hz_s| * chirp_duration_s", bandwidth_hz,
               fmt::format("complex samples at sample_rate_hz {} hold no more than that", scene.sample_rate_hz),
               "shorten the chirp, lower its slope or raise the rate");
    if (scene.chirp_duration_s * scene.sample_rate_hz > static_cast<double>(scene.samples))
        refuse("chirp_duration_s", scene.chirp_duration_s,
               fmt::format("that is {:.0f} samples and a line has {}",
                           std::ceil(scene.chirp_duration_s * scene.sample_rate_hz), scene.samples),
               "shorten the chirp or raise samples");
    if (scene.azimuth_bandwidth_hz > scene.prf_hz)
        refuse("azimuth_bandwidth_hz", scene.azimuth_bandwidth_hz, fmt::format("prf_hz is only {}", scene.prf_hz),
               "narrow the beam or raise the PRF");
    if (scene.on_orbit()) return;
    const double fastest_hz = 2.0 * scene.velocity_m_s / scene.wavelength_m();
    if (std::max(std::abs(scene.doppler_low_hz()), std::abs(scene.doppler_high_hz())) >= 0.999 * fastest_hz)
        refuse("doppler_centroid_hz", scene.doppler_centroid_hz,
               fmt::format("with half of azimuth_bandwidth_hz it must stay below 2 V / lambda = {:.6g} Hz", fastest_hz),
               "lower it or check velocity_m_s and carrier_hz");
    if (scene.altitude_m) {
        const double sine = scene.doppler_centroid_hz / fastest_hz,
                     closest_m = scene.near_range_m * std::sqrt(1 - sine * sine);
        if (!(*scene.altitude_m >= 0 && *scene.altitude_m < closest_m))
            refuse("altitude_m", *scene.altitude_m,
                   fmt::format("must be 0 to {:.6g}, the near range at zero Doppler", closest_m),
                   "fly lower or look farther");
    }
}

void validate_output(const Scene& scene) {
    if (scene.sample_type != SampleFormat::complex64 && scene.sample_type != SampleFormat::int8 &&
        scene.sample_type != SampleFormat::int16)
        throw InputError("scene: sample_type is none that the simulator writes; choose f32, int16 or int8");
    if (scene.noise_db && !(std::abs(*scene.noise_db) <= 200))
        refuse("noise_db", *scene.noise_db, "must be -200 to 200 dB", "leave it out for an echo without noise");
}

void validate_target(const Scene& scene, const SceneGeometry& geometry, const SceneTarget& target, std::size_t index) {
    const auto name = [&](std::string_view key) { return fmt::format("targets[{}].{}", index, key); };
    require_finite(name("phase_deg"), target.phase_deg);
    if (!(target.amplitude >= 0 && target.amplitude <= 1e6))
        refuse(name("amplitude"), target.amplitude, "must be 0 to 1e6",
               "give a magnitude; its sign belongs into phase_deg");
    if (const auto* beam = std::get_if<BeamCentrePosition>(&target.position)) {
        require_finite(name("line"), beam->line);
        require_finite(name("sample"), beam->sample);
        if (scene.near_range_m + beam->sample * scene.range_spacing_m() <= 0)
            refuse(name("sample"), beam->sample, "lies before the pulse left the antenna", "move the target");
    } else if (const auto* closest = std::get_if<ZeroDopplerPosition>(&target.position)) {
        require_positive(name("range_m"), closest->range_m);
        require_finite(name("zero_doppler_time_s"), closest->time_s);
    } else {
        require_finite(name("latitude_deg"), std::get<GroundPosition>(target.position).latitude_deg);
        require_finite(name("longitude_deg"), std::get<GroundPosition>(target.position).longitude_deg);
    }
    require_height(name("height_m"), target.height_m.value_or(scene.height_m));
    if (scene.on_orbit() && scene.beam.steering == Steering::spotlight &&
        !std::holds_alternative<GroundPosition>(target.position))
        throw InputError(
            fmt::format("scene: targets[{}] is given by rows or lines, which a spotlight does not pass over; give it "
                        "latitude_deg and longitude_deg",
                        index));
    const LocatedTarget located = geometry.locate(target);
    if (geometry.seen_again(located.place_m))
        throw InputError(
            fmt::format("scene: targets[{}] leaves the spotlight and comes into it again, of which only one stretch "
                        "can be told; move it nearer to the spot",
                        index));
    const Footprint seen = geometry.footprint(located.place_m);
    if (!std::isfinite(seen.lines.first + seen.lines.last + seen.first_edge + seen.last_edge))
        throw InputError(fmt::format("scene: targets[{}] lies where no echo can be computed; move it nearer", index));
    const Vec3 antenna_m = geometry.radar().track()(located.truth.zero_doppler_time_s).position_m;
    if (scene.on_orbit() && (std::abs(to_geodetic(located.place_m).height_m - located.truth.height_m) > 1 ||
                             incidence_angle_rad(antenna_m, located.place_m) > std::numbers::pi / 2))
        throw InputError(
            fmt::format("scene: targets[{}] at a range of {:.6g} m is nowhere on the ground, which the antenna sees "
                        "from {:.6g} m to the "
                        "horizon; check its "
                        "place, near_range_m and the orbit's altitude_m",
                        index, located.truth.range_m, geometry.altitude_m()));
    const double last = static_cast<double>(scene.lines - 1);
    if (seen.lines.last < 0 || seen.lines.first > last)
        throw InputError(
            fmt::format("scene: targets[{}] is in the beam in lines {:.1f} to {:.1f}, but the echo has lines 0 to {}; "
                        "move the target or "
                        "record more lines",
                        index, seen.lines.first, seen.lines.last, scene.lines - 1));
    const double end = seen.last_edge + scene.chirp_duration_s * scene.sample_rate_hz;
    if (end <= 0 || seen.first_edge > static_cast<double>(scene.samples - 1))
        throw InputError(
            fmt::format("scene: targets[{}] echoes in samples {:.1f} to {:.1f}, but a line has samples 0 to {}; move "
                        "the target or record more samples",
                        index, seen.first_edge, end, scene.samples - 1));
}

/// Fraction of a pixel of grid target k: irregular, never near a pixel centre's symmetry.
double grid_fraction(int k) {
    const double value = 0.618033988749895 * (k + 1);
    return value - std::floor(value);
}

std::vector<SceneTarget> grid_targets(const Scene& scene) {
    const SceneGeometry geometry(scene);
    const BeamCentrePosition farthest{0.5 * static_cast<double>(scene.lines - 1), static_cast<double>(scene.samples)};
    const Footprint reach = geometry.footprint(geometry.place_in_beam(farthest, scene.height_m));
    const double centre_edge = static_cast<double>(scene.samples);
    const double chirp_samples = scene.chirp_duration_s * scene.sample_rate_hz;
    const double first_line = grid_margin_pixels + (farthest.line - reach.lines.first);
    const double last_line =
        static_cast<double>(scene.lines - 1) - (reach.lines.last - farthest.line) - grid_margin_pixels;
    const double first_sample = grid_margin_pixels + (centre_edge - reach.first_edge);
    const double last_sample = centre_edge - chirp_samples - (reach.last_edge - centre_edge) - grid_margin_pixels;
    const auto check = [](std::string_view key, std::int64_t size, double room) {
        if (room < grid_minimum_pixels)
            throw InputError(fmt::format(
                "scene: {} is {}, but nine targets seen whole need at least {:.0f}; raise {} or list your own targets",
                key, size, std::ceil(static_cast<double>(size) + grid_minimum_pixels - room), key));
    };
    check("lines", scene.lines, last_line - first_line);
    check("samples", scene.samples, last_sample - first_sample);

    std::vector<SceneTarget> targets;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            // A slightly turned grid: the sidelobes of one target run past the others.
            const int k = 3 * i + j;
            const double line =
                std::floor(first_line + (last_line - first_line) * (0.45 * i + 0.05 * j)) + grid_fraction(k);
            const double sample =
                std::floor(first_sample + (last_sample - first_sample) * (0.45 * j + 0.05 * i)) + grid_fraction(k + 20);
            targets.push_back({BeamCentrePosition{line, sample}, 1.0 - 0.05 * ((4 * k) % 9), -160.0 + 37.0 * k});
        }
    }
    return targets;
}

}  // namespace

Scene preset_scene(std::string_view name) {
    for (const Preset& preset : presets)
        if (preset.name == name) return preset.make();
    throw InputError(fmt::format("scene: no preset '{}'; the presets are {}", name, fmt::join(preset_names(), ", ")));
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const Preset& preset : presets) names.emplace_back(preset.name);
    return names;
}

std::vector<SceneTarget> scene_targets(const Scene& scene) {
    return scene.targets ? *scene.targets : grid_targets(scene);
}

void validate(const Scene& scene) {
    validate_radar(scene);
    validate_relations(scene);
    validate_orbit(scene);
    validate_clutter(scene);
    validate_phase_error(scene);
    validate_polarizations(scene);
    validate_output(scene);
    const std::vector<SceneTarget> targets = scene_targets(scene);
    if (targets.empty() && scene.clutter.empty() && !scene.noise_db)
        throw InputError(
            "scene: no targets, no clutter and no noise_db, the echo would be empty; add a target or noise");
    const SceneGeometry geometry(scene);
    for (std::size_t i = 0; i < targets.size(); ++i) validate_target(scene, geometry, targets[i], i);
}

PointTarget locate(const Scene& scene, const SceneTarget& target) { return SceneGeometry(scene).locate(target).truth; }

std::vector<std::string> coverage_warnings(const Scene& scene) {
    std::vector<std::string> warnings;
    const std::vector<SceneTarget> targets = scene_targets(scene);
    const SceneGeometry geometry(scene);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const Footprint seen = geometry.footprint(geometry.locate(targets[i]).place_m);
        const double end = seen.last_edge + scene.chirp_duration_s * scene.sample_rate_hz;
        if (seen.lines.first >= 0 && seen.lines.last <= static_cast<double>(scene.lines - 1) && seen.first_edge >= 0 &&
            end <= static_cast<double>(scene.samples))
            continue;
        warnings.push_back(
            fmt::format("target {}: its echo fills lines {:.1f} to {:.1f} and samples {:.1f} to {:.1f}, a part of that "
                        "lies outside {} x {}",
                        i, seen.lines.first, seen.lines.last, seen.first_edge, end, scene.lines, scene.samples));
    }
    return warnings;
}

}  // namespace cornerturn
