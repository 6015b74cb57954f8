// SPDX-License-Identifier: Apache-2.0
// Common parts of checks of several targets: the largest deviation, and the allowance for noise.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/verify/reference_stage.h"

namespace cornerturn {

inline constexpr double largest_position_error_px = 0.01;
inline constexpr double largest_phase_error_deg = 1;
inline constexpr double largest_amplitude_error_db = 0.1;

/// What four standard deviations of the image's noise may add to each limit.
struct NoiseAllowance {
    double position_px = 0, phase_deg = 0, correlation_factor = 1, amplitude_db = 0, width_percent = 0, pslr_db = 0,
           islr_db = 0;
};

/// For a peak in white noise, nothing filtered away: a response that fills `band` of the sampling rate, its highest
/// sidelobe 0.217 of the peak, ten sidelobes each side with 0.087 / band of its energy per pixel over 20 / band pixels.
NoiseAllowance noise_allowance(double signal_to_noise, double band);

/// The largest of several deviations, which target it was, and the allowance; a deviation that is no number is the
/// largest.
class Worst {
public:
    void add(double deviation, double allowance, std::size_t target);
    /// Adds the check unless nothing was judged.
    void check(std::string name, double limit, std::string unit, std::vector<ReferenceCheck>& checks) const;

private:
    double value_ = 0, allowance_ = 0;
    std::optional<std::size_t> target_;
};

/// That one of the targets could be measured at least.
ReferenceCheck check_of_measured(std::size_t measured, std::size_t targets);

}  // namespace cornerturn
