// SPDX-License-Identifier: Apache-2.0
// YAML to Scene; every fault names its key and line.
#include "data/scene/scene_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "data/nisar/epoch.h"
#include "data/other_content.h"
#include "data/scene/scene_keys.h"
#include "data/scene/scene_positions.h"
#include "data/yaml/mapping.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

using yaml::item_of, yaml::items_of, yaml::Mapping, yaml::text_of;

constexpr std::pair<std::string_view, Steering> steerings[] = {
    {"zero_doppler", Steering::zero_doppler}, {"fixed", Steering::fixed}, {"spotlight", Steering::spotlight}};

const std::vector<std::pair<std::string, double ClutterPatch::*>> clutter_numbers = {
    {"first_line", &ClutterPatch::first_line},     {"last_line", &ClutterPatch::last_line},
    {"first_sample", &ClutterPatch::first_sample}, {"last_sample", &ClutterPatch::last_sample},
    {"power_db", &ClutterPatch::power_db},
};

const std::vector<std::pair<std::string, double SwayWave::*>> sway_numbers = {
    {"along_m", &SwayWave::along_m},           {"across_m", &SwayWave::across_m},   {"up_m", &SwayWave::up_m},
    {"frequency_hz", &SwayWave::frequency_hz}, {"phase_deg", &SwayWave::phase_deg},
};

template <class Numbers>
std::vector<std::string> keys_of(const Numbers& numbers, std::vector<std::string> more = {}) {
    for (const auto& [key, member] : numbers) more.push_back(key);
    return more;
}

std::vector<std::string> known_keys() {
    return keys_of(flight_numbers, keys_of(radar_numbers, {"preset",      "lines",       "samples",
                                                           "altitude_m",  "orbit",       "flight",
                                                           "beam",        "height_m",    "first_pulse_time_s",
                                                           "epoch",       "look_side",   "polarizations",
                                                           "sample_type", "noise_db",    "seed",
                                                           "dither",      "lost_lines",  "transmit_gaps",
                                                           "clutter",     "phase_error", "targets"}));
}

constexpr std::string_view a_number = "a number";

template <class Numbers, class Object>
void read_numbers(const Mapping& map, const Numbers& numbers, Object& to) {
    for (const auto& [key, member] : numbers) map.read(key, to.*member, a_number);
}

Orbit read_vectors(const Mapping& map) {
    Orbit orbit;
    for (std::size_t i = 0; i < items_of(map, "vectors"); ++i) {
        const YAML::Node row = map.at("vectors")[i];
        std::vector<double> numbers;
        if (!YAML::convert<std::vector<double>>::decode(row, numbers) || numbers.size() != 7)
            refuse(map.where(), fmt::format("vectors[{}] in line {} must be seven numbers [time_s, x, y, z, vx, vy, "
                                            "vz]: seconds since the epoch, ECEF in m and m/s",
                                            i, row.Mark().line + 1));
        orbit.add(numbers[0], {{numbers[1], numbers[2], numbers[3]}, {numbers[4], numbers[5], numbers[6]}});
    }
    return orbit;
}

void read_orbit(const Mapping& map, Scene& scene) {
    const YAML::Node node = map.at("orbit");
    if (node.IsScalar() && node.Scalar() == "straight") {
        scene.orbit = std::monostate();
        return;
    }
    const std::string where = map.where() + ": orbit";
    if (node.IsMap() && node["vectors"]) {
        scene.orbit = read_vectors(Mapping(node, where, {"vectors"}));
        return;
    }
    if (!node.IsMap())
        refuse(map.where(), fmt::format("orbit is {} in line {}, but must be straight, the mapping of a Kepler orbit "
                                        "({}), of a list of vectors or of a file of positions",
                                        text_of(node), node.Mark().line + 1, fmt::join(keys_of(kepler_numbers), ", ")));
    const Mapping elements(node, where, keys_of(kepler_numbers));
    KeplerOrbit kepler;
    if (!elements.has("altitude_m") || !elements.has("inclination_deg"))
        refuse(where, "a Kepler orbit must have altitude_m and inclination_deg; the other elements default to 0");
    read_numbers(elements, kepler_numbers, kepler);
    scene.orbit = kepler;
}

