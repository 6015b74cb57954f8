// SPDX-License-Identifier: Apache-2.0
// The laws that the CPU's gather takes for adjacent columns against those of the hooks, bin by bin; and the hyperbola
// that tests fit against its closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/lines/gather.h"
#include "kernels/passes/tables.h"
#include "tests/kernels/hyperbolic_gather.h"

namespace cornerturn {
namespace {

constexpr std::int64_t at_a_time = 16;
constexpr std::int64_t bins = 2 * MigrationLaws::chunk + 88;

/// C band, squinted, V bending smoothly with range as an orbit makes it.
HyperbolicGather from_orbit(std::int64_t columns, double centroid_hz = -6900) {
    HyperbolicGather gather = c_band_gather(bins, columns, 0, centroid_hz);
    gather.input_near_range_m = gather.image_near_range_m;
    for (std::int64_t column = 0; column < columns; ++column) {
        gather.velocity_m_s.push_back(7062 + 5e-5 * static_cast<double>(column));
        gather.covered_rows.push_back({0, bins});
    }
    for (std::int64_t bin = 0; bin < bins; ++bin)
        gather.weight.push_back(bin % 11 == 4 ? 0.0 : 1.0 / static_cast<double>(bin + bins));
    return gather;
}

/// X band from an aircraft over a wide beam.
HyperbolicGather from_aircraft(std::int64_t columns, double near_range_m) {
    HyperbolicGather gather = from_orbit(columns, 0);
    gather.carrier_hz = 9.65e9;
    gather.prf_hz = 400;
    gather.input_near_range_m = gather.image_near_range_m = near_range_m;
    gather.range_spacing_m = 1.5;
    gather.velocity_m_s.assign(static_cast<std::size_t>(columns), 30.0);
    for (std::int64_t bin = 0; bin < bins; ++bin)
        gather.weight[static_cast<std::size_t>(bin)] =
            std::abs(azimuth_frequency_hz(bin, bins, 400, 0)) < 150 ? 1.0 / bins : 0.0;
    return gather;
}

struct Deviation {
    double cells = 0, cycles = 0, gain = 0;  ///< the gain's relative to its own
};

/// Largest of all columns and bins. What has no weight must be nothing at all.
template <class Real>
Deviation deviation(const AzimuthCompression& pass) {
    const AzimuthCompressionHooks hooks = pass.hooks(HostTables{});
    AdjacentLaws<Real> laws(hooks);
    Deviation largest;
    for (std::int64_t first = 0; first < pass.columns; first += at_a_time) {
        const std::int64_t last = std::min(first + at_a_time, pass.columns);
        laws.columns(first, last);
        for (std::int64_t bin = 0; bin < pass.fft_length; bin += laws.bins()) {
            laws.bins(bin);
            for (std::int64_t column = first; column < last; ++column) {
                const LawsOfColumn at = laws.at(column);
                for (std::int64_t i = 0; i < laws.bins(); ++i) {
                    const Migration exact = hooks.at(column, bin + i), got = at[i];
                    const double gain = got.gain / std::sqrt(hooks.range_m(column));
                    largest.cells = std::max(largest.cells, std::abs(got.position_cells - exact.position_cells));
                    largest.cycles = std::max(largest.cycles, std::abs(got.phase_cycles - exact.phase_cycles));
                    if (exact.gain == 0) {
                        EXPECT_EQ(got.gain, 0) << column << ", " << bin + i;
                    } else {
                        largest.gain = std::max(largest.gain, std::abs(gain / exact.gain - 1));
                    }
                }
            }
        }
    }
    return largest;
}

void expect_within(const Deviation& got, double limit) {
    EXPECT_LT(got.cells, limit);
    EXPECT_LT(got.cycles, limit);
    EXPECT_LT(got.gain, limit);
}

bool are_parabolas(const AzimuthCompression& pass, std::int64_t first = 0, std::int64_t last = at_a_time - 1) {
    return laws_are_parabolas(pass.hooks(HostTables{}), first, last);
}

/// Rounding of some 1e5 cells and cycles in double.
constexpr double rounding = 1e-9;
/// Three frequencies stand for all: a little more than the limit that they keep.
constexpr double parabola_error = 2e-7;

TEST(AdjacentLaws, OfSmoothGeometriesAreParabolas) {
    for (const std::int64_t columns : {1, 2, 5, 6, 16, 17, 37}) {
        SCOPED_TRACE(columns);
        for (const HyperbolicGather& gather :
             {from_orbit(columns), from_aircraft(columns, 300), from_aircraft(columns, 20e3)}) {
            const AzimuthCompression pass = gather.pass();
            EXPECT_TRUE(columns < 3 || are_parabolas(pass, 0, std::min(columns, at_a_time) - 1));
            expect_within(deviation<float>(pass), parabola_error);
            expect_within(deviation<double>(pass), rounding);
        }
    }
}

TEST(AdjacentLaws, ThatAreNoParabolasAreTakenFromEachColumn) {
    for (const std::size_t odd : {1, 6, 7, 8, 14}) {
        HyperbolicGather gather = from_orbit(32);
        gather.velocity_m_s[odd] += 1e-3;
        const AzimuthCompression pass = gather.pass();
        EXPECT_FALSE(are_parabolas(pass)) << odd;
        EXPECT_TRUE(are_parabolas(pass, 16, 31));
        expect_within(deviation<float>(pass), parabola_error);
    }
}

/// The same polynomials, but about centres of which one is odd: at a frequency they are no parabolas.
TEST(AdjacentLaws, AboutCentresThatJumpAreTakenFromEachColumn) {
    HyperbolicGather gather = from_orbit(16);
    AzimuthCompression pass = gather.pass();
    pass.laws.centre_hz[5] += 0.5;
    EXPECT_FALSE(are_parabolas(pass));
    expect_within(deviation<float>(pass), parabola_error);
}

/// Centres that drift with range change nothing where the laws are fitted about them.
TEST(AdjacentLaws, AboutCentresThatDriftAreParabolas) {
    HyperbolicGather gather = from_orbit(16);
    gather.law_centre_drift_hz = 0.2;
    EXPECT_TRUE(are_parabolas(gather.pass()));
    expect_within(deviation<float>(gather.pass()), parabola_error);
}

TEST(AdjacentLaws, ThatAreNoNumbersAreTakenFromEachColumn) {
    AzimuthCompression pass = from_orbit(16).pass();
    pass.laws.powers[static_cast<std::size_t>(3 * pass.laws.terms * 4)] = NAN;
    EXPECT_FALSE(are_parabolas(pass));
}

TEST(AdjacentLaws, FollowTheBandOfTheirColumns) {
    HyperbolicGather gather = from_orbit(3 * band_columns + 5);
    for (const std::vector<std::int32_t>& shift : {std::vector<std::int32_t>{0, 1, -1, 300},
                                                   {-bins, 5 * bins + 7, -3 * bins - 1, 250},
                                                   {-257, 256, -256, 255}}) {
        gather.band_shift = shift;
        expect_within(deviation<float>(gather.pass()), parabola_error);
        expect_within(deviation<double>(gather.pass()), rounding);
    }
}

TEST(HyperbolicGather, IsFittedToABillionth) {
    HyperbolicGather shifted = from_orbit(900);
    shifted.band_shift = {3, -200, 1700};
    for (const HyperbolicGather& gather :
         {from_orbit(40), from_orbit(40, 20000), from_aircraft(40, 300), from_aircraft(40, 20e3), shifted}) {
        const AzimuthCompression pass = gather.pass();
        const AzimuthCompressionHooks hooks = pass.hooks(HostTables{});
        for (const std::int64_t column : {std::int64_t{0}, gather.columns / 2, gather.columns - 1})
            for (std::int64_t bin = 0; bin < bins; ++bin) {
                if (!(hooks.weight_at(column, bin) > 0)) continue;
                const double f_hz = hooks.frequency_hz(column, bin);
                const Migration exact = gather.law(column, f_hz), fitted = hooks.law(column, f_hz);
                ASSERT_NEAR(fitted.position_cells, exact.position_cells, 1e-9) << column << ", " << f_hz;
                ASSERT_NEAR(fitted.phase_cycles, exact.phase_cycles, 1e-9) << column << ", " << f_hz;
                ASSERT_NEAR(fitted.gain / exact.gain, 1, 1e-11) << column << ", " << f_hz;
            }
    }
}

}  // namespace
}  // namespace cornerturn
