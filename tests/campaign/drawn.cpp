// SPDX-License-Identifier: Apache-2.0
#include "tests/campaign/drawn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"

namespace cornerturn::campaign {
namespace {

constexpr double most_samples = 2.5e6;  // of an echo: about a second of one core for range-Doppler
constexpr double most_lines = 9000, most_in_line = 7000;

/// Alike with every library: the distributions of the standard are not.
class Random {
public:
    Random(std::uint64_t seed, std::uint64_t number) {
        std::seed_seq both{seed, seed >> 32, number, number >> 32};
        engine_.seed(both);
    }
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    double between(double low, double high) { return low + (high - low) * unit(); }
    double in_octaves(double low, double high) { return low * std::pow(high / low, unit()); }
    bool chance(double probability) { return unit() < probability; }
    double sign() { return chance(0.5) ? 1 : -1; }
    std::uint64_t number() { return engine_(); }

private:
    std::mt19937_64 engine_;
};

/// Three digits: a shrunk scene is to be read.
double rounded(double value) {
    if (value == 0) return 0;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2);
    return unit >= 1 ? std::round(value / unit) * unit : std::round(value / unit) / std::round(1 / unit);
}

void draw_pulse(Random& random, double low_hz, double high_hz, Scene& scene) {
    // Beyond a tenth of the carrier nobody builds; below a time-bandwidth product of 100 a chirp has no flat spectrum.
    const double band_hz = rounded(random.in_octaves(low_hz, std::min(high_hz, 0.1 * scene.carrier_hz)));
    const double product = random.in_octaves(100, 1000);
    scene.chirp_duration_s = rounded(product / band_hz);
    scene.chirp_slope_hz_s = random.sign() * rounded(band_hz / scene.chirp_duration_s);
    scene.sample_rate_hz =
        rounded(std::abs(scene.chirp_slope_hz_s) * scene.chirp_duration_s * random.between(1.04, 1.8));
}

/// By the time-bandwidth product of the aperture; `speed_m_s` over ground and at height together, as an effective one.
void draw_beam(Random& random, double range_m, double speed_m_s, Scene& scene) {
    const double product = random.in_octaves(100, 1500);
    scene.azimuth_bandwidth_hz = rounded(speed_m_s * std::sqrt(2 * product / (scene.wavelength_m() * range_m)));
    const double u = random.unit();
    scene.prf_hz = rounded(scene.azimuth_bandwidth_hz * (1.02 + 1.98 * u * u));
    scene.prf_hz = std::max(scene.prf_hz, 1.02 * scene.azimuth_bandwidth_hz);
}

/// Slant range from a height to the ground that is seen so far off nadir.
double range_at(double altitude_m, double look_deg) {
    const double radius_m = wgs84_equatorial_radius_m, antenna_m = radius_m + altitude_m;
    const double cosine = std::cos(look_deg * degree), sine = std::sin(look_deg * degree);
    return antenna_m * cosine - std::sqrt(radius_m * radius_m - antenna_m * antenna_m * sine * sine);
}

void draw_orbit(Random& random, Drawn& drawn) {
    Scene& scene = drawn.scene;
    KeplerOrbit orbit;
    orbit.altitude_m = rounded(random.between(450e3, 850e3));
    orbit.eccentricity = random.chance(0.5) ? 0.0011 : 0;
    orbit.inclination_deg = rounded(random.chance(0.7) ? 98 : random.between(30, 98));
    orbit.node_deg = std::round(random.between(-180, 180));
    orbit.perigee_deg = 90;
    orbit.latitude_argument_deg = std::round(random.between(-180, 180));
    scene.orbit = orbit;
    scene.near_range_m = rounded(range_at(orbit.altitude_m, random.between(18, 45)));
    draw_pulse(random, 3e6, 300e6, scene);
    draw_beam(random, scene.near_range_m, 7100, scene);
    scene.beam.steering = random.chance(0.5) ? Steering::zero_doppler : Steering::fixed;
    const double most_yaw_deg = random.chance(0.6) ? 0.3 : random.chance(0.7) ? 4 : 20;
    scene.beam.yaw_deg = random.chance(0.2) ? 0 : rounded(random.between(-most_yaw_deg, most_yaw_deg));
}

void draw_straight(Random& random, Drawn& drawn) {
    Scene& scene = drawn.scene;
    const bool space = random.chance(0.3);
    scene.velocity_m_s = rounded(space ? random.between(6900, 7500) : random.in_octaves(40, 250));
    scene.altitude_m = rounded(space ? random.between(450e3, 850e3) : random.in_octaves(500, 12000));
    scene.near_range_m = rounded(*scene.altitude_m / std::cos(random.between(20, 70) * degree));
    draw_pulse(random, space ? 3e6 : 20e6, space ? 300e6 : 600e6, scene);
    draw_beam(random, scene.near_range_m, scene.velocity_m_s, scene);
    const double most_deg = random.chance(0.5) ? 2 : random.chance(0.6) ? 15 : 45;
    const double squint_deg = random.between(-most_deg, most_deg);
    // The ground below the antenna bounds how far a straight flight sees forward.
    const double most_sine = 0.95 * std::sqrt(1 - std::pow(*scene.altitude_m / scene.near_range_m, 2));
    scene.doppler_centroid_hz = rounded(2 * scene.velocity_m_s / scene.wavelength_m() *
                                        std::clamp(std::sin(squint_deg * degree), -most_sine, most_sine));
}

void draw_waves(Random& random, int count, double size_m, Flight& flight) {
    for (int i = 0; i < count; ++i)
        flight.sway.push_back({.along_m = rounded(0.15 * size_m * random.unit()),
                               .across_m = rounded(size_m * random.unit()),
                               .up_m = rounded(0.6 * size_m * random.unit()),
                               .frequency_hz = rounded(random.in_octaves(0.03, 0.4)),
                               .phase_deg = std::round(random.between(0, 360))});
}

void draw_flight(Random& random, Drawn& drawn) {
    Scene& scene = drawn.scene;
    Flight flight;
    const bool drone = random.chance(0.3);
    flight.speed_m_s = rounded(drone ? random.in_octaves(8, 30) : random.in_octaves(40, 250));
    flight.altitude_m = rounded(drone ? random.in_octaves(60, 500) : random.in_octaves(500, 12000));
    flight.latitude_deg = std::round(random.between(-70, 70));
    flight.heading_deg = std::round(random.between(0, 360));
    scene.near_range_m = rounded(flight.altitude_m / std::cos(random.between(20, 75) * degree));
    draw_pulse(random, 20e6, 600e6, scene);
    draw_beam(random, scene.near_range_m, flight.speed_m_s, scene);
    const double most_yaw_deg = random.chance(0.5) ? 2 : random.chance(0.6) ? 15 : 44;
    scene.beam.yaw_deg = random.chance(0.2) ? 0 : rounded(random.between(-most_yaw_deg, most_yaw_deg));
    if (random.chance(0.4)) flight.acceleration_m_s2 = rounded(random.between(-0.01, 0.01) * flight.speed_m_s);
    if (random.chance(0.3)) flight.side_acceleration_m_s2 = rounded(random.between(-0.2, 0.2));
    if (random.chance(0.6)) {
        // Of a steady autopilot to that of a light aircraft in gusts.
        const double size_m = random.in_octaves(0.01, 2);
        draw_waves(random, 3, size_m, flight);
    }
    drawn.flight = flight;
}

/// An aircraft or a drone with all that moves one, whose antenna keeps the attitude of the even flight.
void draw_fixed_antenna(Random& random, Drawn& drawn) {
    Scene& scene = drawn.scene;
    scene.carrier_hz = rounded(random.in_octaves(1.3e9, 16e9));
    Flight flight;
    flight.speed_m_s = rounded(random.in_octaves(15, 220));
    // The slow ones fly low.
    flight.altitude_m = rounded(random.in_octaves(300, std::min(12000.0, 60 * flight.speed_m_s)));
    flight.latitude_deg = std::round(random.between(-70, 70));
    flight.longitude_deg = std::round(random.between(-180, 180));
    flight.heading_deg = std::round(random.between(0, 360));
    scene.near_range_m = rounded(flight.altitude_m / std::cos(random.between(20, 75) * degree));
    draw_pulse(random, 20e6, 600e6, scene);
    draw_beam(random, scene.near_range_m, flight.speed_m_s, scene);
    scene.beam.steering = Steering::fixed;
    const double most_yaw_deg = random.chance(0.6) ? 3 : random.chance(0.7) ? 10 : 30;
    scene.beam.yaw_deg = random.chance(0.2) ? 0 : rounded(random.between(-most_yaw_deg, most_yaw_deg));
    if (random.chance(0.4))
        flight.turbulence = {.gust_m_s = rounded(random.in_octaves(0.03, 1.5)),
                             .autopilot_hz = rounded(random.in_octaves(0.08, 0.4)),
                             .seed = random.number() % 1000};
    const int waves = static_cast<int>(random.between(0, 4));
    const double size_m = random.in_octaves(0.02, 3);
    draw_waves(random, waves, size_m, flight);
    drawn.flight = flight;
}

/// Of two flights in three, by 0.2 to 13 % over the strip.
void draw_change_of_speed(Random& random, Drawn& drawn) {
    if (random.chance(0.33)) return;
    const double strip_s = drawn.strip_lines / drawn.scene.prf_hz;
    drawn.flight->acceleration_m_s2 =
        random.sign() * rounded(random.in_octaves(0.002, 0.13) * drawn.flight->speed_m_s / strip_s);
}

void draw_places(Random& random, Drawn& drawn) {
    const int targets = random.chance(0.25) ? 1 : random.chance(0.6) ? 4 : 9;
    for (int i = 0; i < targets; ++i)
        drawn.places.push_back({.azimuth = (i + random.between(0.1, 0.9)) / targets,
                                // Rows and columns of their own: 7 and 9, 3 and 4 share no divisor.
                                .range = ((i * (targets == 9 ? 7 : 3)) % targets + random.between(0.1, 0.9)) / targets,
                                .amplitude = rounded(random.between(0.5, 1)),
                                .phase_deg = std::round(random.between(-180, 180))});
    drawn.strip_lines = rounded(targets * 40 + random.in_octaves(20, 1500));
    const double swath_m = random.in_octaves(1e3, 100e3);
    drawn.swath_samples =
        rounded(std::max(targets * 40.0, std::min(swath_m / drawn.scene.range_spacing_m(), most_in_line)));
}

void draw_flaws(Random& random, Drawn& drawn) {
    Scene& scene = drawn.scene;
    scene.look_side = random.chance(0.3) ? LookSide::left : LookSide::right;
    scene.sample_type = random.chance(0.4)   ? SampleFormat::complex64
                        : random.chance(0.5) ? SampleFormat::int16
                                             : SampleFormat::int8;
    scene.seed = random.number() % 1000;
    if (random.chance(0.3)) scene.noise_db = std::round(random.between(-30, 15));
    if (random.chance(0.12)) scene.dither = rounded(random.between(0.01, 0.25));
    if (random.chance(0.1)) scene.lost_lines = rounded(random.in_octaves(0.002, 0.03));
    if (random.chance(0.06)) scene.transmit_gaps = true;
    if (random.chance(0.3)) scene.height_m = std::round(random.between(-400, 4000));
    if (random.chance(0.1)) drawn.hill_m = std::round(random.in_octaves(20, 1500));
    if (random.chance(0.15)) {
        drawn.scatterers = static_cast<std::int64_t>(random.in_octaves(300, 3000));
        drawn.clutter_db = std::round(random.between(-70, -45));
    }
    const double who = random.unit();
    drawn.centroid = who < 0.6    ? Centroid::file
                     : who < 0.8  ? Centroid::attitude
                     : who < 0.85 ? Centroid::one_number
                                  : Centroid::data;
    // An aircraft is no higher than it flies above the ground.
    if (drawn.flight || (!scene.on_orbit() && *scene.altitude_m < 20e3)) scene.height_m = drawn.hill_m = 0;
}

/// One try.
Drawn any(Random& random, Kind kind) {
    Drawn drawn;
    if (kind == Kind::flights) {
        draw_fixed_antenna(random, drawn);
        draw_places(random, drawn);
        draw_flaws(random, drawn);
        draw_change_of_speed(random, drawn);
        // Their files have attitude.
        if (drawn.centroid == Centroid::data) drawn.centroid = Centroid::attitude;
        return drawn;
    }
    drawn.scene.carrier_hz = rounded(random.in_octaves(0.4e9, 35e9));
    const double platform = random.unit();
    if (platform < 0.47)
        draw_orbit(random, drawn);
    else if (platform < 0.65)
        draw_straight(random, drawn);
    else
        draw_flight(random, drawn);
    draw_places(random, drawn);
    draw_flaws(random, drawn);
    return drawn;
}

/// How far the footprints of targets reach beyond the place that the beam's centre sees them at.
struct Reach {
    double lines_before = 0, lines_behind = 0, samples_before = 0, samples_behind = 0;
};

Reach reach_of(const Scene& scene, double swath_samples) {
    const SceneGeometry geometry(scene);
    Reach reach;
    const double last = static_cast<double>(scene.lines - 1);
    for (const double line : {0.0, 0.5 * last, last})
        for (const double sample : {0.0, swath_samples}) {
            const Footprint seen = geometry.footprint(geometry.place_in_beam({line, sample}, scene.height_m));
            reach = {std::max(reach.lines_before, line - seen.lines.first),
                     std::max(reach.lines_behind, seen.lines.last - line),
                     std::max(reach.samples_before, sample - seen.first_edge),
                     std::max(reach.samples_behind, seen.last_edge - sample)};
        }
    return reach;
}

/// The ground about a scene: hills of some kilometres, none of which a mean over a few metres changes.
class Hills final : public TerrainSource {
public:
    Hills(double base_m, double height_m) : base_m_(base_m), height_m_(height_m) {}
    double height_at(double latitude_deg, double longitude_deg) const {
        constexpr double per_degree = 2 * std::numbers::pi * 111 / 40;  // 40 km from top to top
        return base_m_ +
               0.5 * height_m_ * (1 + std::sin(per_degree * latitude_deg) * std::cos(per_degree * longitude_deg));
    }
    const std::string& name() const override { return name_; }
    GeographicBox extent() const override { return {-90, 90, -360, 360}; }
    HeightGrid read(const GeographicBox& box, double latitude_step_deg, double longitude_step_deg) override {
        HeightGrid grid{.rows = cells(box.north_deg - box.south_deg, latitude_step_deg),
                        .columns = cells(box.east_deg - box.west_deg, longitude_step_deg),
                        .first_latitude_deg = box.south_deg,
                        .latitude_step_deg = latitude_step_deg,
                        .first_longitude_deg = box.west_deg,
                        .longitude_step_deg = longitude_step_deg,
                        .height_m = {}};
        grid.height_m.resize(static_cast<std::size_t>(grid.rows * grid.columns));
        for (std::int64_t row = 0; row < grid.rows; ++row)
            for (std::int64_t column = 0; column < grid.columns; ++column)
                grid.at(row, column) = static_cast<float>(
                    height_at(grid.first_latitude_deg + static_cast<double>(row) * latitude_step_deg,
                              grid.first_longitude_deg + static_cast<double>(column) * longitude_step_deg));
        return grid;
    }

private:
    static std::int64_t cells(double extent_deg, double step_deg) {
        return static_cast<std::int64_t>(std::ceil(extent_deg / step_deg)) + 1;
    }
    double base_m_, height_m_;
    std::string name_ = "hills";
};

/// Height of the ground where the beam's centre sees it.
double ground_height_m(const Drawn& drawn, const SceneGeometry& geometry, const BeamCentrePosition& position) {
    const Hills hills(drawn.scene.height_m, drawn.hill_m);
    double height_m = drawn.scene.height_m;
    for (int round = 0; round < 12; ++round) {
        const Geodetic place = to_geodetic(geometry.place_in_beam(position, height_m));
        height_m = hills.height_at(place.latitude_deg, place.longitude_deg);
    }
    return height_m;
}

bool fits(const Scene& scene) {
    const auto lines = static_cast<double>(scene.lines), samples = static_cast<double>(scene.samples);
    return lines <= most_lines && samples <= most_in_line && lines * samples <= most_samples;
}

/// An antenna that is turned far ahead lights near places over more of Doppler than its beam has: nobody builds a radar
/// whose PRF does not hold that.
bool holds_its_targets(const Scene& scene) {
    const SceneGeometry geometry(scene);
    return std::all_of(scene.targets->begin(), scene.targets->end(), [&](const SceneTarget& target) {
        const auto lit = geometry.locate(target).truth.illuminated_band_hz;
        return !lit || std::abs(lit->high_hz - lit->low_hz) <= scene.prf_hz;
    });
}

bool is_possible(const Drawn& drawn) try {
    const Scene scene = scene_of(drawn);
    validate(scene);
    return fits(scene) && holds_its_targets(scene);
} catch (const InputError&) {
    return false;
}

}  // namespace

