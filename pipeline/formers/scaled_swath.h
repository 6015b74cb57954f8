// SPDX-License-Identifier: Apache-2.0
// What chirp scaling makes of a swath at one azimuth frequency, and what it leaves there (Cumming & Wong 2005, ch. 7).
#pragma once

#include "pipeline/formers/image_plan.h"
#include "pipeline/formers/scaling_law.h"

namespace cornerturn {

/// Of the hyperbolas that scaling starts from: linear over range, so that what the track has beside them is smooth,
/// too.
class HyperbolaVelocity {
public:
    explicit HyperbolaVelocity(const ImagePlan& image);
    double operator()(double range_m) const { return middle_m_s_ + slope_per_s_ * (range_m - middle_m_); }

private:
    double middle_m_, middle_m_s_, slope_per_s_ = 0;
};

/// The swath at one azimuth frequency. Acquisition and plan must outlive it.
class ScaledSwath {
public:
    ScaledSwath(const Acquisition& echo, const ImagePlan& image, double doppler_hz);

    const ScalingLaw& law() const { return law_; }
    /// Of the track, as far as histories hold the beam's frequencies; beyond that, where nothing is seen, the hyperbola
    /// goes on from there.
    double slant_m(double range_m) const;
    /// Where the pulse's middle frequency comes: a Doppler frequency moves the pulse within itself.
    double delay_s(double range_m) const { return 2 / c_m_s * slant_m(range_m) - doppler_hz_ / echo_.chirp.slope_hz_s; }

    double band_edge_shift(double range_m) const;
    double coupling_left_rad(double range_m) const;
    double migration_left_cells(double range_m) const { return (bend_m(range_m) - balance_m_) / echo_.range_spacing_m; }
    /// Of the spectrum in azimuth, that compression has to take away: as in range-Doppler, but for what scaling leaves.
    double image_cycles(double range_m, double delay_s, double mean_square_hz2) const;
    /// Distance of a leading edge's sample in the echo from its column.
    double migration_samples(double range_m) const;

private:
    double factor(double range_m, double doppler_hz) const;
    double factor(double range_m) const { return factor(range_m, doppler_hz_); }
    double carrier_factor(double range_m) const;
    /// By which a trajectory comes to lie beside its closest range, where that of the middle does not.
    double bend_m(double range_m) const;
    double coupling_cycles_hz2(double range_m) const {
        return image_.histories.middle.coupling_cycles_hz2(range_m, doppler_hz_);
    }
    double coupling_beyond_mean(double range_m, double f_tau) const;

    const Acquisition& echo_;
    const ImagePlan& image_;
    HyperbolaVelocity velocity_;
    double doppler_hz_;
    ScalingLaw law_;
    double balance_m_ = 0;
};

}  // namespace cornerturn
