// SPDX-License-Identifier: Apache-2.0
// The targets of a simulated file, where it tells of them.
#pragma once

#include <vector>

#include "data/cphd/metadata.h"
#include "data/cphd/pulse_parameters.h"
#include "pipeline/acquisition/acquisition.h"

namespace cornerturn::cphd {

/// With their places, seen from the nearest pulse. `clock_s` is added to all times.
std::vector<PointTarget> truth_of(const std::vector<ToldTarget>& told, const std::vector<Pulse>& pulses,
                                  double clock_s);

}  // namespace cornerturn::cphd
