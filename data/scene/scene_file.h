// SPDX-License-Identifier: Apache-2.0
// Scene files: the simulator's input as YAML.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/proof/scene.h"

namespace cornerturn {

/// What a scene file brought along.
struct SceneSources {
    std::string positions = {};             ///< file of its track; "": none
    std::vector<std::string> remarks = {};  ///< what a user should hear of it
};

/// Reads a scene. Every key is a member of Scene; `preset: NAME` takes the others from that preset, without it the
/// radar's keys must all be there; `targets` left out means nine on a grid. A target is {line, sample} of its
/// beam-centre echo or {range_m, zero_doppler_time_s} (seconds after the first pulse) or {latitude_deg, longitude_deg},
/// with height_m, amplitude and phase_deg. `orbit` is straight, the elements of a Kepler orbit, or {vectors: [[time_s,
/// x, y, z, vx, vy, vz], ...]}, or {positions: FILE}, a navigation file beside the scene file (fly_along); `flight`
/// instead is that of an aircraft, or such a file; `beam` points an antenna on either. Throws InputError naming file,
/// key, value and choices. The scene is not validated: options of the command line may still change it.
Scene read_scene_file(const std::filesystem::path& path, SceneSources& sources);

/// The same from text; `where`: what complaints call it, and the folder of a navigation file that it names.
Scene read_scene_text(const std::string& text, const std::string& where, SceneSources& sources);

/// Whatever files or folders have that name: one of these is ./NAME.
bool is_preset(const std::string& name);

/// A preset by name, else a file. Throws InputError listing the presets if it is neither.
Scene load_scene(const std::string& preset_or_file, SceneSources& sources);

/// The text that read_scene_file reads back, target list included.
std::string to_yaml(const Scene& scene);

/// Reads `f32`, `int16` or `int8`. Throws InputError naming the choices.
SampleFormat parse_sample_type(const std::string& text);

}  // namespace cornerturn
