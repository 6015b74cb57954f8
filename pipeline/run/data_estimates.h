// SPDX-License-Identifier: Apache-2.0
// What only the data can tell of a job is asked once, of the echo as recorded, before anything is decided that hangs on
// it.
#pragma once

#include "pipeline/acquisition/doppler.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// The same options with what the data of a job's first frame say, where Doppler centroid or velocity have to come from
/// them; nothing is asked twice. Throws InputError where they do not tell it.
FocusOptions with_estimates(EchoSource& first, FocusOptions options, int threads = 0);

/// The Doppler centroid by options, file, attitude and data. Throws what choose_doppler throws, and std::logic_error
/// where the data have to tell and were not asked.
DopplerChoice doppler_by(const Acquisition& acquisition, const FocusOptions& options, const SceneHeight& height_m);

}  // namespace cornerturn
