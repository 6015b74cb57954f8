// SPDX-License-Identifier: Apache-2.0
// Known targets of an image on a map, against their truth.
#pragma once

#include "pipeline/acquisition/ground/terrain.h"
#include "pipeline/verify/image_excerpt.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/seen_targets.h"

namespace cornerturn {

/// Place and phase of those that lie on the ground that the map shows, and the amplitude of those that all pulses of a
/// spotlight see, of those targets that are seen whole. `noise`: mean power of a pixel; `terrain`: what the heights of
/// the map are from, or null.
void check_map(const ImageExcerpt& image, const SeenTargets& seen, double noise, TerrainSource* terrain,
               ReferenceOutcome& outcome);

}  // namespace cornerturn
