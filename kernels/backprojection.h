// SPDX-License-Identifier: Apache-2.0
// Time-domain back-projection: the reference that shares no FFT and no filter with the frequency-domain chains.
#pragma once

#include <cstdint>

#include "kernels/phasor.h"

namespace cornerturn {

/// A small patch of the image and the signal model (DESIGN §2) by which it is correlated with the raw echo.
/// Every pixel (range_m, time_s) is the sum over lines and samples of conj(model) * echo, divided by the model's energy, so that a
/// point target of amplitude A whose every line was summed peaks at A * exp(-j 4 pi R0 / lambda).
struct BackprojectionChip {
    // the echo
    std::int64_t lines = 0;
    std::int64_t samples = 0;
    double near_range_m = 0;
    double range_spacing_m = 0;
    double first_pulse_time_s = 0;
    double prf_hz = 0;
    double carrier_hz = 0;
    double chirp_slope_hz_s = 0;
    double chirp_duration_s = 0;
    double velocity_m_s = 0;
    double doppler_low_hz = 0;   ///< lines whose instantaneous Doppler frequency lies in
    double doppler_high_hz = 0;  ///< [low, high) make the aperture
    // the patch
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    double first_time_s = 0;   ///< zero-Doppler time of row 0
    double time_spacing_s = 0;
    double first_range_m = 0;  ///< R0 of column 0
    double column_spacing_m = 0;
};

}  // namespace cornerturn
