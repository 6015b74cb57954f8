// SPDX-License-Identifier: Apache-2.0
// What the echo itself says about its Doppler centroid.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "pipeline/echo/sampled_lines.h"

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

/// Nothing where the sum does not stand out of that of noise, or is of no samples but zeros. `pairs`: how many
/// independent ones went into it, of samples whose power sums up to `power`; with coherence g their phase is known to
/// sqrt((1 - g^2) / (2 g^2 pairs)) rad (Cumming & Wong 2005, section 12.4). `speckle_pairs`, if given, are those that
/// the error is of: fewer where power is unevenly spread.
std::optional<DopplerCell> doppler_cell(double time_s, double range_m, std::complex<double> lag1, double power,
                                        double pairs, double prf_hz, std::optional<double> speckle_pairs = {});

/// PRF / 2 pi times the phase of sum conj(x[line]) x[line + 1]. White noise has no part in that sum, gain control
/// hardly any. Nothing where the sum is 0 or not finite: an empty echo.
std::optional<double> baseband_doppler_hz(std::complex<double> lag1, double prf_hz);

/// Baseband part from the lag-1 correlation of neighbouring lines, absolute value from the data: the Doppler frequency
/// of the part f of the range spectrum is f_dc (1 + f/f0), so the slope of the lag-1 phase over the chirp's band is the
/// absolute centroid (multilook cross-correlation; Cumming & Wong 2005, sect. 12.5.2). Taken on range-compressed, fully
/// covered samples: in the raw echo the chirp ties range frequency to range at the edges of the swath, and the
/// centroid's drift with range would pass for a slope. Error by leaving out one eighth of the lines after the other, or
/// one quarter of the swath, whichever is larger: a bright target speaks in all lines that see it, but at one range.
DopplerEstimate estimate_doppler(const SampledLines& echo, int threads = 0);

}  // namespace cornerturn
