// SPDX-License-Identifier: Apache-2.0
// What the spectrum of a short chirp has beyond its sampling, and what points are off by as it folds back.
#pragma once

#include "pipeline/formers/prediction.h"

namespace cornerturn {

/// Of chirps that follow from slope and duration, and were not filtered before they were sampled, wherever their points
/// lie between samples (position in samples): against the response of their band. Nothing for a replica, which may tell
/// of such a filter, and for long chirps, of which next to nothing folds back.
Prediction lost_by_folding(const Chirp& chirp, double sample_rate_hz, const Window& window);

}  // namespace cornerturn
