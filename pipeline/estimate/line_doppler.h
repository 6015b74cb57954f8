// SPDX-License-Identifier: Apache-2.0
// The Doppler centroid from lines of an echo: its baseband part, and a rough absolute value.
#pragma once

#include <complex>
#include <optional>

#include "pipeline/acquisition/doppler/doppler_estimate.h"
#include "pipeline/echo/sampled_lines.h"

namespace cornerturn {

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
