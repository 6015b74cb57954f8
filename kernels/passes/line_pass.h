// SPDX-License-Identifier: Apache-2.0
// What all line passes have in common: a walk over the lines of a matrix,
//     load(line, index) x before -> FFT -> filter(line, bin) -> gather(line, bin) -> inverse FFT -> store(line, index)
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
//     Complex<Real> before(line, index) const;      factor of a native sample that is loaded
//     Complex<Real> filter(line, bin) const;        factor at a bin of the spectrum, with the 1 / length of the inverse
//     SpectrumPlace<Real> place(line, bin) const;   where in the filtered spectrum a bin of the inverse transform is
//                                                   read, and a factor of it; the pass has both transforms then, and
//                                                   `kernel` interpolates
//     Complex<Real> scale(line, index) const;       factor of a sample of the last transform, if it is stored
//     Interval covered(line) const;                 samples that are stored; the others are zero
//     std::int64_t again(line) const;               a line, beyond those of the shape, as which the same input is gone
//                                                   through once more; what that covers is stored over the first.
//                                                   -1: none
// Where the samples of a line share a law, hooks read it once: auto of_line(line) const has filter(bin), scale(index)
// ... in place of the above. Each back end walks any such pass with one class, and one line registers it there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

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

/// The hooks of a line that have no law of their own for it.
template <class Hooks>
struct HooksOfLine {
    Hooks hooks;
    std::int64_t line;

    CT_HOST_DEVICE auto before(std::int64_t index) const { return hooks.before(line, index); }
    CT_HOST_DEVICE auto filter(std::int64_t bin) const { return hooks.filter(line, bin); }
    CT_HOST_DEVICE auto place(std::int64_t bin) const { return hooks.place(line, bin); }
    CT_HOST_DEVICE auto scale(std::int64_t index) const { return hooks.scale(line, index); }
};

template <class Hooks>
CT_HOST_DEVICE auto of_line(const Hooks& hooks, std::int64_t line) {
    if constexpr (requires { hooks.of_line(line); })
        return hooks.of_line(line);
    else
        return HooksOfLine<Hooks>{hooks, line};
}

/// Which of the optional hooks a pass has.
template <class Hooks>
inline constexpr bool has_before = requires(const Hooks& hooks) {
    hooks.before(std::int64_t{}, std::int64_t{});
}
|| requires(const Hooks& hooks) { hooks.of_line(std::int64_t{}).before(std::int64_t{}); };
template <class Hooks>
inline constexpr bool has_filter = requires(const Hooks& hooks) {
    hooks.filter(std::int64_t{}, std::int64_t{});
}
|| requires(const Hooks& hooks) { hooks.of_line(std::int64_t{}).filter(std::int64_t{}); };
template <class Hooks>
inline constexpr bool has_place = requires(const Hooks& hooks) {
    hooks.place(std::int64_t{}, std::int64_t{});
}
|| requires(const Hooks& hooks) { hooks.of_line(std::int64_t{}).place(std::int64_t{}); };
template <class Hooks>
inline constexpr bool has_scale = requires(const Hooks& hooks) {
    hooks.scale(std::int64_t{}, std::int64_t{});
}
|| requires(const Hooks& hooks) { hooks.of_line(std::int64_t{}).scale(std::int64_t{}); };
template <class Hooks>
inline constexpr bool has_cover = requires(const Hooks& hooks) {
    hooks.covered(std::int64_t{});
};
template <class Hooks>
inline constexpr bool has_again = requires(const Hooks& hooks) {
    hooks.again(std::int64_t{});
};

/// Hooks with again(): of the first time through a line or of the second, by one type.
template <class Hooks>
struct HooksOfTime {
    Hooks hooks;
    bool second = false;

    CT_HOST_DEVICE auto of_line(std::int64_t line) const { return cornerturn::of_line(hooks, law(line)); }
    CT_HOST_DEVICE Interval covered(std::int64_t line) const {
        return second && hooks.again(line) < 0 ? Interval{0, 0} : hooks.covered(law(line));
    }

private:
    CT_HOST_DEVICE std::int64_t law(std::int64_t line) const {
        return second && hooks.again(line) >= 0 ? hooks.again(line) : line;
    }
};

/// What back ends walk with.
template <class Hooks>
using WalkedHooks = std::conditional_t<has_again<Hooks>, HooksOfTime<Hooks>, Hooks>;
template <class Hooks>
WalkedHooks<Hooks> walked_hooks(const Hooks& hooks, bool second) {
    if constexpr (has_again<Hooks>)
        return {hooks, second};
    else
        return hooks;
}
/// Whether any line of a batch is gone through again; `again` as the hooks say.
inline bool any_again(const std::vector<std::int32_t>& again, std::int64_t first, std::int64_t lines) {
    const auto from = again.begin() + (again.empty() ? 0 : first);
    return std::any_of(from, again.empty() ? from : from + lines, [](std::int32_t line) { return line >= 0; });
}

/// Where a gather along a spectrum reads.
template <class Real>
struct SpectrumPlace {
    double bin;            ///< 0 up to before the transform's length; interpolation goes on around its ends
    Complex<Real> factor;  ///< of what was read there
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
