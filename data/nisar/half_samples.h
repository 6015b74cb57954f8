// SPDX-License-Identifier: Apache-2.0
// Samples as pairs of IEEE binary16 (NISAR's complex32), and what that loses.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cornerturn {

/// Rounded to nearest, ties to even; subnormals, infinities and NaN included.
std::uint16_t half_of(float value);

class HalfSamples {
public:
    /// What rounding has done to some samples.
    struct Rounded {
        double signal = 0, error = 0;  ///< energies
        int too_large = 0;             ///< not 0: 16 bits do not hold all of them
    };
    /// Real part in the lower 16 bits; valid until the call after the next. Throws InputError for a sample that 16 bits
    /// cannot hold: a part beyond 65504. `first_row` and `columns` tell which.
    std::span<const std::uint32_t> of(std::span<const std::complex<float>> rows, std::int64_t first_row,
                                      std::int64_t columns);
    /// Of all samples so far; none where they all were stored as they are.
    std::optional<double> signal_to_error_db() const;

private:
    std::vector<std::uint32_t> halves_, before_;
    std::vector<Rounded> rounded_;  // of strips
    double signal_ = 0, error_ = 0;
};

/// The way back.
void from_halves(std::span<const std::uint32_t> halves, std::span<std::complex<float>> to);

}  // namespace cornerturn
