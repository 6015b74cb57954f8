// SPDX-License-Identifier: Apache-2.0
// The scene that is simulated, and what options change of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/scene/scene_file.h"
#include "pipeline/proof/scene.h"

namespace cornerturn {

class Verb;

/// As they were written.
struct SceneOptions {
    std::string scene;  ///< a preset or a file
    std::string sample_type;
    std::optional<double> noise_db;
    std::string phase_error;
    std::string turbulence;
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> lines;
    std::optional<std::int64_t> samples;
    std::optional<double> dither, lost_lines;
    bool transmit_gaps = false;
};

/// All but the scene itself.
void add_scene_options(const Verb& verb, SceneOptions& options);

/// Validated. Throws InputError naming option or key.
Scene chosen_scene(const SceneOptions& options, SceneSources& sources);
Scene with_options(Scene scene, const SceneOptions& options);

}  // namespace cornerturn
