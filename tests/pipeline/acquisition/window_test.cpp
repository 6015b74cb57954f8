// SPDX-License-Identifier: Apache-2.0
// Windows against closed forms and published values.
#include "pipeline/acquisition/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/errors.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// Fourier transform of an even window at u cycles per band, by the midpoint rule.
double transform(const Window& window, double u) {
    constexpr int steps = 2000;
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
        const double x = (k + 0.5) / steps - 0.5;
        sum += window(x) * std::cos(2.0 * std::numbers::pi * u * x);
    }
    return sum / steps;
}

double highest_sidelobe_db(const Window& window) {
    double u = 0;
    while (transform(window, u) > 0) u += 0.02;  // the first null ends the main lobe
    double highest = 0;
    for (; u < 12; u += 0.02) highest = std::max(highest, std::abs(transform(window, u)));
    return 20.0 * std::log10(highest / transform(window, 0));
}

TEST(Window, NoneIsFlatAndEndsAtTheBand) {
    const Window window;
    EXPECT_EQ(window(0), 1);
    EXPECT_EQ(window(0.5), 1);
    EXPECT_EQ(window(-0.5), 1);
    EXPECT_EQ(window(0.500001), 0);
    EXPECT_EQ(window(-0.500001), 0);
}

TEST(Window, KaiserEndsAtOneOverI0) {
    // I0(2.5) and I0(6) from tables (Abramowitz & Stegun, table 9.8).
    EXPECT_NEAR(Window::parse("kaiser:2.5")(0.5), 1.0 / 3.2898391440501231, 1e-12);
    EXPECT_NEAR(Window::parse("kaiser:6")(-0.5), 1.0 / 67.234406976477976, 1e-12);
    EXPECT_NEAR(Window::parse("kaiser:2.5")(0), 1, 1e-15);
    // I0(2.5 * sqrt(1 - 0.36)) = I0(2) = 2.2795853...
    EXPECT_NEAR(Window::parse("kaiser:2.5")(0.3), 2.2795853023360673 / 3.2898391440501231, 1e-12);
    EXPECT_NEAR(Window::parse("kaiser:0")(0.4), 1, 1e-15);
}

TEST(Window, KaiserTransformIsTheClosedForm) {
    // sinh(sqrt(beta^2 - (pi u)^2)) / sqrt(...) / I0(beta); midpoint rule is exact to the square of its step, 3e-7.
    const double root = std::sqrt(2.5 * 2.5 - std::pow(std::numbers::pi * 0.4, 2));
    EXPECT_NEAR(transform(Window::parse("kaiser:2.5"), 0.4), std::sinh(root) / root / 3.2898391440501231, 1e-6);
}

TEST(Window, HammingEndsAtEightHundredths) {
    EXPECT_NEAR(Window::parse("hamming")(0.5), 0.08, 1e-15);
    EXPECT_NEAR(Window::parse("hamming")(0.25), 0.54, 1e-15);
    EXPECT_NEAR(Window::parse("hamming")(0), 1, 1e-15);
}

TEST(Window, TaylorHoldsItsSidelobes) {
    // Taylor's nearly constant sidelobes stay at the design level; his approximation errs by some 0.2 dB.
    EXPECT_NEAR(highest_sidelobe_db(Window::parse("taylor")), -35, 0.4);
    EXPECT_NEAR(highest_sidelobe_db(Window::parse("taylor:5:30")), -30, 0.4);
    EXPECT_NEAR(highest_sidelobe_db(Window::parse("taylor:8:45")), -45, 0.4);
}

TEST(Window, TaylorHasPublishedValues) {
    // scipy.signal.windows.taylor(101, 4, 35), elements 25, 0 and 50, which lie at x = (k - 50) / 101.
    const Window window = Window::parse("taylor:4:35");
    EXPECT_NEAR(window(-25.0 / 101), 0.6261903870675343, 1e-12);
    EXPECT_NEAR(window(-50.0 / 101), 0.16805057268311244, 1e-12);
    EXPECT_NEAR(window(0), 1, 1e-15);
}

TEST(Window, IsEven) {
    for (const char* name : {"kaiser:3.1", "hamming", "taylor:6:40"}) {
        const Window window = Window::parse(name);
        for (double x : {0.1, 0.33, 0.5}) EXPECT_DOUBLE_EQ(window(x), window(-x)) << name;
    }
}

TEST(Window, NamesAreReadBack) {
    for (const char* name : {"none", "kaiser:2.5", "kaiser:0.1", "hamming", "taylor:4:35", "taylor:6:42.5"}) {
        EXPECT_EQ(Window::parse(name).name(), name);
        EXPECT_EQ(Window::parse(Window::parse(name).name()), Window::parse(name));
    }
    EXPECT_EQ(Window::parse("taylor").name(), "taylor:4:35");
}

TEST(Window, RefusesEverythingElseAndNamesTheChoices) {
    for (const char* text :
         {"", "Kaiser:2", "kaiser", "kaiser:2:3", "hann", "hamming:1", "none:0", "taylor:4", "taylor:4:35:1"}) {
        expect_refused([&] { Window::parse(text); }, {"kaiser:BETA", "taylor:NBAR:SIDELOBE_DB"});
    }
    for (const char* text : {"kaiser:", "kaiser:x", "kaiser:-1", "kaiser:1e9", "kaiser:nan", "kaiser:2.5 ",
                             "taylor:1:35", "taylor:4.5:35", "taylor:4:5"}) {
        EXPECT_THROW(Window::parse(text), InputError) << text;
    }
}

}  // namespace
}  // namespace cornerturn
