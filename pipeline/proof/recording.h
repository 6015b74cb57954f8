// SPDX-License-Identifier: Apache-2.0
// Recording of a scene: which pulses are recorded, their times, and which of their samples are lost while other
// pulses are sent.
#pragma once

#include "pipeline/proof/scene.h"

namespace cornerturn {

/// When a scene's pulses leave as if none were dithered or lost: its lines and samples, ranges and pulse.
Acquisition timing_of(const Scene& scene);

/// The lines that are recorded, at times of their own where scene.dither or scene.lost_lines ask for it, with the
/// samples between transmissions where scene.transmit_gaps does. The first and the last pulse are always there, in
/// their places.
Acquisition recording_of(const Scene& scene);

}  // namespace cornerturn
