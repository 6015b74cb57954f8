// SPDX-License-Identifier: Apache-2.0
#include "app/bench/bench_result.h"

#include <algorithm>
#include <stdexcept>

namespace cornerturn {

const BenchStep& BenchResult::step(const std::string& name) const {
    for (const BenchStep& step : steps)
        if (step.name == name) return step;
    throw std::logic_error("the bench has no step " + name);
}

BenchStep& BenchResult::step(const std::string& name) {
    return const_cast<BenchStep&>(static_cast<const BenchResult*>(this)->step(name));
}

bool BenchResult::has(const std::string& name) const {
    return std::any_of(steps.begin(), steps.end(), [&](const BenchStep& step) { return step.name == name; });
}

void BenchResult::rate(BenchStep& step, double bytes) const {
    step.gbytes_per_s = 1e-6 * bytes / step.median_ms;
    step.k_eff = 2 * copy_gbytes_per_s / step.gbytes_per_s;
}

}  // namespace cornerturn