Drawn draw(std::uint64_t seed, std::uint64_t number, Kind kind) {
    constexpr int most_tries = 10000;
    Random random(seed, number);
    for (int i = 0; i < most_tries; ++i)
        if (Drawn drawn = any(random, kind); is_possible(drawn)) return drawn;
    throw std::logic_error(fmt::format("draw {} of seed {}: none of {} tries fits", number, seed, most_tries));
}

Scene scene_of(const Drawn& drawn) {
    Scene scene = drawn.scene;
    scene.samples = 1000;
    scene.lines = std::max<std::int64_t>(2, static_cast<std::int64_t>(drawn.strip_lines));
    if (drawn.flight) scene.orbit = *drawn.flight;
    const Reach reach = reach_of(scene, drawn.swath_samples);
    if (!std::isfinite(reach.lines_before + reach.lines_behind + reach.samples_before + reach.samples_behind))
        throw InputError("scene: the beam sees no ground there");
    // Ten sidelobes each side, and what fades behind them.
    const double line_margin = 16 + 20 * scene.prf_hz / scene.azimuth_bandwidth_hz;
    const double sample_margin =
        16 + 20 * scene.sample_rate_hz / (std::abs(scene.chirp_slope_hz_s) * scene.chirp_duration_s);
    const double first_line = std::ceil(1.02 * reach.lines_before + line_margin),
                 first_sample = std::ceil(1.02 * reach.samples_before + sample_margin);
    const double lines = std::ceil(first_line + drawn.strip_lines + 1.02 * reach.lines_behind + line_margin);
    const double samples = std::ceil(first_sample + drawn.swath_samples + 1.02 * reach.samples_behind + sample_margin +
                                     scene.chirp_duration_s * scene.sample_rate_hz);
    if (!(lines < 1e6 && samples < 1e6)) throw InputError("scene: too large");
    scene.lines = static_cast<std::int64_t>(lines);
    scene.samples = static_cast<std::int64_t>(samples);
    scene.near_range_m -= first_sample * scene.range_spacing_m();
    if (!(scene.near_range_m > 0)) throw InputError("scene: samples before the pulse has left");
    const SceneGeometry geometry(scene);
    scene.targets.emplace();
    for (const Place& place : drawn.places) {
        const BeamCentrePosition position{first_line + place.azimuth * drawn.strip_lines,
                                          first_sample + place.range * drawn.swath_samples};
        SceneTarget target{position, place.amplitude, place.phase_deg};
        if (drawn.hill_m > 0) target.height_m = ground_height_m(drawn, geometry, position);
        scene.targets->push_back(target);
    }
    if (drawn.scatterers > 0)
        scene.clutter = {{.first_line = 0,
                          .last_line = lines - 1,
                          .first_sample = 0,
                          .last_sample = samples - scene.chirp_duration_s * scene.sample_rate_hz,
                          .scatterers = drawn.scatterers,
                          .power_db = drawn.clutter_db}};
    return scene;
}

