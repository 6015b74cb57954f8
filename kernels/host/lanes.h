// SPDX-License-Identifier: Apache-2.0
// Vectors of floats by number of lanes, in the compiler's own notation. Everything is inlined into functions that are
// made for a processor with such vectors (kernels/host/vector_clones.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/math/host_device.h"
#include "kernels/math/phasor.h"

namespace cornerturn {

/// GCC forgets how long a vector is where that is a template's parameter.
template <int Count>
struct VectorTypes;
template <>
struct VectorTypes<16> {
    typedef float Floats __attribute__((vector_size(64)));
    typedef std::int32_t Ints __attribute__((vector_size(64)));
};
template <>
struct VectorTypes<8> {
    typedef float Floats __attribute__((vector_size(32)));
    typedef std::int32_t Ints __attribute__((vector_size(32)));
};
template <>
struct VectorTypes<4> {
    typedef float Floats __attribute__((vector_size(16)));
    typedef std::int32_t Ints __attribute__((vector_size(16)));
};

/// Bytes of a vector that is picked from and chosen from at once. GCC would take longer ones number by number, in code
/// that takes minutes to compile: they go by halves.
#if defined(__AVX2__) && !defined(__AVX512F__)
inline constexpr std::size_t bytes_at_once = 32;
#else
inline constexpr std::size_t bytes_at_once = 64;
#endif

/// of_half(halves of first, halves of second, half of number, which), twice.
template <class Entries, class Numbers, class OfHalf>
CT_HOST_DEVICE Entries by_halves(const Entries& first, const Entries& second, const Numbers& number,
                                 const OfHalf& of_half) {
    constexpr int count = sizeof(Entries) / sizeof(float) / 2;
    typename VectorTypes<count>::Floats of_first[2], of_second[2], made[2];
    typename VectorTypes<count>::Ints numbers[2];
    std::memcpy(of_first, &first, sizeof first);
    std::memcpy(of_second, &second, sizeof second);
    std::memcpy(numbers, &number, sizeof number);
    for (int which = 0; which < 2; ++which) made[which] = of_half(of_first, of_second, numbers[which], which);
    Entries both;
    std::memcpy(&both, made, sizeof both);
    return both;
}

/// `set` where a number has this bit, else `clear`.
template <class Entries, class Numbers>
CT_HOST_DEVICE Entries chosen(const Entries& set, const Entries& clear, const Numbers& number, int bit) {
    if constexpr (sizeof(Entries) > bytes_at_once)
        return by_halves(set, clear, number, [bit](const auto& yes, const auto& no, const auto& numbers, int which) {
            return chosen(yes[which], no[which], numbers, bit);
        });
    else
        return (number & bit) != 0 ? set : clear;
}

/// Entries by number, modulo how many there are in `first`, or in both. Clang has no instruction for numbers that are
/// not constants.
template <class Entries, class Numbers>
CT_HOST_DEVICE Entries shuffled(const Entries& first, const Entries& second, const Numbers& number);
template <class Entries, class Numbers>
CT_HOST_DEVICE Entries shuffled(const Entries& entries, const Numbers& number) {
#if defined(__clang__)
    Entries picked{};
    for (std::size_t i = 0; i < sizeof(Entries) / sizeof(float); ++i)
        picked[i] = entries[number[i] & (sizeof(Entries) / sizeof(float) - 1)];
    return picked;
#else
    if constexpr (sizeof(Entries) > bytes_at_once)
        return by_halves(entries, entries, number, [](const auto& halves, const auto&, const auto& numbers, int) {
            return shuffled(halves[0], halves[1], numbers);
        });
    else
        return __builtin_shuffle(entries, number);
#endif
}
template <class Entries, class Numbers>
CT_HOST_DEVICE Entries shuffled(const Entries& first, const Entries& second, const Numbers& number) {
#if !defined(__clang__)
    if constexpr (sizeof(Entries) <= bytes_at_once) return __builtin_shuffle(first, second, number);
#endif
    return chosen(shuffled(second, number), shuffled(first, number), number, sizeof(Entries) / sizeof(float));
}

template <int Count>
struct Lanes {
    using Floats = typename VectorTypes<Count>::Floats;
    using Ints = typename VectorTypes<Count>::Ints;

