// SPDX-License-Identifier: Apache-2.0
// YAML to Scene and back; every fault names its key and line.
#include "data/scene_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <set>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr std::pair<std::string_view, SampleFormat> sample_types[] = {
    {"f32", SampleFormat::complex64}, {"int16", SampleFormat::int16}, {"int8", SampleFormat::int8}};

[[noreturn]] void refuse(const std::string& where, const std::string& what) { throw InputError(fmt::format("{}: {}", where, what)); }

std::string text_of(const YAML::Node& node) {
    if (node.IsScalar()) return fmt::format("'{}'", node.Scalar());
    return node.IsSequence() ? "a list" : node.IsMap() ? "a mapping" : "empty";
}

/// A mapping whose keys are all known and given once. `where` is the file and the place in it.
class Mapping {
public:
    Mapping(const YAML::Node& node, std::string where, const std::vector<std::string>& known) : node_(node), where_(std::move(where)) {
        if (!node.IsMap())
            refuse(where_,
                   fmt::format("must be a mapping of keys to values, but is {}; known keys: {}", text_of(node), fmt::join(known, ", ")));
        std::set<std::string> seen;
        for (const auto& entry : node) {
            const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : text_of(entry.first);
            if (std::find(known.begin(), known.end(), key) == known.end())
                refuse(where_, fmt::format("unknown key '{}' in line {}; known keys: {}", key, entry.first.Mark().line + 1,
                                           fmt::join(known, ", ")));
            if (!seen.insert(key).second)
                refuse(where_, fmt::format("key '{}' is given twice, again in line {}; keep one", key, entry.first.Mark().line + 1));
        }
    }

    bool has(const std::string& key) const { return static_cast<bool>(node_[key]); }
    YAML::Node at(const std::string& key) const { return node_[key]; }

    template <class Value>
    Value get(const std::string& key, std::string_view expected) const {
        const YAML::Node value = node_[key];
        Value result{};
        if (!value.IsScalar() || !YAML::convert<Value>::decode(value, result))
            refuse(where_, fmt::format("{} is {} in line {}, but must be {}", key, text_of(value), value.Mark().line + 1, expected));
        return result;
    }

    template <class Value>
    void read(const std::string& key, Value& to, std::string_view expected) const {
        if (has(key)) to = get<Value>(key, expected);
    }

    const std::string& where() const { return where_; }

private:
    YAML::Node node_;
    std::string where_;
};

/// The numbers that a scene without preset must give.
const std::vector<std::pair<std::string, double Scene::*>> radar_numbers = {
    {"carrier_hz", &Scene::carrier_hz},
    {"prf_hz", &Scene::prf_hz},
    {"sample_rate_hz", &Scene::sample_rate_hz},
    {"near_range_m", &Scene::near_range_m},
    {"chirp_slope_hz_s", &Scene::chirp_slope_hz_s},
    {"chirp_duration_s", &Scene::chirp_duration_s},
    {"velocity_m_s", &Scene::velocity_m_s},
    {"doppler_centroid_hz", &Scene::doppler_centroid_hz},
    {"azimuth_bandwidth_hz", &Scene::azimuth_bandwidth_hz},
};

std::vector<std::string> known_keys() {
    std::vector<std::string> keys{"preset", "lines", "samples", "altitude_m", "look_side", "sample_type", "noise_db", "seed", "targets"};
    for (const auto& [key, member] : radar_numbers) keys.push_back(key);
    return keys;
}

SceneTarget read_target(const Mapping& map) {
    const bool beam = map.has("line") && map.has("sample") && !map.has("range_m") && !map.has("zero_doppler_time_s");
    const bool closest = map.has("range_m") && map.has("zero_doppler_time_s") && !map.has("line") && !map.has("sample");
    if (!beam && !closest) refuse(map.where(), "must have either line and sample (beam-centre echo) or range_m and zero_doppler_time_s");
    SceneTarget target;
    constexpr std::string_view number = "a number";
    if (beam)
        target.position = BeamCentrePosition{map.get<double>("line", number), map.get<double>("sample", number)};
    else
        target.position = ZeroDopplerPosition{map.get<double>("range_m", number), map.get<double>("zero_doppler_time_s", number)};
    map.read("amplitude", target.amplitude, number);
    map.read("phase_deg", target.phase_deg, number);
    return target;
}

std::vector<SceneTarget> read_targets(const Mapping& map) {
    const YAML::Node list = map.at("targets");
    if (!list.IsSequence())
        refuse(map.where(), fmt::format("targets is {} in line {}, but must be a list", text_of(list), list.Mark().line + 1));
    std::vector<SceneTarget> targets;
    for (std::size_t i = 0; i < list.size(); ++i)
        targets.push_back(read_target(Mapping(list[i], fmt::format("{}: targets[{}]", map.where(), i),
                                              {"line", "sample", "range_m", "zero_doppler_time_s", "amplitude", "phase_deg"})));
    return targets;
}

