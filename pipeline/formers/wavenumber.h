// SPDX-License-Identifier: Apache-2.0
// The 2-D spectrum of a scene by its range history: what omega-K's reference function takes away, where its Stolt
// interpolation moves range frequencies to, and what both leave at other ranges than the reference. Exact over both
// frequencies, for any track.
//
// By stationary phase the spectrum of a target at closest range R has the phase -(F tau(t) + f t) in cycles, tau'(t) =
// -f / F, F = f0 + u (u: range frequency). In straight flight that is -2 R (f0 + u') / c, u' = sqrt(F^2 - (c f / 2
// V)^2) - f0 (Cumming & Wong 2005, eq. 8.5): read at u', every range is a plain echo. On an orbit u' is what the middle
// of the swath grows by per range; other ranges keep a rest, to which a phase and a delay are fitted at each Doppler
// frequency.
#pragma once

#include <vector>

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// The spectrum of the reference range, the middle of the history's span, at some range frequencies, as series over
/// Doppler frequency.
class ReferenceSpectrum {
public:
    ReferenceSpectrum(const RangeHistory& history, std::vector<double> range_frequencies_hz, double from_hz,
                      double to_hz);

    std::size_t size() const { return range_frequencies_hz_.size(); }
    double range_frequency_hz(std::size_t k) const { return range_frequencies_hz_[k]; }
    /// As RangeHistory::wavenumber has it.
    double phase_cycles(std::size_t k, double doppler_hz) const { return laws_[k].phase_cycles(doppler_hz); }
    /// u', less that of range frequency 0: what is left is an oscillation within the chirp's band at any squint.
    double image_hz(std::size_t k, double doppler_hz) const { return laws_[k].image_hz(doppler_hz); }
    /// Of the echo's amplitude at range frequency 0.
    double amplitude(std::size_t k, double doppler_hz) const { return laws_[k].amplitude(doppler_hz); }

private:
    std::vector<double> range_frequencies_hz_;
    /// At one range frequency, over Doppler frequency.
    struct Laws {
        ChebyshevSeries phase_cycles, image_hz, amplitude;
    };
    std::vector<Laws> laws_;
};

/// Doppler frequencies that the columns of an image process, with the fading edges of their bands.
struct DopplerUnion {
    double from_hz = 0, to_hz = 0;
    double centroid_change_hz = 0;  ///< from the lowest to the highest of a column
};
DopplerUnion doppler_union(const Acquisition& acquisition, const ImagePlan& image);
/// Of a column's processed band with its fading edges, to either side of its centroid.
double processed_half_band_hz(const Acquisition& acquisition, const ImagePlan& image);
/// Range frequencies to either side of 0, with the skirts of the range filter, which ends in time, as far as an echo
/// can have them.
double range_edge_hz(const Acquisition& acquisition, const ImagePlan& image);

/// What a target away from the reference range keeps after reference function and Stolt interpolation.
class AwayFromReference {
public:
    AwayFromReference(const Acquisition& acquisition, const ImagePlan& image);

    struct Rest {
        double phase_cycles;  ///< beyond 2 R0 / lambda, to be added
        double delay_s;       ///< from where the reference range lies
        double left_cycles;   ///< largest phase that neither explains, over what of the chirp's band the beam lights
        double stretch;       ///< by which the interpolation widens range frequencies there
    };
    /// At a column's Doppler frequency.
    Rest at(const RangeHistory::Column& column, double range_m, double doppler_hz) const;

private:
    double carrier_hz_, reference_m_, half_beam_hz_;
    std::vector<double> weight_;  // of the range window
    ReferenceSpectrum reference_;
};

}  // namespace cornerturn
