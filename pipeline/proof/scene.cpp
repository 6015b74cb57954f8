// SPDX-License-Identifier: Apache-2.0
// Presets, target placement and validation of simulated scenes.
#include "pipeline/proof/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kernels/errors.h"
#include "kernels/hyperbola.h"

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

/// X band. The beam is narrow enough that the curved support of the spectrum (f0 (1 - cos theta) = 1.5 MHz at the edge of the beam,
/// 2 % of the chirp) moves the integrated sidelobes by less than 0.1 dB from those of a rectangle.
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

struct Preset {
    std::string_view name;
    Scene (*make)();
};
constexpr std::array presets{Preset{"airborne", airborne}, Preset{"spaceborne", spaceborne}, Preset{"squint", squint}};

double offset_s(const Scene& scene, double range_m, double doppler_hz) {
    return beam_time_offset_s(range_m, doppler_hz, scene.velocity_m_s, scene.wavelength_m());
}

double factor(const Scene& scene, double doppler_hz) { return migration_factor(doppler_hz, scene.velocity_m_s, scene.wavelength_m()); }

/// The part of an unlimited echo that a target fills: lines, and leading edges in samples.
struct Footprint {
    double first_line, last_line;
    double first_edge, last_edge;
};

Footprint footprint(const Scene& scene, double range_m, double zero_doppler_line) {
    const double low = scene.doppler_low_hz();
    const double high = scene.doppler_high_hz();
    const double at_low = range_m / factor(scene, low);
    const double at_high = range_m / factor(scene, high);
    const double closest = low <= 0 && high >= 0 ? range_m : std::min(at_low, at_high);
    const auto edge = [&](double slant_m) { return (slant_m - scene.near_range_m) / scene.range_spacing_m(); };
    // Doppler falls with time: the aperture begins at the high edge of the band.
    return {zero_doppler_line + offset_s(scene, range_m, high) * scene.prf_hz,
            zero_doppler_line + offset_s(scene, range_m, low) * scene.prf_hz, edge(closest), edge(std::max(at_low, at_high))};
}

Footprint footprint(const Scene& scene, const PointTarget& target) {
    return footprint(scene, target.range_m, (target.zero_doppler_time_s - scene.first_pulse_time_s) * scene.prf_hz);
}

[[noreturn]] void refuse(std::string_view key, double value, const std::string& limit, std::string_view way_out) {
    throw InputError(fmt::format("scene: {} is {}, but {}; {}", key, value, limit, way_out));
}

void require_positive(std::string_view key, double value) {
    if (!(std::isfinite(value) && value > 0)) refuse(key, value, "must be a number above 0", fmt::format("give {} its true value", key));
}

void require_finite(std::string_view key, double value) {
    if (!std::isfinite(value)) refuse(key, value, "must be a finite number", fmt::format("give {} its true value", key));
}

void require_side(std::string_view key, std::int64_t value) {
    if (value < 1 || value > max_side)
        throw InputError(fmt::format("scene: {} is {}, but must be 1 to {}; choose a size that fits the memory", key, value, max_side));
}

void validate_radar(const Scene& scene) {
    require_positive("carrier_hz", scene.carrier_hz);
    require_positive("prf_hz", scene.prf_hz);
    require_positive("sample_rate_hz", scene.sample_rate_hz);
    require_positive("near_range_m", scene.near_range_m);
    require_positive("velocity_m_s", scene.velocity_m_s);
    require_positive("chirp_duration_s", scene.chirp_duration_s);
    require_positive("azimuth_bandwidth_hz", scene.azimuth_bandwidth_hz);
    require_finite("chirp_slope_hz_s", scene.chirp_slope_hz_s);
    require_finite("doppler_centroid_hz", scene.doppler_centroid_hz);
    require_finite("first_pulse_time_s", scene.first_pulse_time_s);
    require_side("lines", scene.lines);
    require_side("samples", scene.samples);
    if (scene.chirp_slope_hz_s == 0) refuse("chirp_slope_hz_s", 0, "must not be 0", "a down-chirp is negative, an up-chirp positive");
}