Turbulence read_turbulence(const Mapping& map) {
    const Mapping keys(map.at("turbulence"), map.where() + ": turbulence", {"gust_m_s", "autopilot_hz", "seed"});
    if (!keys.has("gust_m_s")) refuse(keys.where(), "gust_m_s is missing; give light, moderate, severe or a number");
    Turbulence turbulence;
    const YAML::Node gusts = keys.at("gust_m_s");
    if (const auto named = gusts.IsScalar() ? named_gust_m_s(gusts.Scalar()) : std::nullopt)
        turbulence.gust_m_s = *named;
    else
        keys.read("gust_m_s", turbulence.gust_m_s, "light, moderate, severe or a number");
    keys.read("autopilot_hz", turbulence.autopilot_hz, a_number);
    keys.read("seed", turbulence.seed, "a whole number from 0 to 2^64 - 1");
    return turbulence;
}

/// What is left out is as in `flight`, that of the preset.
Flight read_flight(const Mapping& map, Flight flight) {
    const Mapping keys(map.at("flight"), map.where() + ": flight", keys_of(aircraft_numbers, {"sway", "turbulence"}));
    for (const std::string key : {"speed_m_s", "altitude_m"})
        if (flight.speed_m_s == 0 && !keys.has(key)) refuse(keys.where(), key + " is missing");
    read_numbers(keys, aircraft_numbers, flight);
    if (keys.has("turbulence")) flight.turbulence = read_turbulence(keys);
    if (!keys.has("sway")) return flight;
    flight.sway.clear();
    for (std::size_t i = 0; i < items_of(keys, "sway"); ++i) {
        const Mapping item = item_of(keys, "sway", i, keys_of(sway_numbers));
        if (!item.has("frequency_hz")) refuse(item.where(), "frequency_hz is missing");
        SwayWave wave;
        read_numbers(item, sway_numbers, wave);
        flight.sway.push_back(wave);
    }
    return flight;
}

/// The track and where the antenna is held; the file of positions, which needs the times of pulses, is left for later.
std::optional<ScenePositions> read_track(const Mapping& map, Scene& scene) {
    if (map.has("orbit") && map.has("flight"))
        refuse(map.where(), "orbit and flight are two tracks; leave one of them out");
    for (const std::string key : {"orbit", "flight"}) {
        if (!map.has(key) || !has_positions(map.at(key))) continue;
        scene.orbit = Orbit();
        if (key == "flight") scene.beam = {.steering = Steering::fixed};
        return read_positions(map, key);
    }
    if (map.has("orbit")) read_orbit(map, scene);
    if (!map.has("flight")) return std::nullopt;
    const auto* preset = std::get_if<Flight>(&scene.orbit);
    if (!preset) scene.beam = {.steering = Steering::fixed};
    scene.orbit = read_flight(map, preset ? *preset : Flight{});
    return std::nullopt;
}

Beam read_beam(const Mapping& map, Steering steering) {
    const Mapping keys(map.at("beam"), map.where() + ": beam",
                       {"steering", "yaw_deg", "pitch_deg", "latitude_deg", "longitude_deg", "height_m"});
    Beam beam{.steering = steering};
    if (keys.has("steering")) {
        const auto text = keys.get<std::string>("steering", "zero_doppler, fixed or spotlight");
        const auto found = std::find_if(std::begin(steerings), std::end(steerings),
                                        [&](const auto& known) { return known.first == text; });
        if (found == std::end(steerings))
            refuse(keys.where(), fmt::format("steering is '{}', but must be zero_doppler, fixed or spotlight", text));
        beam.steering = found->second;
    }
    const bool spotlight = beam.steering == Steering::spotlight;
    for (const std::string key : {"latitude_deg", "longitude_deg"})
        if (spotlight != keys.has(key))
            refuse(keys.where(), spotlight ? fmt::format("{} is missing: where a spotlight is held", key)
                                           : fmt::format("{} is of a spotlight; leave it out", key));
    for (const std::string key : {"yaw_deg", "pitch_deg"})
        if (spotlight && keys.has(key))
            refuse(keys.where(), fmt::format("{} does not go with a spotlight, which is held on a place", key));
    keys.read("latitude_deg", beam.spot.latitude_deg, a_number);
    keys.read("longitude_deg", beam.spot.longitude_deg, a_number);
    if (keys.has("height_m")) {
        if (!spotlight) refuse(keys.where(), "height_m is of a spotlight; leave it out");
        beam.spot_height_m = keys.get<double>("height_m", a_number);
    }
    keys.read("yaw_deg", beam.yaw_deg, a_number);
    keys.read("pitch_deg", beam.pitch_deg, a_number);
    return beam;
}

