// SPDX-License-Identifier: Apache-2.0
// The transforms that a program for any x86-64 has for each kind of processor agree, where this one can run them.
#include "kernels/host/ducc/line_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace cornerturn {
namespace {

/// Energy of the difference over that of `expected`.
template <class Real>
double relative_error(const std::vector<Complex<Real>>& found, const std::vector<Complex<Real>>& expected) {
    double difference = 0, energy = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        difference += std::pow(double(found[i].re) - double(expected[i].re), 2) +
                      std::pow(double(found[i].im) - double(expected[i].im), 2);
        energy += std::pow(double(expected[i].re), 2) + std::pow(double(expected[i].im), 2);
    }
    return std::sqrt(difference / energy);
}

template <class Real, Processor other>
void expect_agreement() {
    for (const std::int64_t length : {std::int64_t{30}, std::int64_t{96}, std::int64_t{1009}, std::int64_t{5760}}) {
        std::mt19937 generator(1);
        std::normal_distribution<Real> normal;
        std::vector<Complex<Real>> line(static_cast<std::size_t>(length)), expected = line, found = line;
        for (auto& sample : line) sample = {normal(generator), normal(generator)};
        (*plan_line<Processor::any, Real>(length, FftDirection::forward))(line.data(), expected.data());
        (*plan_line<other, Real>(length, FftDirection::forward))(line.data(), found.data());
        // A few roundings for each of some 13 levels, which add up as noise does.
        EXPECT_LT(relative_error(found, expected), 8 * std::numeric_limits<Real>::epsilon()) << length;
    }
}

TEST(LineTransform, Avx2AgreesWithAny) {
    if (!__builtin_cpu_supports("x86-64-v3")) GTEST_SKIP() << "this processor has no AVX2";
    expect_agreement<float, Processor::avx2>();
    expect_agreement<double, Processor::avx2>();
}

TEST(LineTransform, Avx512AgreesWithAny) {
    if (!__builtin_cpu_supports("x86-64-v4")) GTEST_SKIP() << "this processor has no AVX-512";
    expect_agreement<float, Processor::avx512>();
    expect_agreement<double, Processor::avx512>();
}

}  // namespace
}  // namespace cornerturn