void validate_relations(const Scene& scene) {
    const double bandwidth_hz = std::abs(scene.chirp_slope_hz_s) * scene.chirp_duration_s;
    if (bandwidth_hz > scene.sample_rate_hz)
        refuse("chirp bandwidth |chirp_slope_hz_s| * chirp_duration_s", bandwidth_hz,
               fmt::format("complex samples at sample_rate_hz {} hold no more than that", scene.sample_rate_hz),
               "shorten the chirp, lower its slope or raise the rate");
    if (scene.chirp_duration_s * scene.sample_rate_hz > static_cast<double>(scene.samples))
        refuse("chirp_duration_s", scene.chirp_duration_s,
               fmt::format("that is {:.0f} samples and a line has {}", std::ceil(scene.chirp_duration_s * scene.sample_rate_hz),
                           scene.samples),
               "shorten the chirp or raise samples");
    if (scene.azimuth_bandwidth_hz > scene.prf_hz)
        refuse("azimuth_bandwidth_hz", scene.azimuth_bandwidth_hz, fmt::format("prf_hz is only {}", scene.prf_hz),
               "narrow the beam or raise the PRF");
    const double fastest_hz = 2.0 * scene.velocity_m_s / scene.wavelength_m();
    if (std::max(std::abs(scene.doppler_low_hz()), std::abs(scene.doppler_high_hz())) >= 0.999 * fastest_hz)
        refuse("doppler_centroid_hz", scene.doppler_centroid_hz,
               fmt::format("with half of azimuth_bandwidth_hz it must stay below 2 V / lambda = {:.6g} Hz", fastest_hz),
               "lower it or check velocity_m_s and carrier_hz");
    if (scene.altitude_m) {
        const double closest_m = scene.near_range_m * factor(scene, scene.doppler_centroid_hz);
        if (!(*scene.altitude_m >= 0 && *scene.altitude_m < closest_m))
            refuse("altitude_m", *scene.altitude_m, fmt::format("must be 0 to {:.6g}, the near range at zero Doppler", closest_m),
                   "fly lower or look farther");
    }
}

void validate_output(const Scene& scene) {
    if (scene.sample_type != SampleFormat::complex64 && scene.sample_type != SampleFormat::int8 && scene.sample_type != SampleFormat::int16)
        throw InputError("scene: sample_type is none that the simulator writes; choose f32, int16 or int8");
    if (scene.noise_db && !(std::abs(*scene.noise_db) <= 200))
        refuse("noise_db", *scene.noise_db, "must be -200 to 200 dB", "leave it out for an echo without noise");
}

void validate_target(const Scene& scene, const SceneTarget& target, std::size_t index) {
    const auto name = [&](std::string_view key) { return fmt::format("targets[{}].{}", index, key); };
    require_finite(name("phase_deg"), target.phase_deg);
    if (!(target.amplitude >= 0 && target.amplitude <= 1e6))
        refuse(name("amplitude"), target.amplitude, "must be 0 to 1e6", "give a magnitude; its sign belongs into phase_deg");
    if (const auto* beam = std::get_if<BeamCentrePosition>(&target.position)) {
        require_finite(name("line"), beam->line);
        require_finite(name("sample"), beam->sample);
        if (scene.near_range_m + beam->sample * scene.range_spacing_m() <= 0)
            refuse(name("sample"), beam->sample, "lies before the pulse left the antenna", "move the target");
    } else {
        const auto& closest = std::get<ZeroDopplerPosition>(target.position);
        require_positive(name("range_m"), closest.range_m);
        require_finite(name("zero_doppler_time_s"), closest.time_s);
    }
    const Footprint seen = footprint(scene, locate(scene, target));
    const double last = static_cast<double>(scene.lines - 1);
    if (seen.last_line < 0 || seen.first_line > last)
        throw InputError(
            fmt::format("scene: targets[{}] is in the beam in lines {:.1f} to {:.1f}, but the echo has lines 0 to {}; move the target or "
                        "record more lines",
                        index, seen.first_line, seen.last_line, scene.lines - 1));
    const double end = seen.last_edge + scene.chirp_duration_s * scene.sample_rate_hz;
    if (end <= 0 || seen.first_edge > static_cast<double>(scene.samples - 1))
        throw InputError(fmt::format(
            "scene: targets[{}] echoes in samples {:.1f} to {:.1f}, but a line has samples 0 to {}; move the target or record more samples",
            index, seen.first_edge, end, scene.samples - 1));
}

/// Fraction of a pixel of grid target k: irregular, never near a pixel centre's symmetry.
double grid_fraction(int k) {
    const double value = 0.618033988749895 * (k + 1);
    return value - std::floor(value);
}

