// SPDX-License-Identifier: Apache-2.0
// Scene to YAML.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/scene/scene_file.h"
#include "data/scene/scene_keys.h"

namespace cornerturn {
namespace {

std::string place_of(const BeamCentrePosition& p) { return fmt::format("line: {}, sample: {}", p.line, p.sample); }
std::string place_of(const ZeroDopplerPosition& p) {
    return fmt::format("range_m: {}, zero_doppler_time_s: {}", p.range_m, p.time_s);
}
std::string place_of(const GroundPosition& p) {
    return fmt::format("latitude_deg: {}, longitude_deg: {}", p.latitude_deg, p.longitude_deg);
}

std::string target_line(const SceneTarget& target) {
    const std::string place = std::visit([](const auto& position) { return place_of(position); }, target.position);
    const std::string height = target.height_m ? fmt::format(", height_m: {}", *target.height_m) : "";
    return fmt::format("  - {{{}{}, amplitude: {}, phase_deg: {}}}\n", place, height, target.amplitude,
                       target.phase_deg);
}

template <class Numbers, class Object>
std::string number_lines(const Numbers& numbers, const Object& object, std::string_view indent = "") {
    std::string text;
    for (const auto& [key, member] : numbers) text += fmt::format("{}{}: {}\n", indent, key, object.*member);
    return text;
}

std::string aircraft_text(const Flight& flight) {
    std::string text = "flight:\n" + number_lines(aircraft_numbers, flight, "  ");
    if (!flight.sway.empty()) text += "  sway:\n";
    for (const SwayWave& wave : flight.sway)
        text += fmt::format("    - {{along_m: {}, across_m: {}, up_m: {}, frequency_hz: {}, phase_deg: {}}}\n",
                            wave.along_m, wave.across_m, wave.up_m, wave.frequency_hz, wave.phase_deg);
    const Turbulence& turbulence = flight.turbulence;
    if (turbulence.gust_m_s > 0)
        text += fmt::format("  turbulence: {{gust_m_s: {}, autopilot_hz: {}, seed: {}}}\n", turbulence.gust_m_s,
                            turbulence.autopilot_hz, turbulence.seed);
    return text;
}

std::string beam_text(const Beam& beam) {
    if (beam.steering == Steering::spotlight)
        return fmt::format("beam: {{steering: spotlight, latitude_deg: {}, longitude_deg: {}{}}}\n",
                           beam.spot.latitude_deg, beam.spot.longitude_deg,
                           beam.spot_height_m ? fmt::format(", height_m: {}", *beam.spot_height_m) : "");
    return fmt::format("beam: {{steering: {}, yaw_deg: {}, pitch_deg: {}}}\n",
                       beam.steering == Steering::fixed ? "fixed" : "zero_doppler", beam.yaw_deg, beam.pitch_deg);
}

std::string track_text(const Scene& scene) {
    if (!scene.on_orbit())
        return number_lines(flight_numbers, scene) +
               (scene.altitude_m ? fmt::format("altitude_m: {}\n", *scene.altitude_m) : "");
    std::string text = beam_text(scene.beam);
    if (const auto* flight = std::get_if<Flight>(&scene.orbit)) return text + aircraft_text(*flight);
    text += "orbit:\n";
    if (const auto* kepler = std::get_if<KeplerOrbit>(&scene.orbit))
        return text + number_lines(kepler_numbers, *kepler, "  ");
    const auto& orbit = std::get<Orbit>(scene.orbit);
    text += "  vectors:\n";
    for (std::size_t i = 0; i < orbit.time_s.size(); ++i)
        text += fmt::format("    - [{}, {}, {}]\n", orbit.time_s[i], fmt::join(orbit.position_m[i], ", "),
                            fmt::join(orbit.velocity_m_s[i], ", "));
    return text;
}

std::string clutter_text(const Scene& scene) {
    std::string text = scene.clutter.empty() ? "" : "clutter:\n";
    for (const ClutterPatch& patch : scene.clutter)
        text += fmt::format(
            "  - {{first_line: {}, last_line: {}, first_sample: {}, last_sample: {}, scatterers: {}, power_db: {}}}\n",
            patch.first_line, patch.last_line, patch.first_sample, patch.last_sample, patch.scatterers, patch.power_db);
    return text;
}

}  // namespace

std::string to_yaml(const Scene& scene) {
    std::string text = fmt::format("lines: {}\nsamples: {}\n", scene.lines, scene.samples);
    text += number_lines(radar_numbers, scene) + track_text(scene);
    text += fmt::format("height_m: {}\nfirst_pulse_time_s: {}\n", scene.height_m, scene.first_pulse_time_s);
    if (scene.epoch != Scene().epoch) text += fmt::format("epoch: {}\n", scene.epoch);
    text += fmt::format("polarizations: [{}]\n", fmt::join(scene.polarizations, ", "));
    text += fmt::format("look_side: {}\n", scene.look_side == LookSide::left ? "left" : "right");
    text += fmt::format("sample_type: {}\n", name_in(sample_types, scene.sample_type));
    if (scene.noise_db) text += fmt::format("noise_db: {}\n", *scene.noise_db);
    text += fmt::format("seed: {}\n", scene.seed);
    if (scene.dither > 0) text += fmt::format("dither: {}\n", scene.dither);
    if (scene.lost_lines > 0) text += fmt::format("lost_lines: {}\n", scene.lost_lines);
    if (scene.transmit_gaps) text += "transmit_gaps: true\n";
    text += clutter_text(scene);
    if (scene.phase_error.any())
        text += fmt::format("phase_error:\n{}  walk_seed: {}\n",
                            number_lines(phase_error_numbers, scene.phase_error, "  "), scene.phase_error.walk_seed);
    const std::vector<SceneTarget> targets = scene_targets(scene);
    text += targets.empty() ? "targets: []\n" : "targets:\n";
    for (const SceneTarget& target : targets) text += target_line(target);
    return text;
}

}  // namespace cornerturn
