// SPDX-License-Identifier: Apache-2.0
// Images on maps, and of tracks in a frame of the scene's own, which go onto maps only.
#pragma once

#include "pipeline/plan/focus_setup.h"

namespace cornerturn {

/// Throws InputError where acquisition, map and algorithm do not go together.
void check_map(const Acquisition& acquisition, const FocusOptions& options);

/// As all of its rows see it.
void put_on_map(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup);

/// Of an echo whose pulses all count: neither Doppler centroid nor velocity matters. Steps are not planned yet.
FocusSetup set_up_all_pulses(const Acquisition& acquisition, const FocusOptions& options);

}  // namespace cornerturn
