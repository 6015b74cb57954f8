// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/phase_error.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipeline/proof/counted_random.h"

namespace cornerturn {
namespace {

/// Number `i` of a sequence of independent normal numbers (Box and Muller 1958).
double normal(std::uint64_t key, std::uint64_t i) {
    const double radius = std::sqrt(-2 * std::log(1 - unit(mix(key + 2 * i))));
    return radius * std::cos(2 * std::numbers::pi * unit(mix(key + 2 * i + 1)));
}

}  // namespace

std::vector<double> phases_rad(const PhaseError& error, std::int64_t lines) {
    const double steps = static_cast<double>(std::max<std::int64_t>(lines - 1, 1));
    const std::uint64_t key = mix(mix(error.walk_seed) ^ purpose("walk"));
    std::vector<double> phases(static_cast<std::size_t>(lines));
    double walked = 0;
    for (std::size_t line = 0; line < phases.size(); ++line) {
        const double u = 2 * static_cast<double>(line) / steps - 1;
        if (line > 0) walked += error.walk_rad / std::sqrt(steps) * normal(key, line);
        phases[line] = error.quadratic_rad * u * u +
                       error.sine_rad * std::sin(std::numbers::pi * error.sine_cycles * (u + 1)) + walked;
    }
    return phases;
}

}  // namespace cornerturn