std::shared_ptr<TerrainSource> terrain_of(const Drawn& drawn) {
    if (drawn.hill_m == 0) return nullptr;
    return std::make_shared<Hills>(drawn.scene.height_m, drawn.hill_m);
}

std::string_view name_of(Centroid centroid) {
    switch (centroid) {
        case Centroid::attitude: return "of attitude";
        case Centroid::one_number: return "one number of the file";
        case Centroid::data: return "of the data";
        default: return "of the file";
    }
}

std::string summary_of(const Drawn& drawn) {
    const Scene scene = scene_of(drawn);
    const SceneGeometry geometry(scene);
    const double last = static_cast<double>(scene.lines - 1), middle = 0.5 * last;
    const double near_hz = geometry.beam_centre_hz(middle, geometry.place_in_beam({middle, 0}, scene.height_m));
    const double far_hz = geometry.beam_centre_hz(
        middle, geometry.place_in_beam({middle, static_cast<double>(scene.samples)}, scene.height_m));
    const Footprint seen =
        geometry.footprint(geometry.place_in_beam({middle, 0.5 * static_cast<double>(scene.samples)}, scene.height_m));
    std::string text = fmt::format(
        "{}, {:.3g} GHz, {} x {}, {:.4g} km, PRF {:.4g}, beam {:.4g} Hz ({:.0f} lines), f_dc {:.0f} to {:.0f} Hz {}, "
        "chirp {:.3g} MHz x {:.3g} us at {:.3g} MHz",
        drawn.flight       ? fmt::format("aircraft at {} m/s", drawn.flight->speed_m_s)
        : scene.on_orbit() ? "orbit"
                           : fmt::format("straight flight at {} m/s", scene.velocity_m_s),
        scene.carrier_hz / 1e9, scene.lines, scene.samples, scene.near_range_m / 1e3, scene.prf_hz,
        scene.azimuth_bandwidth_hz, seen.lines.last - seen.lines.first, near_hz, far_hz, name_of(drawn.centroid),
        scene.chirp_slope_hz_s * scene.chirp_duration_s / 1e6, scene.chirp_duration_s * 1e6,
        scene.sample_rate_hz / 1e6);
    if (drawn.flight && !drawn.flight->sway.empty())
        text += fmt::format(", sways by {} m", drawn.flight->sway[0].across_m);
    if (drawn.flight && drawn.flight->turbulence.gust_m_s > 0)
        text += fmt::format(", in gusts of {} m/s", drawn.flight->turbulence.gust_m_s);
    if (drawn.flight && drawn.flight->acceleration_m_s2 != 0)
        text += fmt::format(", {} m/s2 along", drawn.flight->acceleration_m_s2);
    if (drawn.flight && drawn.flight->side_acceleration_m_s2 != 0)
        text += fmt::format(", {} m/s2 across", drawn.flight->side_acceleration_m_s2);
    if (scene.beam.yaw_deg != 0) text += fmt::format(", yaw {} deg", scene.beam.yaw_deg);
    if (scene.noise_db) text += fmt::format(", noise {} dB", *scene.noise_db);
    if (scene.dither > 0) text += fmt::format(", dither {}", scene.dither);
    if (scene.lost_lines > 0) text += fmt::format(", {} of lines lost", scene.lost_lines);
    if (scene.transmit_gaps) text += ", transmit gaps";
    if (drawn.scatterers > 0) text += fmt::format(", {} scatterers of {} dB", drawn.scatterers, drawn.clutter_db);
    if (drawn.hill_m > 0) text += fmt::format(", hills of {} m", drawn.hill_m);
    return text;
}

std::string remarks_of(const Drawn& drawn) {
    std::string text = fmt::format("# Doppler centroid {}\n", name_of(drawn.centroid));
    if (drawn.scene.height_m != 0 && drawn.hill_m == 0) text += fmt::format("# --height {}\n", drawn.scene.height_m);
    if (drawn.hill_m > 0)
        text += fmt::format("# --dem: hills of tests/campaign, {} to {} m\n", drawn.scene.height_m,
                            drawn.scene.height_m + drawn.hill_m);
    return text;
}

}  // namespace cornerturn::campaign
