// SPDX-License-Identifier: Apache-2.0
// From a stored sample to a number: the first load of every chain.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "kernels/complex.h"
#include "kernels/echo_format.h"

namespace cornerturn {

/// Stored samples by their format.
template <class Component>
struct Stored {
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

/// Reads decoded samples of one echo: gain per line, zero in gaps and where a sample is not finite. Pointers are the device's own.
template <class Real, class Component>
struct EchoReader {
    const Stored<Component>* samples = nullptr;
    std::int64_t first_line = 0;  // the one that `samples` begins with
    std::int64_t samples_per_line = 0;
    const float* line_gain = nullptr;         // may be null: 1
    const Interval* valid_samples = nullptr;  // may be null: all
    int intervals_per_line = 0;
    const float* levels = nullptr;  // lut16 only

    CT_HOST_DEVICE Real level(std::int8_t v) const { return static_cast<Real>(v); }
    CT_HOST_DEVICE Real level(std::int16_t v) const { return static_cast<Real>(v); }
    CT_HOST_DEVICE Real level(Half v) const { return static_cast<Real>(half_to_float(v.bits)); }
    CT_HOST_DEVICE Real level(LutIndex v) const { return static_cast<Real>(levels[v.index]); }
    CT_HOST_DEVICE Real level(float v) const { return static_cast<Real>(v); }
    CT_HOST_DEVICE Real level(double v) const { return static_cast<Real>(v); }

    CT_HOST_DEVICE bool in_swath(std::int64_t line, std::int64_t sample) const {
        bool valid = intervals_per_line == 0;
        for (int k = 0; k < intervals_per_line; ++k) {
            const Interval interval = valid_samples[line * intervals_per_line + k];
            valid = valid | ((sample >= interval.first) & (sample < interval.last));
        }
        return valid;
    }

    /// As stored, levels applied; may be NaN or infinite.
    CT_HOST_DEVICE Complex<Real> stored(std::int64_t line, std::int64_t sample) const {
        const Stored<Component> s = samples[(line - first_line) * samples_per_line + sample];
        return {level(s.re), level(s.im)};
    }

    static CT_HOST_DEVICE bool finite(Complex<Real> v) {
        if constexpr (std::is_integral_v<Component>) return true;
        return (v.re - v.re == Real(0)) & (v.im - v.im == Real(0));
    }

    CT_HOST_DEVICE Real gain(std::int64_t line) const { return line_gain ? static_cast<Real>(line_gain[line]) : Real(1); }

    /// Of a sample in the swath, with the gain of its line.
    CT_HOST_DEVICE Complex<Real> decoded(std::int64_t line, std::int64_t sample, Real gain_of_line) const {
        const Complex<Real> value = stored(line, sample);
        const bool keep = finite(value);
        return {keep ? gain_of_line * value.re : Real(0), keep ? gain_of_line * value.im : Real(0)};
    }

    CT_HOST_DEVICE Complex<Real> operator()(std::int64_t line, std::int64_t sample) const {
        const Complex<Real> value = decoded(line, sample, gain(line));
        const bool keep = in_swath(line, sample);
        return {keep ? value.re : Real(0), keep ? value.im : Real(0)};
    }
};

}  // namespace cornerturn