void require_radar(const Mapping& map) {
    std::vector<std::string> missing;
    for (const std::string key : {"lines", "samples"})
        if (!map.has(key)) missing.push_back(key);
    for (const auto& [key, member] : radar_numbers)
        if (!map.has(key)) missing.push_back(key);
    if (!missing.empty())
        refuse(map.where(), fmt::format("{} missing; give {}, or 'preset: NAME' with one of {}", fmt::join(missing, ", "),
                                        missing.size() > 1 ? "them" : "it", fmt::join(preset_names(), ", ")));
}

LookSide look_side(const Mapping& map) {
    const auto text = map.get<std::string>("look_side", "left or right");
    if (text != "left" && text != "right") refuse(map.where(), fmt::format("look_side is '{}', but must be left or right", text));
    return text == "left" ? LookSide::left : LookSide::right;
}

Scene read_scene(const Mapping& map) {
    Scene scene;
    if (map.has("preset"))
        scene = preset_scene(map.get<std::string>("preset", "the name of a preset"));
    else
        require_radar(map);
    for (const auto& [key, member] : radar_numbers) map.read(key, scene.*member, "a number");
    map.read("lines", scene.lines, "a whole number");
    map.read("samples", scene.samples, "a whole number");
    map.read("seed", scene.seed, "a whole number from 0 to 2^64 - 1");
    if (map.has("altitude_m")) scene.altitude_m = map.get<double>("altitude_m", "a number");
    if (map.has("noise_db")) scene.noise_db = map.get<double>("noise_db", "a number");
    if (map.has("look_side")) scene.look_side = look_side(map);
    if (map.has("sample_type")) scene.sample_type = parse_sample_type(map.get<std::string>("sample_type", "f32, int16 or int8"));
    if (map.has("targets")) scene.targets = read_targets(map);
    return scene;
}

std::string target_line(const SceneTarget& target) {
    const std::string where =
        std::holds_alternative<BeamCentrePosition>(target.position)
            ? fmt::format("line: {}, sample: {}", std::get<BeamCentrePosition>(target.position).line,
                          std::get<BeamCentrePosition>(target.position).sample)
            : fmt::format("range_m: {}, zero_doppler_time_s: {}", std::get<ZeroDopplerPosition>(target.position).range_m,
                          std::get<ZeroDopplerPosition>(target.position).time_s);
    return fmt::format("  - {{{}, amplitude: {}, phase_deg: {}}}\n", where, target.amplitude, target.phase_deg);
}

}  // namespace

Scene read_scene_file(const std::filesystem::path& path) {
    const std::string where = path.string();
    if (std::filesystem::is_directory(path)) refuse(where, "is a folder, but must be a YAML scene file; name the file in it");
    try {
        return read_scene(Mapping(YAML::LoadFile(where), where, known_keys()));
    } catch (const YAML::BadFile&) {
        refuse(where, "cannot be opened for reading; check name and permissions");
    } catch (const YAML::Exception& error) {
        refuse(where, fmt::format("no valid YAML in line {}: {}; see `cornerturn simulate spaceborne --print-scene` for an example",
                                  error.mark.line + 1, error.msg));
    }
}

Scene load_scene(const std::string& preset_or_file) {
    const std::vector<std::string> presets = preset_names();
    if (std::find(presets.begin(), presets.end(), preset_or_file) != presets.end()) return preset_scene(preset_or_file);
    std::error_code ignored;
    if (!std::filesystem::exists(preset_or_file, ignored))
        throw InputError(
            fmt::format("scene '{}' is neither a file nor a preset; the presets are {}", preset_or_file, fmt::join(presets, ", ")));
    return read_scene_file(preset_or_file);
}

std::string to_yaml(const Scene& scene) {
    std::string text = fmt::format("lines: {}\nsamples: {}\n", scene.lines, scene.samples);
    for (const auto& [key, member] : radar_numbers) text += fmt::format("{}: {}\n", key, scene.*member);
    if (scene.altitude_m) text += fmt::format("altitude_m: {}\n", *scene.altitude_m);
    text += fmt::format("look_side: {}\n", scene.look_side == LookSide::left ? "left" : "right");
    for (const auto& [name, format] : sample_types)
        if (format == scene.sample_type) text += fmt::format("sample_type: {}\n", name);
    if (scene.noise_db) text += fmt::format("noise_db: {}\n", *scene.noise_db);
    text += fmt::format("seed: {}\n", scene.seed);
    const std::vector<SceneTarget> targets = scene_targets(scene);
    text += targets.empty() ? "targets: []\n" : "targets:\n";
    for (const SceneTarget& target : targets) text += target_line(target);
    return text;
}

SampleFormat parse_sample_type(const std::string& text) {
    for (const auto& [name, format] : sample_types)
        if (name == text) return format;
    throw InputError(fmt::format("sample type '{}' is unknown; choose f32, int16 or int8", text));
}

}  // namespace cornerturn
