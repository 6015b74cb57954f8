// SPDX-License-Identifier: Apache-2.0
// Range histories against the closed form of straight flight (docs/theory.md), and against themselves on a curved
// orbit.
#include "pipeline/acquisition/track/range_history.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/track/viewing_geometry.h"
#include "pipeline/proof/simulator.h"

namespace cornerturn {
namespace {

constexpr double carrier_hz = 5.3e9, velocity_m_s = 7100, centroid_hz = -6900;

ViewingGeometry straight(double hz = centroid_hz) {
    return {std::make_shared<StraightTrack>(VelocityProfile(velocity_m_s)), [hz](double, double) { return hz; },
            carrier_hz};
}

/// The spectrum of straight flight over time of emission: the hyperbola's at the carrier less half the Doppler
/// frequency.
struct ClosedForm {
    double range_m, f_hz, f0_hz = carrier_hz, v_m_s = velocity_m_s;
    double half_hz() const { return f0_hz - f_hz / 2; }
    double stretched_m() const { return range_m / std::sqrt(1 - v_m_s / c_m_s * (v_m_s / c_m_s)); }
    double phase_cycles() const {
        const double transverse_hz = c_m_s * f_hz / (2 * v_m_s);
        return 2 / c_m_s *
               (stretched_m() * std::sqrt(half_hz() * half_hz() - transverse_hz * transverse_hz) - range_m * f0_hz);
    }
    double factor() const { return migration_factor(f_hz, v_m_s, c_m_s / half_hz()); }
    double slant_m() const { return stretched_m() / factor(); }
    /// The middle between emission and reception is the hyperbola's time.
    double time_s() const {
        return beam_time_offset_s(stretched_m(), f_hz, v_m_s, c_m_s / half_hz()) - slant_m() / c_m_s;
    }
};

TEST(RangeHistory, IsTheClosedFormInStraightFlight) {
    const RangeHistory history = straight().history(100, {.from_m = 985e3, .to_m = 1015e3, .half_band_hz = 700});
    for (const double range_m : {985e3, 991234.5, 1000e3, 1014999.0})
        for (const double offset_hz : {-700.0, -333.0, 0.0, 1.0, 650.0}) {
            SCOPED_TRACE(testing::Message() << range_m << " m, " << offset_hz << " Hz");
            const ClosedForm form{.range_m = range_m, .f_hz = centroid_hz + offset_hz};
            EXPECT_NEAR(history.phase_cycles(range_m, form.f_hz), form.phase_cycles(), 1e-6);  // of 1e4
            EXPECT_NEAR(history.slant_m(range_m, form.f_hz), form.slant_m(), 1e-6);
            EXPECT_NEAR(history.time_s(range_m, form.f_hz), form.time_s(), 1e-9);
            const double rate = azimuth_fm_rate_hz_s(range_m, form.factor(), velocity_m_s, c_m_s / carrier_hz);
            EXPECT_NEAR(history.fm_rate_hz_s(range_m, form.f_hz) / rate, 1, 1e-5);  // without what flying on adds
        }
    EXPECT_NEAR(history.centroid_hz(1000e3), centroid_hz, 1e-9);
}

TEST(RangeHistory, CouplesRangeAndAzimuthAsTheHyperbolaDoes) {
    const RangeHistory history = straight().history(100, {.from_m = 985e3, .to_m = 1015e3, .half_band_hz = 700});
    for (const double f_hz : {centroid_hz - 600, centroid_hz, centroid_hz + 700})
        for (const double f_tau : {-15e6, -1e6, 0.0, 8e6, 15e6})
            EXPECT_NEAR(history.coupling_cycles(f_hz, f_tau),
                        secondary_range_cycles(1000e3, f_tau, f_hz, velocity_m_s, carrier_hz), 1e-5)
                << f_hz << ", " << f_tau;
}

/// Along with the targets, at rest, and against them as in TOPS.
TEST(ViewingGeometry, FindsTheTargetUnderABeamThatTurns) {
    constexpr double fm_rate_hz_s = 1780, range_m = 1000e3;
    for (const double turn : {-0.9, -0.75, -0.4, 0.0, 3.0})
        for (const double bend : {0.0, -0.05}) {
            const ViewingGeometry geometry(
                std::make_shared<StraightTrack>(VelocityProfile(velocity_m_s)),
                [=](double time_s, double) {
                    const double t = time_s - 100;
                    return fm_rate_hz_s * t * (turn + bend * t);
                },
                carrier_hz);
            for (const double beam_time_s : {99.2, 99.7, 100.0, 100.5}) {
                SCOPED_TRACE(testing::Message() << turn << ", " << bend << ", " << beam_time_s << " s");
                const double zero_doppler_s = geometry.zero_doppler_time_s(beam_time_s, range_m);
                EXPECT_NEAR(geometry.beam_time_s(zero_doppler_s, range_m), beam_time_s, 2e-6);
            }
        }
}

TEST(RangeHistory, OfADroneHoldsForWideBands) {
    constexpr double slow_m_s = 10;
    const ViewingGeometry drone(
        std::make_shared<StraightTrack>(VelocityProfile(slow_m_s)), [](double, double) { return 0.0; }, 9.65e9);
    const double widest_hz = 0.5 * 2 * slow_m_s / (c_m_s / 9.65e9);  // 30 degrees to either side
    const RangeHistory history = drone.history(0, {.from_m = 300, .to_m = 900, .half_band_hz = widest_hz});
    for (const double range_m : {300.0, 517.0, 900.0})
        for (const double part : {-1.0, -0.6, 0.1, 0.9})
            EXPECT_NEAR(history.phase_cycles(range_m, part * widest_hz),
                        (ClosedForm{range_m, part * widest_hz, 9.65e9, slow_m_s}.phase_cycles()), 1e-5);
}

/// By stationary phase the derivative of the spectrum's phase over Doppler frequency is the time of emission, on any
/// track.
TEST(RangeHistory, PhaseAndTimeBelongTogetherOnAnOrbit) {
    const Acquisition acquisition = describe(preset_scene("radarsat"));
    const auto centroid = [](double time_s, double range_m) {
        return -7000 + 3 * (time_s - 3600) - 1e-3 * (range_m - 1000e3);
    };
    const ViewingGeometry geometry(std::make_shared<OrbitTrack>(*acquisition.orbit, LookSide::right, 0.0), centroid,
                                   carrier_hz);
    const double time_s = geometry.zero_doppler_time_s(3601, 1000e3);
    EXPECT_NEAR(geometry.beam_time_s(time_s, 1000e3), 3601, 1e-6);
    const RangeHistory history = geometry.history(time_s, {.from_m = 990e3, .to_m = 1010e3, .half_band_hz = 600});
    EXPECT_NEAR(history.centroid_hz(1000e3), centroid(3601, history.slant_m(1000e3, history.centroid_hz(1000e3))),
                1e-4);
    for (const double range_m : {991e3, 1000e3, 1008e3})
        for (const double offset_hz : {-500.0, 0.0, 400.0}) {
            const double f_hz = history.centroid_hz(range_m) + offset_hz, h_hz = 5;
            const double slope_s =
                (history.phase_cycles(range_m, f_hz + h_hz) - history.phase_cycles(range_m, f_hz - h_hz)) / (2 * h_hz);
            EXPECT_NEAR(slope_s, history.time_s(range_m, f_hz), 2e-7);
        }
}

}  // namespace
}  // namespace cornerturn