std::vector<ClutterPatch> read_clutter(const Mapping& map) {
    std::vector<ClutterPatch> patches;
    for (std::size_t i = 0; i < items_of(map, "clutter"); ++i) {
        const Mapping item = item_of(map, "clutter", i, keys_of(clutter_numbers, {"scatterers"}));
        for (const std::string key : {"first_line", "last_line", "first_sample", "last_sample", "scatterers"})
            if (!item.has(key)) refuse(item.where(), key + " is missing");
        ClutterPatch patch;
        read_numbers(item, clutter_numbers, patch);
        item.read("scatterers", patch.scatterers, "a whole number");
        patches.push_back(patch);
    }
    return patches;
}

PhaseError read_phase_error(const Mapping& map) {
    const Mapping keys(map.at("phase_error"), map.where() + ": phase_error",
                       keys_of(phase_error_numbers, {"walk_seed"}));
    PhaseError error;
    read_numbers(keys, phase_error_numbers, error);
    keys.read("walk_seed", error.walk_seed, "a whole number from 0 to 2^64 - 1");
    return error;
}

std::vector<std::string> read_polarizations(const Mapping& map) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < items_of(map, "polarizations"); ++i)
        names.push_back(map.at("polarizations")[i].as<std::string>());
    return names;
}

const std::vector<std::pair<std::string, std::string>> target_places = {
    {"line", "sample"}, {"range_m", "zero_doppler_time_s"}, {"latitude_deg", "longitude_deg"}};

SceneTarget read_target(const Mapping& map) {
    const std::pair<std::string, std::string>* place = nullptr;
    int keys = 0;
    for (const auto& pair : target_places) {
        if (map.has(pair.first) && map.has(pair.second)) place = &pair;
        keys += map.has(pair.first) + map.has(pair.second);
    }
    if (!place || keys != 2)
        refuse(map.where(),
               "must have either line and sample (beam-centre echo) or range_m and zero_doppler_time_s or latitude_deg "
               "and longitude_deg");
    SceneTarget target;
    const double first = map.get<double>(place->first, a_number), second = map.get<double>(place->second, a_number);
    if (place->first == "line") target.position = BeamCentrePosition{first, second};
    if (place->first == "range_m") target.position = ZeroDopplerPosition{first, second};
    if (place->first == "latitude_deg") target.position = GroundPosition{first, second};
    if (map.has("height_m")) target.height_m = map.get<double>("height_m", a_number);
    map.read("amplitude", target.amplitude, a_number);
    map.read("phase_deg", target.phase_deg, a_number);
    return target;
}

std::vector<SceneTarget> read_targets(const Mapping& map) {
    std::vector<SceneTarget> targets;
    for (std::size_t i = 0; i < items_of(map, "targets"); ++i)
        targets.push_back(read_target(item_of(map, "targets", i,
                                              {"line", "sample", "range_m", "zero_doppler_time_s", "latitude_deg",
                                               "longitude_deg", "height_m", "amplitude", "phase_deg"})));
    return targets;
}

void require_radar(const Mapping& map) {
    std::vector<std::string> missing;
    for (const std::string key : {"lines", "samples"})
        if (!map.has(key)) missing.push_back(key);
    for (const std::string& key : map.has("orbit") || map.has("flight")
                                      ? keys_of(radar_numbers)
                                      : keys_of(flight_numbers, keys_of(radar_numbers)))
        if (!map.has(key)) missing.push_back(key);
    if (!missing.empty())
        refuse(map.where(),
               fmt::format("{} missing; give {}, or 'preset: NAME' with one of {}", fmt::join(missing, ", "),
                           missing.size() > 1 ? "them" : "it", fmt::join(preset_names(), ", ")));
}

LookSide look_side(const Mapping& map) {
    const auto text = map.get<std::string>("look_side", "left or right");
    if (text != "left" && text != "right")
        refuse(map.where(), fmt::format("look_side is '{}', but must be left or right", text));
    return text == "left" ? LookSide::left : LookSide::right;
}

std::string read_epoch(const Mapping& map) {
    const auto text = map.get<std::string>("epoch", "a time");
    const auto epoch = parse_epoch(text);
    if (!epoch) refuse(map.where(), fmt::format("epoch is '{}', but must be YYYY-MM-DDThh:mm:ss", text));
    return epoch->fraction == 0 ? epoch->text() : epoch->text_nanoseconds();
}

