// SPDX-License-Identifier: Apache-2.0
// Small images that estimates look at, made on the CPU: so that a job's estimates are the same whatever device makes
// its image, and on all ranks.
#pragma once

#include "pipeline/run/data_estimates.h"

namespace cornerturn {

/// The device is opened when the first image is asked for: most jobs ask for none.
Imager cpu_imager(int threads);

}  // namespace cornerturn
