// SPDX-License-Identifier: Apache-2.0
// What a pulse at another time would have received, from pulses around it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cornerturn {

/// What goes into an estimate: so many pulses, no farther away than this, in intervals.
inline constexpr std::size_t most_interpolated_pulses = 16;
inline constexpr double interpolation_reach = 12;
/// Where the next pulses to either side are so far apart, some are lost, and the estimate is taken only where its error
/// is less than this part of the power: else there is a gap.
inline constexpr double interpolation_gap = 1.5, largest_interpolation_error = 0.1;

/// Weights of pulses at `times`, counted from the wanted time in intervals of the mean PRF, at least one of them and no
/// two the same: the best linear unbiased estimate of a signal with a flat spectrum of width `band` (of the PRF, 0 <
/// band <= 1) about zero, which solves G w = r with G_ij = rho(t_i - t_j), r_i = rho(t_i), rho = sinc(band t) (Villano,
/// Krieger & Moreira 2014, "Staggered SAR", section V; isce3 does the same with the correlation of its antenna's beam).
/// Sixteen pulses give -76 dB of error where band is 0.8 and times lie within 5 % of a regular grid. A pulse at the
/// wanted time is taken as it is.
std::vector<double> interpolation_weights(std::span<const double> times, double band);

/// Of that estimate, in parts of the signal's power.
double interpolation_error(std::span<const double> times, double band);

}  // namespace cornerturn
