// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/half_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {
namespace {

std::uint32_t pack(std::complex<float> sample) {
    return half_of(sample.real()) | static_cast<std::uint32_t>(half_of(sample.imag())) << 16;
}
std::complex<float> unpacked(std::uint32_t halves) {
    return {half_to_float(static_cast<std::uint16_t>(halves)), half_to_float(static_cast<std::uint16_t>(halves >> 16))};
}

}  // namespace

std::uint16_t half_of(float value) {
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

std::span<const std::uint32_t> HalfSamples::of(std::span<const std::complex<float>> rows, std::int64_t first_row,
                                               std::int64_t columns) {
    constexpr float beyond = 65520;  // and what rounds to no number any more
    halves_.resize(rows.size());
    double signal = 0, error = 0;
    int too_large = 0;
    const auto count = std::ssize(rows);
#pragma omp parallel for reduction(+ : signal, error) reduction(| : too_large)
    for (std::int64_t i = 0; i < count; ++i) {
        const std::complex<float> sample = rows[static_cast<std::size_t>(i)];
        const std::uint32_t stored = pack(sample);
        halves_[static_cast<std::size_t>(i)] = stored;
        signal += std::norm(std::complex<double>(sample));
        error += std::norm(std::complex<double>(sample) - std::complex<double>(unpacked(stored)));
        too_large |= std::abs(sample.real()) < beyond && std::abs(sample.imag()) < beyond ? 0 : 1;
    }
    signal_ += signal;
    error_ += error;
    if (too_large == 0) return halves_;
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [](const std::complex<float>& sample) {
                                     return !(std::abs(sample.real()) < beyond && std::abs(sample.imag()) < beyond);
                                 }) -
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
