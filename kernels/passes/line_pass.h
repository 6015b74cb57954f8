// SPDX-License-Identifier: Apache-2.0
// What all line passes have in common: a walk over the lines of a matrix,
//     load(line, index) -> FFT -> filter(line, bin) -> gather(line, bin) -> inverse FFT -> store(line, index)
// of which every part but the load may be absent.
//
// A pass is a description (plain data, host tables) with
//     static constexpr Transforms transforms;       which of the two transforms it has; neither is normalised
//     static constexpr bool reads_echo;             lines of the echo as stored (it then has `format` and `decoding`),
//                                                   or native samples
//     static constexpr std::string_view title;      for messages
//     LineShape shape() const;
//     template <class Real, class Tables> auto hooks(const Tables& tables) const;
// whose hooks hold the formulas, host + device; `tables(vector, what)` puts a table where the hooks can read it. Hooks
// have what the pass needs of
//     Complex<Real> filter(line, bin) const;        factor at a bin of the spectrum, with the 1 / length of the inverse
//     SpectrumPlace<Real> place(line, bin) const;   where in the filtered spectrum a bin of the inverse transform is
//                                                   read, and a factor of it; the pass has both transforms then, and
//                                                   `kernel` interpolates
//     Complex<Real> scale(line, index) const;       factor of a sample of the last transform, if it is stored
//     Interval covered(line) const;                 samples that are stored; the others are zero
//     std::int64_t again(line) const;               a line, beyond those of the shape, as which the same input is gone
//                                                   through once more; what that covers is stored over the first.
//                                                   -1: none
// Each back end walks any such pass with one class, and one line registers it there.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "kernels/math/complex.h"
#include "kernels/math/interpolation.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

struct LineShape {
    std::int64_t lines = 0;
    std::int64_t in = 0;          ///< samples of a line that are read; behind them zeros up to the transform's length
    std::int64_t fft_length = 0;  ///< at least `in`; 0 without transforms
    std::int64_t out = 0;  ///< samples of a line that are stored: sample i is sample i mod inverse() of the transform
    /// Of the inverse transform where that is longer than the forward one, by a whole factor: the spectrum goes on with
    /// zeros, samples come out finer. 0: the same length.
    std::int64_t inverse_length = 0;

    CT_HOST_DEVICE std::int64_t inverse() const { return inverse_length > 0 ? inverse_length : fft_length; }
    CT_HOST_DEVICE bool widens() const { return inverse() != fft_length; }
    /// Bins of frequencies from 0 up; the others are negative, the one at half the rate with them.
    CT_HOST_DEVICE std::int64_t bins_from_zero() const { return (fft_length + 1) / 2; }
};

enum class Transforms : std::uint8_t { none, forward, inverse, both };
constexpr bool has_forward(Transforms t) { return t == Transforms::forward || t == Transforms::both; }
constexpr bool has_inverse(Transforms t) { return t == Transforms::inverse || t == Transforms::both; }

/// The hooks of the second time through a line.
template <class Hooks>
struct HooksOfAgain {
    Hooks hooks;

    CT_HOST_DEVICE auto filter(std::int64_t line, std::int64_t bin) const { return hooks.filter(of(line), bin); }
    CT_HOST_DEVICE auto place(std::int64_t line, std::int64_t bin) const { return hooks.place(of(line), bin); }
    CT_HOST_DEVICE Interval covered(std::int64_t line) const {
        return hooks.again(line) < 0 ? Interval{0, 0} : hooks.covered(of(line));
    }

private:
    CT_HOST_DEVICE std::int64_t of(std::int64_t line) const { return hooks.again(line) < 0 ? line : hooks.again(line); }
};

/// Where a gather along a spectrum reads.
template <class Real>
struct SpectrumPlace {
    double bin;            ///< 0 up to before the transform's length; interpolation goes on around its ends
    Complex<Real> factor;  ///< of what was read there
};

/// Which of the optional hooks a pass has.
template <class Hooks>
inline constexpr bool has_filter = requires(const Hooks& hooks) {
    hooks.filter(std::int64_t{}, std::int64_t{});
};
template <class Hooks>
inline constexpr bool has_place = requires(const Hooks& hooks) {
    hooks.place(std::int64_t{}, std::int64_t{});
};
template <class Hooks>
inline constexpr bool has_scale = requires(const Hooks& hooks) {
    hooks.scale(std::int64_t{}, std::int64_t{});
};
template <class Hooks>
inline constexpr bool has_cover = requires(const Hooks& hooks) {
    hooks.covered(std::int64_t{});
};
template <class Hooks>
inline constexpr bool has_again = requires(const Hooks& hooks) {
    hooks.again(std::int64_t{});
};

/// The filtered spectrum of a line, read between its bins; it is periodic.
template <class Real>
CT_HOST_DEVICE Complex<Real> gathered(const Complex<Real>* spectrum, std::int64_t length,
                                      const SincPolynomials<Real>& weights, SpectrumPlace<Real> place) {
    const double base = std::floor(place.bin);
    const Real u = static_cast<Real>(place.bin - base - 0.5);
    Complex<Real> sum{0, 0};
    for (int tap = 0; tap < weights.taps; ++tap) {
        const std::int64_t bin = (static_cast<std::int64_t>(base) - weights.taps / 2 + 1 + tap) % length;
        sum = sum + weights.weight(tap, u) * spectrum[bin < 0 ? bin + length : bin];
    }
    return place.factor * sum;
}

/// Where the samples of a stored line come from: the transform is circular, and what was not covered is zero.
struct StoreRule {
    std::int64_t period;
    Interval covered;

    CT_HOST_DEVICE bool covers(std::int64_t index) const { return index >= covered.first && index < covered.last; }
    CT_HOST_DEVICE std::int64_t source(std::int64_t index) const { return index < period ? index : index % period; }
};

template <class Hooks>
CT_HOST_DEVICE StoreRule store_rule(const Hooks& hooks, const LineShape& shape, std::int64_t line) {
    const std::int64_t length = shape.fft_length > 0 ? shape.inverse() : shape.out;
    if constexpr (has_cover<Hooks>)
        return {length, hooks.covered(line)};
    else
        return {length, {0, static_cast<std::int32_t>(shape.out)}};
}

}  // namespace cornerturn
