// SPDX-License-Identifier: Apache-2.0
// Chirp scaling: azimuth FFT of the uncompressed echo, then at each azimuth frequency a weak chirp over range, which
// moves the trajectories of all ranges until they are parallel to that of the reference range (Cumming & Wong 2005,
// sec. 7.3). Rows are range samples.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/math/hyperbola.h"
#include "kernels/math/phasor.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

/// What scaling does at one azimuth frequency. Delays are those of a pulse's leading edge, 2 R / c.
struct ScalingLaw {
    double doppler_hz;  ///< absolute
    double rate_hz_s;   ///< FM rate Km of the chirp, coupling included, at the reference range (eq. 7.19)
    double stretch;  ///< alpha: by which delays from the pivot shrink, and rate and bandwidth of the chirp grow; C_s +
                     ///< 1 of the book
    double pivot_s;  ///< delay of the reference range, which stays where it is, with what Doppler moves the pulse by
    double reference_s;  ///< ... and at zero Doppler, where it belongs
};

/// FM rate in the range-Doppler domain: the coupling of hyperbola.h, -R0 (1 - D^2) / (c f0 D^3) f_tau^2, takes from the
/// chirp's own phase.
CT_HOST_DEVICE double coupled_fm_rate_hz_s(double slope_hz_s, double range_m, double factor, double carrier_hz) {
    return slope_hz_s / (1.0 + 2.0 * slope_hz_s * mean_secondary_range_cycles(range_m, factor, 1.0, carrier_hz));
}

/// Instantaneous frequency that scaling gives to the middle of a chirp from a range whose delay is delay_s.
CT_HOST_DEVICE double scaling_shift_hz(const ScalingLaw& law, double delay_s) {
    return law.rate_hz_s * (law.stretch - 1.0) * (delay_s - law.pivot_s);
}

/// Phase that a scaled chirp has in its new middle because it was not there before (eq. 7.31), with the sign of the
/// echo.
CT_HOST_DEVICE double scaling_residual_cycles(const ScalingLaw& law, double delay_s) {
    return 0.5 * scaling_shift_hz(law, delay_s) * (delay_s - law.pivot_s) / law.stretch;
}

template <class Real>
struct ChirpScalingHooks {
    double first_middle_s, sample_rate_hz;
    const ScalingLaw* laws;

    CT_HOST_DEVICE Complex<Real> scale(std::int64_t sample, std::int64_t bin) const {
        const ScalingLaw law = laws[bin];
        const double delay_s = first_middle_s + static_cast<double>(sample) / sample_rate_hz;
        return unit_phasor<Real>(0.5 * scaling_shift_hz(law, delay_s) * (delay_s - law.pivot_s));
    }
};

/// in: samples x lines, native. out: samples x fft_length, native, range-Doppler domain with parallel trajectories.
struct ChirpScaling {
    static constexpr Transforms transforms = Transforms::forward;
    static constexpr bool reads_echo = false;
    static constexpr std::string_view title = "chirp scaling";

    std::int64_t samples = 0;
    std::int64_t lines = 0;
    std::int64_t fft_length = 0;
    double first_middle_s = 0;  ///< leading-edge delay of the chirp whose middle is sample 0
    double sample_rate_hz = 0;
    std::vector<ScalingLaw> laws;  ///< one per bin

    LineShape shape() const { return {samples, lines, fft_length, fft_length}; }
    template <class Real, class Tables>
    ChirpScalingHooks<Real> hooks(const Tables& tables) const {
        return {first_middle_s, sample_rate_hz, tables(laws, "the scaling laws")};
    }
};

}  // namespace cornerturn
