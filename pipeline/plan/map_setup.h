// SPDX-License-Identifier: Apache-2.0
// Set-up of images on maps, and of tracks in a local frame, which are imaged on maps only.
#pragma once

#include "pipeline/plan/focus_setup.h"

namespace cornerturn {

/// Throws InputError where acquisition, map and algorithm do not go together.
void check_map(const Acquisition& acquisition, const FocusOptions& options);

/// Plans the image on its map, as all of its rows see it.
void put_on_map(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup);

/// Set-up for an echo whose pulses all count: neither Doppler centroid nor velocity matters. Steps are not planned yet.
FocusSetup set_up_all_pulses(const Acquisition& acquisition, const FocusOptions& options);

}  // namespace cornerturn