std::vector<SceneTarget> grid_targets(const Scene& scene) {
    const double centre_factor = factor(scene, scene.doppler_centroid_hz);
    const double farthest_m = (scene.near_range_m + static_cast<double>(scene.samples) * scene.range_spacing_m()) * centre_factor;
    const Footprint reach = footprint(scene, farthest_m, -offset_s(scene, farthest_m, scene.doppler_centroid_hz) * scene.prf_hz);
    const double centre_edge = static_cast<double>(scene.samples);
    const double chirp_samples = scene.chirp_duration_s * scene.sample_rate_hz;
    const double first_line = grid_margin_pixels - reach.first_line;
    const double last_line = static_cast<double>(scene.lines - 1) - reach.last_line - grid_margin_pixels;
    const double first_sample = grid_margin_pixels + (centre_edge - reach.first_edge);
    const double last_sample = centre_edge - chirp_samples - (reach.last_edge - centre_edge) - grid_margin_pixels;
    const auto check = [](std::string_view key, std::int64_t size, double room) {
        if (room < grid_minimum_pixels)
            throw InputError(
                fmt::format("scene: {} is {}, but nine targets seen whole need at least {:.0f}; raise {} or list your own targets", key,
                            size, std::ceil(static_cast<double>(size) + grid_minimum_pixels - room), key));
    };
    check("lines", scene.lines, last_line - first_line);
    check("samples", scene.samples, last_sample - first_sample);

    std::vector<SceneTarget> targets;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            // A slightly turned grid: the sidelobes of one target run past the others.
            const int k = 3 * i + j;
            const double line = std::floor(first_line + (last_line - first_line) * (0.45 * i + 0.05 * j)) + grid_fraction(k);
            const double sample = std::floor(first_sample + (last_sample - first_sample) * (0.45 * j + 0.05 * i)) + grid_fraction(k + 20);
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

std::vector<SceneTarget> scene_targets(const Scene& scene) { return scene.targets ? *scene.targets : grid_targets(scene); }

void validate(const Scene& scene) {
    validate_radar(scene);
    validate_relations(scene);
    validate_output(scene);
    const std::vector<SceneTarget> targets = scene_targets(scene);
    if (targets.empty() && !scene.noise_db)
        throw InputError("scene: no targets and no noise_db, the echo would be empty; add a target or noise");
    for (std::size_t i = 0; i < targets.size(); ++i) validate_target(scene, targets[i], i);
}

PointTarget locate(const Scene& scene, const SceneTarget& target) {
    PointTarget point;
    if (const auto* beam = std::get_if<BeamCentrePosition>(&target.position)) {
        const double slant_m = scene.near_range_m + beam->sample * scene.range_spacing_m();
        point.range_m = slant_m * factor(scene, scene.doppler_centroid_hz);
        point.beam_centre_time_s = scene.first_pulse_time_s + beam->line / scene.prf_hz;
        point.zero_doppler_time_s = point.beam_centre_time_s - offset_s(scene, point.range_m, scene.doppler_centroid_hz);
    } else {
        const auto& closest = std::get<ZeroDopplerPosition>(target.position);
        point.range_m = closest.range_m;
        point.zero_doppler_time_s = scene.first_pulse_time_s + closest.time_s;
        point.beam_centre_time_s = point.zero_doppler_time_s + offset_s(scene, point.range_m, scene.doppler_centroid_hz);
    }
    point.amplitude = std::polar(target.amplitude, target.phase_deg * std::numbers::pi / 180.0);
    return point;
}

std::vector<std::string> coverage_warnings(const Scene& scene) {
    std::vector<std::string> warnings;
    const std::vector<SceneTarget> targets = scene_targets(scene);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const Footprint seen = footprint(scene, locate(scene, targets[i]));
        const double end = seen.last_edge + scene.chirp_duration_s * scene.sample_rate_hz;
        if (seen.first_line >= 0 && seen.last_line <= static_cast<double>(scene.lines - 1) && seen.first_edge >= 0 &&
            end <= static_cast<double>(scene.samples))
            continue;
        warnings.push_back(fmt::format(
            "target {}: its echo fills lines {:.1f} to {:.1f} and samples {:.1f} to {:.1f}, a part of that lies outside {} x {}", i,
            seen.first_line, seen.last_line, seen.first_edge, end, scene.lines, scene.samples));
    }
    return warnings;
}

}  // namespace cornerturn
