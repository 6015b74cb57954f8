// SPDX-License-Identifier: Apache-2.0
// Conversion of stored samples to numbers: the first load of every chain.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "kernels/math/complex.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

/// Stored samples by their format.
template <class Component>
struct alignas(2 * sizeof(Component)) Stored {
    Component re;
    Component im;
};
struct Half {
    std::uint16_t bits;
};
struct LutIndex {
    std::uint16_t index;
};

/// Calls f with std::type_identity<Component> of a stored format; the one place where formats become types.
template <class F>
decltype(auto) with_component(SampleFormat format, F&& f) {
    switch (format) {
        case SampleFormat::int8: return f(std::type_identity<std::int8_t>{});
        case SampleFormat::int16: return f(std::type_identity<std::int16_t>{});
        case SampleFormat::float16: return f(std::type_identity<Half>{});
        case SampleFormat::lut16: return f(std::type_identity<LutIndex>{});
        case SampleFormat::complex64: return f(std::type_identity<float>{});
        case SampleFormat::complex128: return f(std::type_identity<double>{});
        case SampleFormat::float32: break;
    }
    throw std::logic_error("not a sample format of an echo");
}

/// The other way: the format that stores such components.
template <class Component>
inline constexpr SampleFormat format_storing = SampleFormat::float32;  // not of an echo
template <>
inline constexpr SampleFormat format_storing<std::int8_t> = SampleFormat::int8;
template <>
inline constexpr SampleFormat format_storing<std::int16_t> = SampleFormat::int16;
template <>
inline constexpr SampleFormat format_storing<Half> = SampleFormat::float16;
template <>
inline constexpr SampleFormat format_storing<LutIndex> = SampleFormat::lut16;
template <>
inline constexpr SampleFormat format_storing<float> = SampleFormat::complex64;
template <>
inline constexpr SampleFormat format_storing<double> = SampleFormat::complex128;

/// IEEE binary16 to float, subnormals, infinities and NaN included; integer arithmetic only.
CT_HOST_DEVICE float half_to_float(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t magnitude = bits & 0x7fffu;
    // Moves exponent and mantissa into place and rescales by 2^112, which also normalises subnormals.
    union {
        std::uint32_t u;
        float f;
    } value{magnitude << 13}, scale{0x77800000u};
    value.f *= scale.f;
    value.u = magnitude >= 0x7c00u ? (0x7f800000u | (magnitude << 13)) : value.u;
    value.u |= sign;
    return value.f;
}

template <class Real>
inline constexpr Real largest_finite = std::numeric_limits<Real>::max();

/// What the samples of one line have in common.
template <class Real>
struct LineRules {
    Real gain = 1;
    Interval valid = {0, INT32_MAX};
    const Interval* more = nullptr;  ///< further ones
    int more_count = 0;

    CT_HOST_DEVICE bool in_swath(std::int64_t sample) const {
        bool inside = (sample >= valid.first) & (sample < valid.last);
        for (int k = 0; k < more_count; ++k) inside = inside | ((sample >= more[k].first) & (sample < more[k].last));
        return inside;
    }
    /// Whether `samples` samples of the line are taken as they are.
    CT_HOST_DEVICE bool take_all(std::int64_t samples) const {
        return gain == Real(1) && valid.first <= 0 && valid.last >= samples;
    }
    CT_HOST_DEVICE Complex<Real> apply(Complex<Real> value, std::int64_t sample) const {
        const bool keep = in_swath(sample);
        return {keep ? gain * value.re : Real(0), keep ? gain * value.im : Real(0)};
    }
};

/// Reads decoded samples of one echo: gain per line, zero in gaps and where a sample is not finite. Pointers are the
/// device's own.
template <class Real, class Component>
struct EchoReader {
    const Stored<Component>* samples = nullptr;
    std::int64_t first_line = 0;  // the one that `samples` begins with
    std::int64_t samples_per_line = 0;
    const float* line_gain = nullptr;         // may be null: 1
    const Interval* valid_samples = nullptr;  // may be null: all
    int intervals_per_line = 0;
    const float* levels = nullptr;  // lut16 only

    /// The same echo with its samples taken for another format.
    template <class Other>
    CT_HOST_DEVICE EchoReader<Real, Other> as() const {
        return {reinterpret_cast<const Stored<Other>*>(samples),
                first_line,
                samples_per_line,
                line_gain,
                valid_samples,
                intervals_per_line,
                levels};
    }

    CT_HOST_DEVICE Real level(std::int8_t v) const { return static_cast<Real>(v); }
    CT_HOST_DEVICE Real level(std::int16_t v) const { return static_cast<Real>(v); }
    CT_HOST_DEVICE Real level(Half v) const { return static_cast<Real>(half_to_float(v.bits)); }
    CT_HOST_DEVICE Real level(LutIndex v) const { return static_cast<Real>(levels[v.index]); }
    CT_HOST_DEVICE Real level(float v) const { return static_cast<Real>(v); }
    CT_HOST_DEVICE Real level(double v) const { return static_cast<Real>(v); }

    CT_HOST_DEVICE LineRules<Real> rules(std::int64_t line) const {
        LineRules<Real> r;
        r.gain = gain(line);
        if (intervals_per_line > 0) {
            r.more = valid_samples + line * intervals_per_line;
            r.valid = *r.more++;
            r.more_count = intervals_per_line - 1;
        }
        return r;
    }

    CT_HOST_DEVICE const Stored<Component>* row(std::int64_t line) const {
        return samples + (line - first_line) * samples_per_line;
    }

    /// As stored, levels applied; may be NaN or infinite.
    CT_HOST_DEVICE Complex<Real> value(Stored<Component> s) const { return {level(s.re), level(s.im)}; }
    CT_HOST_DEVICE Complex<Real> stored(std::int64_t line, std::int64_t sample) const {
        return value(row(line)[sample]);
    }

    static CT_HOST_DEVICE bool finite(Complex<Real> v) {
        return std::is_integral_v<Component> ||
               ((std::fabs(v.re) <= largest_finite<Real>)&(std::fabs(v.im) <= largest_finite<Real>));
    }
    /// Zero where it is not finite.
    CT_HOST_DEVICE Complex<Real> finite_part(Stored<Component> s) const {
        const Complex<Real> v = value(s);
        return finite(v) ? v : Complex<Real>{0, 0};
    }

    CT_HOST_DEVICE Real gain(std::int64_t line) const {
        return line_gain ? static_cast<Real>(line_gain[line]) : Real(1);
    }

    /// Of a sample in the swath, with the gain of its line.
    CT_HOST_DEVICE Complex<Real> decoded(std::int64_t line, std::int64_t sample, Real gain_of_line) const {
        return gain_of_line * finite_part(row(line)[sample]);
    }

    CT_HOST_DEVICE Complex<Real> operator()(std::int64_t line, std::int64_t sample) const {
        return rules(line).apply(finite_part(row(line)[sample]), sample);
    }
};

}  // namespace cornerturn
