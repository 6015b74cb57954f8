// SPDX-License-Identifier: Apache-2.0
// Doppler ambiguity and effective velocity from two looks of one echo: images in the lower and the upper part of the
// azimuth band.
//
// Both looks show the same ground. Where the Doppler frequency that they are made for is off by a multiple of the PRF,
// a part of the range walk stays, and the upper look lies lambda/2 off_hz df/Ka farther than the lower one (look
// misregistration: Cumming, Kavanagh, Ito 1986; Curlander & McDonough 1991, section 5.3; Cumming & Wong 2005,
// section 12.5). Where the azimuth FM rate is off, it lies df (1/Ka' - 1/Ka) later (map drift, the same books on
// autofocus). The first is some range cells for each PRF, the second a line for each thousandth of V: one correlation
// of amplitudes tells both. It needs ground with contrast, but neither much bandwidth nor an even scene, where the
// phase slope over range frequency (line_doppler.h) needs bandwidth and many independent targets: they fail in
// different places.
//
// The offset in Hz must come out as a whole multiple of the PRF: what is processed in a bin of the spectrum has that
// frequency or another one by so much, wherever in the beam it lies.
#pragma once

#include <optional>

#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/estimate/imager.h"

namespace cornerturn {

/// What is known before.
struct LookPrior {
    DopplerSurface centroid_hz;               ///< absolute, right but for a multiple of the PRF
    double ambiguity_spread = 6;              ///< by how many multiples it may be off, either way
    double beam_prf = 0.8;                    ///< part of the PRF that the beam fills
    bool along_orbit = false;                 ///< range histories are those of the acquisition's orbit
    std::optional<double> velocity_m_s = {};  ///< of straight flight otherwise; nothing: looked for
};

struct LookEstimate {
    /// Absolute Doppler frequency less the prior one: a multiple of the PRF but for its standard deviation.
    double off_hz = 0, off_error_hz = 0;
    /// Of the azimuth FM rate at the beam's centre: V^2 = lambda R Ka / 2 + (lambda f_dc / 2)^2. For a curved orbit
    /// that is not quite the fit of a hyperbola over time (velocity.h).
    double velocity_m_s = 0;
    double velocity_error_m_s = 0;
    double prior_velocity_m_s = 0;  ///< that of the orbit, or the last that was tried
    double range_m = 0;             ///< of closest approach, in the middle of the looks
    double standing_out = 0;        ///< of the correlation's peak, in deviations
    int tiles = 0;                  ///< whose correlations were summed
};

/// Nothing where the looks do not tell: no contrast, too few lines, a scatter between parts of the scene that leaves
/// the multiple open.
std::optional<LookEstimate> estimate_by_looks(const Imager& imager, const Echo& echo, const LookPrior& prior);

/// The azimuth FM rate as a velocity, see above.
double velocity_of_fm_rate(double fm_rate_hz_s, double slant_m, double doppler_hz, double wavelength_m);

}  // namespace cornerturn
