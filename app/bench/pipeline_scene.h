// SPDX-License-Identifier: Apache-2.0
// The frame that bench pipeline forms: random numbers in the geometry of the spaceborne preset.
#pragma once

#include <cstddef>
#include <vector>

#include "app/bench/pipeline_bench.h"
#include "kernels/steps/algorithm.h"

namespace cornerturn {

std::vector<std::byte> random_echo(const PipelineRequest& request);
Algorithm algorithm_for(const PipelineRequest& request);

}  // namespace cornerturn