Scene read_scene(const Mapping& map, SceneSources& sources) {
    Scene scene;
    if (map.has("preset"))
        scene = preset_scene(map.get<std::string>("preset", "the name of a preset"));
    else
        require_radar(map);
    const std::optional<ScenePositions> positions = read_track(map, scene);
    for (const std::string& key : keys_of(flight_numbers, {"altitude_m"}))
        if (scene.on_orbit() && map.has(key))
            refuse(map.where(),
                   fmt::format("{} belongs to a straight flight, but the scene has {}; leave it out (beam: tells where "
                               "the antenna looks) or give 'orbit: straight'",
                               key,
                               map.has("flight") || std::holds_alternative<Flight>(scene.orbit) ? "a flight of its own"
                                                                                                : "an orbit"));
    if (!scene.on_orbit() && map.has("beam"))
        refuse(
            map.where(),
            "beam belongs to an orbit or a flight:, but the flight is straight; give doppler_centroid_hz or an orbit");
    read_numbers(map, radar_numbers, scene);
    read_numbers(map, flight_numbers, scene);
    if (map.has("beam"))
        scene.beam =
            read_beam(map, map.has("flight") || std::holds_alternative<Flight>(scene.orbit) ? Steering::fixed
                                                                                            : Steering::zero_doppler);
    map.read("height_m", scene.height_m, a_number);
    map.read("first_pulse_time_s", scene.first_pulse_time_s, a_number);
    if (map.has("polarizations")) scene.polarizations = read_polarizations(map);
    if (map.has("clutter")) scene.clutter = read_clutter(map);
    if (map.has("phase_error")) scene.phase_error = read_phase_error(map);
    map.read("lines", scene.lines, "a whole number");
    map.read("samples", scene.samples, "a whole number");
    map.read("seed", scene.seed, "a whole number from 0 to 2^64 - 1");
    map.read("dither", scene.dither, "a part of an interval");
    map.read("lost_lines", scene.lost_lines, "a part of all lines");
    map.read("transmit_gaps", scene.transmit_gaps, "true or false");
    if (map.has("altitude_m")) scene.altitude_m = map.get<double>("altitude_m", "a number");
    if (map.has("noise_db")) scene.noise_db = map.get<double>("noise_db", "a number");
    if (map.has("look_side")) scene.look_side = look_side(map);
    if (map.has("sample_type"))
        scene.sample_type = parse_sample_type(map.get<std::string>("sample_type", "f32, int16 or int8"));
    if (map.has("targets")) scene.targets = read_targets(map);
    if (map.has("epoch")) scene.epoch = read_epoch(map);
    if (!positions) return scene;
    sources.positions = positions->file.string();
    fly_along(*positions, {.epoch = map.has("epoch"), .first_pulse = map.has("first_pulse_time_s")}, scene,
              sources.remarks);
    return scene;
}

template <class Load>
Scene read_scene_by(const Load& load, const std::string& where, SceneSources& sources) try {
    return read_scene(Mapping(load(), where, known_keys()), sources);
} catch (const YAML::BadFile&) {
    refuse(where, "cannot be opened for reading; check name and permissions");
} catch (const YAML::Exception& error) {
    refuse(where, fmt::format(
                      "no valid YAML in line {}: {}; see `cornerturn simulate spaceborne --print-scene` for an example",
                      error.mark.line + 1, error.msg));
}

}  // namespace

Scene read_scene_text(const std::string& text, const std::string& where, SceneSources& sources) {
    return read_scene_by([&] { return YAML::Load(text); }, where, sources);
}

Scene read_scene_file(const std::filesystem::path& path, SceneSources& sources) {
    const std::string where = path.string();
    if (std::filesystem::is_directory(path))
        refuse(where, "is a folder, but must be a YAML scene file; name the file in it");
    require_text(where, "a scene file (YAML)");
    return read_scene_by([&] { return YAML::LoadFile(where); }, where, sources);
}

bool is_preset(const std::string& name) {
    const std::vector<std::string> presets = preset_names();
    return std::find(presets.begin(), presets.end(), name) != presets.end();
}

Scene load_scene(const std::string& preset_or_file, SceneSources& sources) {
    if (is_preset(preset_or_file)) return preset_scene(preset_or_file);
    std::error_code ignored;
    if (!std::filesystem::exists(preset_or_file, ignored))
        throw InputError(fmt::format("scene '{}' is neither a file nor a preset; the presets are {}", preset_or_file,
                                     fmt::join(preset_names(), ", ")));
    return read_scene_file(preset_or_file, sources);
}

SampleFormat parse_sample_type(const std::string& text) { return choose_in(sample_types, "sample type", text); }

}  // namespace cornerturn
