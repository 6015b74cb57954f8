// SPDX-License-Identifier: Apache-2.0
// Estimates that only the data can give, made once from the recorded echo before any decision that depends on them.
#pragma once

#include "pipeline/echo/source_and_sink.h"
#include "pipeline/estimate/imager.h"
#include "pipeline/plan/focus_options.h"

namespace cornerturn {

/// Makes images on the CPU, so that estimates are the same whatever device makes the image of the job.
Imager imager(int threads = 0);

/// The same options with what the data of a job's first frame say, where Doppler centroid or velocity have to come from
/// them; nothing is asked twice. Throws InputError where they do not tell it.
FocusOptions with_estimates(EchoSource& first, FocusOptions options, int threads = 0);

}  // namespace cornerturn
