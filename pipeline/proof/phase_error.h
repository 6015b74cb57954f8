// SPDX-License-Identifier: Apache-2.0
// A phase error of the lines of a simulated echo, such as unknown motion, clocks and propagation cause.
#pragma once

#include <cstdint>
#include <vector>

namespace cornerturn {

/// A function of slow time alone, the same at all ranges: the sum of three. u runs from -1 at the first pulse to 1 at
/// the last.
struct PhaseError {
    double quadratic_rad = 0;              ///< u^2 of it: at either end of the strip, against its middle
    double sine_rad = 0, sine_cycles = 1;  ///< amplitude; cycles over the strip
    double walk_rad = 0;                   ///< random walk: standard deviation of the last pulse against the first
    std::uint64_t walk_seed = 1;
    bool any() const { return quadratic_rad != 0 || sine_rad != 0 || walk_rad != 0; }
    friend bool operator==(const PhaseError&, const PhaseError&) = default;
};

/// Of each of `lines` pulses that leave in equal steps, in rad. An echo line is multiplied with exp(j phase).
std::vector<double> phases_rad(const PhaseError& error, std::int64_t lines);

}  // namespace cornerturn