    CT_HOST_DEVICE static Floats load(const float* from) {
        Floats value;
        std::memcpy(&value, __builtin_assume_aligned(from, 4 * Count), sizeof value);
        return value;
    }
    CT_HOST_DEVICE static Floats load_anywhere(const float* from) {
        Floats value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    CT_HOST_DEVICE static void store(const Floats& value, float* to) {
        std::memcpy(__builtin_assume_aligned(to, 4 * Count), &value, sizeof value);
    }
    CT_HOST_DEVICE static void store_anywhere(const Floats& value, float* to) { std::memcpy(to, &value, sizeof value); }
    CT_HOST_DEVICE static Floats all(float value) { return Floats{} + value; }
    CT_HOST_DEVICE static Ints bits_of(const Floats& value) {
        Ints bits;
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    CT_HOST_DEVICE static Floats floats_of(const Ints& bits) {
        Floats value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    CT_HOST_DEVICE static Floats least(const Floats& a, const Floats& b) { return a < b ? a : b; }
    CT_HOST_DEVICE static Floats most(const Floats& a, const Floats& b) { return a > b ? a : b; }

    /// The nearest whole number of a small float stands in the last bits of its sum with this, and is the sum less
    /// this.
    static constexpr float to_whole = 12582912.0f;

    /// Entries number[lane] mod Count of `Count` floats at any address.
    CT_HOST_DEVICE static Floats picked(const float* from, const Ints& number) {
        return shuffled(load_anywhere(from), number);
    }
    /// Entries number[lane] mod 2 Count of twice as many.
    CT_HOST_DEVICE static Floats picked_of_two(const float* from, const Ints& number) {
        return shuffled(load_anywhere(from), load_anywhere(from + Count), number);
    }
    /// Entries number[lane] mod 4 Count of four times as many.
    CT_HOST_DEVICE static Floats picked_of_four(const float* from, const Ints& number) {
        return chosen(picked_of_two(from + 2 * Count, number), picked_of_two(from, number), number, 2 * Count);
    }

    struct Phasors {
        Floats re, im;
    };
    /// exp(j 2 pi cycles) as unit_phasor<float> has it, for less than a million cycles.
    CT_HOST_DEVICE static Phasors phasors(const Floats& cycles) {
        const Floats half_cycles = 2.0f * cycles, shifted = half_cycles + to_whole,
                     x = half_cycles - (shifted - to_whole);
        const Ints sign = bits_of(shifted) << 31;
        return {floats_of(bits_of(cosine_of_half_cycles(x)) ^ sign), floats_of(bits_of(sine_of_half_cycles(x)) ^ sign)};
    }
    /// Up to this angle a phasor is a short series: the fourth power of the angle is below single precision.
    static constexpr float little = 0.03f;
    /// The sine of an angle, and by what its cosine is less than 1. Values that are turned by thousands of little
    /// angles to one side are then off by what is rounded at random: a pi that is rounded would be off the same way
    /// each time.
    struct Turn {
        Floats less, sine;
    };
    CT_HOST_DEVICE static Turn little_turn(const Floats& cycles) {
        const Floats angle = 2 * pi * cycles + 2 * beyond_pi * cycles, square = angle * angle;
        return {0.5f * square, angle * (1.0f - square * (1.0f / 6))};
    }
    CT_HOST_DEVICE static Turn turn_by_a_quarter_at_most(const Floats& cycles) {
        const Floats sine_of_half = unbiased_sine(cycles);
        return {2.0f * sine_of_half * sine_of_half, unbiased_sine(2.0f * cycles)};
    }
    CT_HOST_DEVICE static Turn turn(const Floats& cycles) {
        const Floats rest = cycles - ((cycles + to_whole) - to_whole), sine_of_half = unbiased_sine(rest);
        return {2.0f * sine_of_half * sine_of_half, 2.0f * sine_of_half * cosine_of_half_cycles(rest)};
    }
    CT_HOST_DEVICE static Phasors turned(const Phasors& value, const Turn& by) {
        return {value.re - (value.im * by.sine + value.re * by.less),
                value.im + (value.re * by.sine - value.im * by.less)};
    }

private:
    static constexpr float pi = 3.14159274f, beyond_pi = -8.74227766e-8f;
    /// For up to half a half cycle. Its slope at 0 is pi, not the nearest float.
    CT_HOST_DEVICE static Floats unbiased_sine(const Floats& x) {
        const Floats z = x * x;
        return x * pi +
               x * (beyond_pi +
                    z * (-5.1677127f + z * (2.5501633f + z * (-0.5992523f + z * (0.08205015f + z * -0.007027385f)))));
    }
};

}  // namespace cornerturn
