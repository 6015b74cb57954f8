// SPDX-License-Identifier: Apache-2.0
// From an acquisition that fails to the simplest one that still does.
#pragma once

#include <functional>

#include "tests/campaign/drawn.h"

namespace cornerturn::campaign {

/// Leaves out, straightens, rounds and halves as long as `fails` says so, `most_tries` times at most.
Drawn simplest(Drawn drawn, const std::function<bool(const Drawn&)>& fails, int most_tries);

}  // namespace cornerturn::campaign
