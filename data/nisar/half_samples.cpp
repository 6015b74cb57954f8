// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/half_samples.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/host/vector_clones.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {
namespace {

/// Inline: a loop over it becomes one of vectors.
inline std::uint16_t rounded_half(float value) {
    constexpr std::uint32_t infinite = 0x7f800000, overflows = 0x477ff000, least_normal = 0x38800000, half = 0x3f000000;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    // Beside 0.5 the last place of a float is that of the subnormals, 2^-24: the sum rounds to it.
    const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - half,
                        normal = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1u)) >> 13,
                        large = magnitude > infinite ? 0x7e00u : 0x7c00u;
    return static_cast<std::uint16_t>(sign | (magnitude >= overflows     ? large
                                              : magnitude < least_normal ? small
                                                                         : normal));
}

constexpr float beyond = 65520;  // and what rounds to no number any more

inline bool is_too_large(float re, float im) { return !(std::abs(re) < beyond && std::abs(im) < beyond); }

/// Real part in the lower 16 bits.
CT_VECTOR_CLONES HalfSamples::Rounded round_to_halves(const std::complex<float>* samples, std::uint32_t* halves,
                                                      std::int64_t count) {
    const auto* parts = reinterpret_cast<const float*>(samples);
    double signal = 0, error = 0;
    int too_large = 0;
#pragma omp simd reduction(+ : signal, error) reduction(| : too_large)
    for (std::int64_t i = 0; i < count; ++i) {
        const float re = parts[2 * i], im = parts[2 * i + 1];
        const std::uint16_t re_half = rounded_half(re), im_half = rounded_half(im);
        halves[i] = re_half | static_cast<std::uint32_t>(im_half) << 16;
        const double re_error = static_cast<double>(re) - static_cast<double>(half_to_float(re_half)),
                     im_error = static_cast<double>(im) - static_cast<double>(half_to_float(im_half));
        signal += static_cast<double>(re) * static_cast<double>(re) + static_cast<double>(im) * static_cast<double>(im);
        error += re_error * re_error + im_error * im_error;
        too_large |= is_too_large(re, im) ? 1 : 0;
    }
    return {signal, error, too_large};
}

std::complex<float> unpacked(std::uint32_t halves) {
    return {half_to_float(static_cast<std::uint16_t>(halves)), half_to_float(static_cast<std::uint16_t>(halves >> 16))};
}

}  // namespace

std::uint16_t half_of(float value) { return rounded_half(value); }

std::span<const std::uint32_t> HalfSamples::of(std::span<const std::complex<float>> rows, std::int64_t first_row,
                                               std::int64_t columns) {
    // The memory is busy by then: more threads would mostly wait for each other.
    constexpr int most_threads = 4;
    constexpr std::int64_t strip = 1 << 15;
    std::swap(halves_, before_);
    halves_.resize(rows.size());
    const std::int64_t count = std::ssize(rows), strips = (count + strip - 1) / strip;
    rounded_.resize(static_cast<std::size_t>(strips));
#pragma omp parallel for num_threads(std::min(most_threads, omp_get_max_threads()))
    for (std::int64_t i = 0; i < strips; ++i)
        rounded_[static_cast<std::size_t>(i)] =
            round_to_halves(rows.data() + i * strip, halves_.data() + i * strip, std::min(strip, count - i * strip));
    int too_large = 0;
    for (const Rounded& part : rounded_) signal_ += part.signal, error_ += part.error, too_large |= part.too_large;
    if (too_large == 0) return halves_;
    const auto at =
        std::find_if(rows.begin(), rows.end(), [](std::complex<float> s) { return is_too_large(s.real(), s.imag()); }) -
        rows.begin();
    throw InputError(
        fmt::format("--sample-type f16: row {}, column {} is {:g} + {:g}j, but 16 bits hold numbers up to "
                    "65504; choose f32, or focus echo that is scaled down",
                    first_row + at / columns, at % columns, rows[static_cast<std::size_t>(at)].real(),
                    rows[static_cast<std::size_t>(at)].imag()));
}

std::optional<double> HalfSamples::signal_to_error_db() const {
    return error_ > 0 ? std::optional(10 * std::log10(signal_ / error_)) : std::nullopt;
}

void from_halves(std::span<const std::uint32_t> halves, std::span<std::complex<float>> to) {
    std::transform(halves.begin(), halves.end(), to.begin(), unpacked);
}

}  // namespace cornerturn
