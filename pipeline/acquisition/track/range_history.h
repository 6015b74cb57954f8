// SPDX-License-Identifier: Apache-2.0
// Range histories: all that an algorithm needs to know of the geometry. For every closest range and Doppler
// frequency, the time at which a target has that frequency, its range then, and the phase of its spectrum. From the
// two-way delay of the echo by stationary phase, for any track (docs/theory.md).
#pragma once

#include <functional>
#include <optional>

#include "kernels/math/chebyshev.h"
#include "pipeline/acquisition/track/track.h"

namespace cornerturn {

/// Absolute Doppler centroid in Hz of the echo that leaves at a time (since the epoch), at a slant range.
using DopplerModel = std::function<double(double time_s, double range_m)>;

/// Phase in cycles with which the compressed echo is multiplied before azimuth processing, at a time of emission (since
/// the epoch) and slant range.
using EchoPhase = std::function<double(double time_s, double range_m)>;

/// The beam's centre on a target.
struct BeamCentre {
    double time_s = 0;       ///< of emission, less the target's zero-Doppler time
    double centroid_hz = 0;  ///< Doppler frequency there
    double rate_hz_s = 0;    ///< FM rate |Ka| there
    /// Band in which the target is lit, over the beam's: an antenna that is turned ahead sees other Doppler frequencies
    /// at other ranges, and follows or flees the target as its range changes.
    double widening = 1;

    /// Whether the beam is turned against the targets or along with them so fast that steps which look for its centre
    /// must count it in: others widen the band by a thousandth, and converge as well without. Where it overtakes the
    /// targets, it has no centre on them.
    bool steered() const { return (widening > 0 && widening < 0.8) || (widening > 1.25 && widening < 20); }
};
BeamCentre beam_centre(const Track& track, double carrier_hz, double zero_doppler_time_s, double range_m,
                       const DopplerModel& centroid_hz);
/// The other way round: time of emission less the zero-Doppler time of the target at a closest range that the beam's
/// centre lies on then. There is one target at most, even where the beam follows targets nearly as fast as they pass.
double offset_under_beam_s(const Track& track, double carrier_hz, double beam_time_s, double range_m,
                           const DopplerModel& centroid_hz);

/// Closest ranges and Doppler frequencies for which a history is made.
struct HistorySpan {
    double from_m = 0, to_m = 0;
    double half_band_hz = 0;  ///< to either side of the centroid
    friend bool operator==(const HistorySpan&, const HistorySpan&) = default;
};

/// Of targets of one zero-Doppler time. All functions take closest range in m and absolute Doppler frequency in Hz.
class RangeHistory {
public:
    RangeHistory() = default;
    RangeHistory(const Track& track, double carrier_hz, double zero_doppler_time_s, const DopplerModel& centroid_hz,
                 const HistorySpan& span, const EchoPhase& added_cycles = {});

    /// Of the beam that sees the target.
    double centroid_hz(double range_m) const { return centroid_hz_(range_m); }
    double half_band_hz() const { return span_.half_band_hz; }

    /// When what has this frequency was sent, less the zero-Doppler time.
    double time_s(double range_m, double doppler_hz) const { return at(time_s_, range_m, doppler_hz); }
    double centre_time_s(double range_m) const { return time_s_(range_m, 0); }
    /// Half of the way of that echo, in m.
    double slant_m(double range_m, double doppler_hz) const;
    /// FM rate |Ka| in Hz/s.
    double fm_rate_hz_s(double range_m, double doppler_hz) const;
    /// f0 tau - added + f t - 2 R0 / lambda in cycles: what the spectrum of a target lacks to one at its zero-Doppler
    /// time with the phase of its closest range, but for the constant eighth.
    double phase_cycles(double range_m, double doppler_hz) const { return at(phase_cycles_, range_m, doppler_hz); }
    /// Second derivative of the spectrum's phase over range frequency, in cycles / Hz^2: f^2 / (f0^3 tau'').
    double coupling_cycles_hz2(double range_m, double doppler_hz) const;
    /// What the echo of the middle range lacks beyond constant and linear part in range frequency, in cycles.
    double coupling_cycles(double doppler_hz, double range_frequency_hz) const;
    /// The spectrum of the middle range in two dimensions, at Doppler frequencies that any range of the span sees. By
    /// stationary phase, F = f0 + range frequency: F (tau - 2 R / c) + f t at tau' = -f / F; without what is added to
    /// the phase.
    struct Wavenumber {
        double phase_cycles;  ///< phase_cycles() at range frequency 0
        double cycles_per_m;  ///< by which that grows with closest range
        double fm_rate_hz_s;  ///< |Ka| there: F tau''
    };
    Wavenumber wavenumber(double doppler_hz, double range_frequency_hz) const;
    /// Of the span, from its middle to either end.
    double half_delay_s() const { return (span_.to_m - span_.from_m) / speed_of_light_m_s; }
    double middle_range_m() const { return 0.5 * (span_.from_m + span_.to_m); }

    /// The same at one range, as series in the offset from its centroid.
    struct Column {
        double centroid_hz;
        ChebyshevSeries migration_s, phase_cycles,
            root_rate;                 ///< migration: delay less 2 R0 / c; root_rate: sqrt(|Ka| R0)
        ChebyshevSeries added_cycles;  ///< what is taken off the phase; no terms where nothing is
        /// Phase of the spectrum in two dimensions, as that of the middle range (wavenumber()): a Doppler frequency
        /// lies at F where its proportion f0 / F lies at the carrier. What is added to the phase knows no range
        /// frequency.
        double phase_cycles_at(double doppler_hz, double range_frequency_hz, double carrier_hz) const {
            const double proportion = (carrier_hz + range_frequency_hz) / carrier_hz,
                         offset_hz = doppler_hz / proportion - centroid_hz;
            return proportion * phase_cycles(offset_hz) + (proportion - 1) * added_cycles(offset_hz);
        }
    };
    Column column(double range_m) const;

    friend bool operator==(const RangeHistory&, const RangeHistory&) = default;

private:
    double at(const ChebyshevSurface& surface, double range_m, double doppler_hz) const {
        return surface(range_m, doppler_hz - centroid_hz(range_m));
    }

    /// The delay of one range, in a band that holds those of all ranges.
    struct Sweep {
        double range_m = 0;
        ChebyshevSeries delay_s, slope, bend;
        double time_s(double slope_there, double near_s) const;
        friend bool operator==(const Sweep&, const Sweep&) = default;
    };
    double phase_cycles(const Sweep& sweep, double doppler_hz, double total_hz) const;

    double carrier_hz_ = 0;
    HistorySpan span_;
    ChebyshevSeries centroid_hz_;
    Sweep nearer_, middle_, farther_;  // to either side of the middle range
    ChebyshevSurface time_s_, migration_s_, phase_cycles_, root_rate_;
    std::optional<ChebyshevSurface> added_cycles_;
};

}  // namespace cornerturn
