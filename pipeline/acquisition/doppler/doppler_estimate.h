// SPDX-License-Identifier: Apache-2.0
// Estimates of the Doppler centroid from the echo itself.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

namespace cornerturn {

/// A group of lines and a stretch of samples.
struct DopplerCell {
    double time_s = 0;   ///< of emission, since the epoch, in the middle
    double range_m = 0;  ///< slant range of a target whose pulse lies in the middle
    std::complex<double> lag1;
    double error_hz = 0;  ///< standard deviation of the frequency that lag1 tells, as speckle and noise make it
    std::int64_t group = 0, stretch = 0;  ///< which of them: neighbours share one
};

struct DopplerEstimate {
    std::optional<double> baseband_hz;    ///< in [-PRF/2, PRF/2); nothing where no two lines share any signal
    std::optional<double> absolute_hz;    ///< rough and independent of the PRF; for the ambiguity only
    double absolute_error_hz = 0;         ///< its standard deviation
    std::vector<DopplerCell> cells = {};  ///< those that tell anything
    /// Absolute, in the middle of the scene, as the range walk of looks tells it; for the ambiguity only
    /// (estimate/look_estimate.h).
    std::optional<double> walk_hz = {};
    double walk_error_hz = 0;
    /// Whether the whole beam has passed over what the cells hold, as in an image (estimate/image_doppler.h); in an
    /// echo they hold targets that a part of it has seen.
    bool whole_beam = false;
};

}  // namespace cornerturn
