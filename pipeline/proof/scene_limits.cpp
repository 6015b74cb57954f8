// SPDX-License-Identifier: Apache-2.0
// Which scenes can be simulated: ranges of all numbers, and what has to go together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene.h"
#include "pipeline/proof/scene_geometry.h"

namespace cornerturn {
namespace {

constexpr std::int64_t max_side = std::int64_t{1} << 24;
constexpr double largest_double = std::numeric_limits<double>::max(),
                 above_0 = std::numeric_limits<double>::denorm_min();

[[noreturn]] void refuse(std::string_view key, double value, const std::string& limit, std::string_view way_out) {
    throw InputError(fmt::format("scene: {} is {}, but {}; {}", key, value, limit, way_out));
}

/// What a number may be, in numbers and words.
struct Range {
    double low, high;
    std::string limit, way_out;
};
Range between(double low, double high, std::string limit, std::string way_out) {
    return {low, high, "must be " + std::move(limit), std::move(way_out)};
}
/// Short of a limit either way.
Range within(double limit) {
    const double last = std::nextafter(limit, 0.0);
    return {-last, last, fmt::format("must lie within +-{}", limit), "check its unit"};
}
const Range positive_range{above_0, largest_double, "must be a number above 0", ""},
    finite_range{-largest_double, largest_double, "must be a finite number", ""},
    height_range = between(-20000, 20000, "-20000 to 20000", "give the height above the ellipsoid in metres"),
    power_range = between(-200, 200, "-200 to 200 dB", "give it in dB"), turn_range = within(361);

void require(const std::string& key, double value, const Range& range) {
    if (!(value >= range.low && value <= range.high))
        refuse(key, value, range.limit,
               range.way_out.empty() ? fmt::format("give {} its true value", key) : range.way_out);
}

struct Ranged {
    std::string_view key;
    double value;
    Range range;
};
void require_all(const std::vector<Ranged>& numbers) {
    for (const Ranged& number : numbers) require(std::string(number.key), number.value, number.range);
}

void require_side(std::string_view key, std::int64_t value) {
    if (value < 1 || value > max_side)
        throw InputError(fmt::format("scene: {} is {}, but must be 1 to {}; choose a size that fits the memory", key,
                                     value, max_side));
}

void validate_radar(const Scene& scene) {
    require_all({{"carrier_hz", scene.carrier_hz, positive_range},
                 {"prf_hz", scene.prf_hz, positive_range},
                 {"sample_rate_hz", scene.sample_rate_hz, positive_range},
                 {"near_range_m", scene.near_range_m, positive_range},
                 {"chirp_duration_s", scene.chirp_duration_s, positive_range},
                 {"azimuth_bandwidth_hz", scene.azimuth_bandwidth_hz, positive_range},
                 {"chirp_slope_hz_s", scene.chirp_slope_hz_s, finite_range},
                 {"doppler_centroid_hz", scene.doppler_centroid_hz, finite_range},
                 {"first_pulse_time_s", scene.first_pulse_time_s, finite_range},
                 {"dither", scene.dither, between(0, 0.25, "0 to 0.25", "give it in parts of an interval")},
                 {"lost_lines", scene.lost_lines, between(0, 0.5, "0 to 0.5", "give it in parts of all lines")},
                 {"noise_db", scene.noise_db.value_or(0),
                  between(-200, 200, "-200 to 200 dB", "leave it out for an echo without noise")}});
    if (!scene.on_orbit()) require("velocity_m_s", scene.velocity_m_s, positive_range);
    require_side("lines", scene.lines);
    require_side("samples", scene.samples);
    if (scene.chirp_slope_hz_s == 0)
        refuse("chirp_slope_hz_s", 0, "must not be 0", "a down-chirp is negative, an up-chirp positive");
}

void validate_sway(const Flight& flight) {
    constexpr double fastest_hz = 10, most_m_s2 = 50;
    for (std::size_t i = 0; i < flight.sway.size(); ++i) {
        const SwayWave& wave = flight.sway[i];
        const auto name = [&](std::string_view key) { return fmt::format("flight.sway[{}].{}", i, key); };
        require(name("frequency_hz"), wave.frequency_hz,
                between(0, fastest_hz, fmt::format("0 to {:.0f}", fastest_hz),
                        "faster motion is vibration, which no track tells"));
        require(name("phase_deg"), wave.phase_deg, turn_range);
        const double rate = 2 * std::numbers::pi * wave.frequency_hz;
        for (const auto& [key, amplitude_m] :
             {std::pair{"along_m", wave.along_m}, std::pair{"across_m", wave.across_m}, std::pair{"up_m", wave.up_m}}) {
            require(name(key), amplitude_m, within(1000));
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
    require_all({{"flight.latitude_deg", flight.latitude_deg, within(89)},
                 {"flight.longitude_deg", flight.longitude_deg, turn_range},
                 {"flight.heading_deg", flight.heading_deg, turn_range},
                 {"flight.speed_m_s", flight.speed_m_s,
                  between(above_0, 1000, "above 0 and at most 1000", "give satellites an orbit")},
                 {"flight.altitude_m",
                  flight.altitude_m,
                  {std::nextafter(scene.height_m, largest_double), 30000,
                   fmt::format("must lie above the ground, height_m {}, and not above 30000", scene.height_m),
                   "give satellites an orbit"}}});
    // Apertures reach beyond the record: as far again.
    const double duration_s = static_cast<double>(scene.lines - 1) / scene.prf_hz;
    const double most_m_s2 = (1 - slowest_part) * flight.speed_m_s / std::max(duration_s, 1e-9);
    require("flight.acceleration_m_s2", flight.acceleration_m_s2,
            {-most_m_s2, most_m_s2,
             fmt::format("over {:.4g} s at {} m/s in their middle it must lie within +-{:.4g}", duration_s,
                         flight.speed_m_s, most_m_s2),
             "change the speed less, or record fewer lines"});
    require("flight.side_acceleration_m_s2", flight.side_acceleration_m_s2, within(20));
    if (const double r = std::abs(flight.turn_radius_m); r != 0) {
        if (!(r >= 10 && r <= 1e5))
            refuse("flight.turn_radius_m", flight.turn_radius_m, "must be 10 to 1e5, negative to the left, or 0",
                   "leave it out of a straight flight");
        if (flight.side_acceleration_m_s2 != 0)
            refuse("flight.side_acceleration_m_s2", flight.side_acceleration_m_s2,
                   fmt::format("the flight turns by turn_radius_m {}", flight.turn_radius_m), "leave one of them out");
    }
    validate_sway(flight);
    require_all({{"flight.turbulence.gust_m_s", flight.turbulence.gust_m_s,
                  between(0, 10, "0 to 10", fmt::format("severe turbulence has {}", severe_gust_m_s))},
                 {"flight.turbulence.autopilot_hz", flight.turbulence.autopilot_hz,
                  between(0.02, 2, "0.02 to 2", "a light aircraft's has 0.1")}});
}

void validate_kepler(const KeplerOrbit& orbit) {
    require_all(
        {{"orbit.altitude_m", orbit.altitude_m,
          between(1e5, 1e8, "1e5 to 1e8", "give the semi-major axis less 6378137 m")},
         {"orbit.eccentricity", orbit.eccentricity, between(0, std::nextafter(0.9, 0.0), "0 to 0.9", "a circle has 0")},
         {"orbit.inclination_deg", orbit.inclination_deg, within(181)},
         {"orbit.node_deg", orbit.node_deg, turn_range},
         {"orbit.perigee_deg", orbit.perigee_deg, turn_range},
         {"orbit.latitude_argument_deg", orbit.latitude_argument_deg, turn_range}});
}

void validate_vectors(const Scene& scene, const Orbit& orbit) {
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

void validate_beam(const Scene& scene) {
    if (scene.beam.steering == Steering::spotlight) {
        require_all({{"beam.latitude_deg", scene.beam.spot.latitude_deg, within(90.001)},
                     {"beam.longitude_deg", scene.beam.spot.longitude_deg, turn_range},
                     {"beam.height_m", scene.beam.spot_height_m.value_or(0),
                      between(-5e6, 20000, "-5e6 to 20000", "give the spot's height above the ellipsoid in metres")}});
        if (!scene.clutter.empty())
            throw InputError(
                "scene: a spotlight has no clutter: its places would follow from lines and samples, which it does not "
                "pass over; give it targets by latitude_deg and longitude_deg");
    }
    require_all(
        {{"beam.yaw_deg", scene.beam.yaw_deg, within(45)}, {"beam.pitch_deg", scene.beam.pitch_deg, within(45)}});
}

void validate_orbit(const Scene& scene) {
    require("height_m", scene.height_m, height_range);
    if (!scene.on_orbit()) return;
    validate_beam(scene);
    if (const auto* kepler = std::get_if<KeplerOrbit>(&scene.orbit)) return validate_kepler(*kepler);
    if (const auto* flight = std::get_if<Flight>(&scene.orbit)) return validate_flight(scene, *flight);
    validate_vectors(scene, std::get<Orbit>(scene.orbit));
}

void validate_clutter(const Scene& scene) {
    for (std::size_t i = 0; i < scene.clutter.size(); ++i) {
        const ClutterPatch& patch = scene.clutter[i];
        const auto name = [&](std::string_view key) { return fmt::format("clutter[{}].{}", i, key); };
        for (const auto& [key, value] :
             {std::pair{"first_line", patch.first_line}, std::pair{"last_line", patch.last_line},
              std::pair{"first_sample", patch.first_sample}, std::pair{"last_sample", patch.last_sample}})
            require(name(key), value, finite_range);
        if (scene.near_range_m + patch.first_sample * scene.range_spacing_m() <= 0)
            refuse(name("first_sample"), patch.first_sample, "lies before the pulse left the antenna",
                   "move the patch");
        if (patch.last_line < patch.first_line)
            refuse(name("last_line"), patch.last_line, "lies before first_line", "swap them");
        if (patch.last_sample < patch.first_sample)
            refuse(name("last_sample"), patch.last_sample, "lies before first_sample", "swap them");
        require(name("scatterers"), static_cast<double>(patch.scatterers),
                between(1, 1e7, "1 to 1e7", "leave the patch out or thin it"));
        require(name("power_db"), patch.power_db, power_range);
    }
}

void validate_phase_error(const PhaseError& error) {
    const Range rad{-1e4, 1e4, "must lie within +-10000", "check its unit"};
    require_all({{"phase_error.quadratic_rad", error.quadratic_rad, rad},
                 {"phase_error.sine_rad", error.sine_rad, rad},
                 {"phase_error.sine_cycles", error.sine_cycles, rad},
                 {"phase_error.walk_rad", error.walk_rad, rad}});
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

void validate_sample_type(const Scene& scene) {
    if (scene.sample_type != SampleFormat::complex64 && scene.sample_type != SampleFormat::int8 &&
        scene.sample_type != SampleFormat::int16)
        throw InputError("scene: sample_type is none that the simulator writes; choose f32, int16 or int8");
}

/// The numbers that it is given by.
void validate_numbers(const Scene& scene, const SceneTarget& target, std::size_t index) {
    const auto name = [&](std::string_view key) { return fmt::format("targets[{}].{}", index, key); };
    require(name("phase_deg"), target.phase_deg, finite_range);
    require(name("amplitude"), target.amplitude,
            between(0, 1e6, "0 to 1e6", "give a magnitude; its sign belongs into phase_deg"));
    if (const auto* beam = std::get_if<BeamCentrePosition>(&target.position)) {
        require(name("line"), beam->line, finite_range);
        require(name("sample"), beam->sample, finite_range);
        if (scene.near_range_m + beam->sample * scene.range_spacing_m() <= 0)
            refuse(name("sample"), beam->sample, "lies before the pulse left the antenna", "move the target");
    } else if (const auto* closest = std::get_if<ZeroDopplerPosition>(&target.position)) {
        require(name("range_m"), closest->range_m, positive_range);
        require(name("zero_doppler_time_s"), closest->time_s, finite_range);
    } else {
        require(name("latitude_deg"), std::get<GroundPosition>(target.position).latitude_deg, finite_range);
        require(name("longitude_deg"), std::get<GroundPosition>(target.position).longitude_deg, finite_range);
    }
    require(name("height_m"), target.height_m.value_or(scene.height_m), height_range);
    if (scene.spotlight() && !std::holds_alternative<GroundPosition>(target.position))
        throw InputError(
            fmt::format("scene: targets[{}] is given by rows or lines, which a spotlight does not pass over; give it "
                        "latitude_deg and longitude_deg",
                        index));
}

/// That the antenna sees it once, on the ground.
void validate_place(const Scene& scene, const SceneGeometry& geometry, const LocatedTarget& located,
                    std::size_t index) {
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
                        "from {:.6g} m to the horizon; check its place, near_range_m and the orbit's altitude_m",
                        index, located.truth.range_m, geometry.altitude_m()));
}

/// That the echo holds some of it.
void validate_echo(const Scene& scene, const Footprint& seen, std::size_t index) {
    const double last = static_cast<double>(scene.lines - 1);
    if (seen.lines.last < 0 || seen.lines.first > last)
        throw InputError(
            fmt::format("scene: targets[{}] is in the beam in lines {:.1f} to {:.1f}, but the echo has lines 0 to {}; "
                        "move the target or record more lines",
                        index, seen.lines.first, seen.lines.last, scene.lines - 1));
    if (scene.spotlight() && !std::holds_alternative<Flight>(scene.orbit)) return;  // its window goes along with it
    const double end = seen.last_edge + scene.chirp_duration_s * scene.sample_rate_hz;
    if (end <= 0 || seen.first_edge > static_cast<double>(scene.samples - 1))
        throw InputError(
            fmt::format("scene: targets[{}] echoes in samples {:.1f} to {:.1f}, but a line has samples 0 to {}; move "
                        "the target or record more samples",
                        index, seen.first_edge, end, scene.samples - 1));
}

}  // namespace

void validate(const Scene& scene) {
    validate_radar(scene);
    validate_relations(scene);
    validate_orbit(scene);
    validate_clutter(scene);
    validate_phase_error(scene.phase_error);
    validate_polarizations(scene);
    validate_sample_type(scene);
    const std::vector<SceneTarget> targets = scene_targets(scene);
    if (targets.empty() && scene.clutter.empty() && !scene.noise_db)
        throw InputError(
            "scene: no targets, no clutter and no noise_db, the echo would be empty; add a target or noise");
    const SceneGeometry geometry(scene);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        validate_numbers(scene, targets[i], i);
        const LocatedTarget located = geometry.locate(targets[i]);
        validate_place(scene, geometry, located, i);
        validate_echo(scene, geometry.footprint(located.place_m), i);
    }
}

}  // namespace cornerturn
