// SPDX-License-Identifier: Apache-2.0
// Energy of an image relative to that of its error against a reference.
#pragma once

#include <complex>
#include <span>

namespace cornerturn {

/// 10 log10 of the energy of the reference over that of the difference, infinite where they are equal: of images that
/// come in pieces.
class SignalToError {
public:
    /// Throws std::logic_error if the pieces differ in size. Each sample stands for `stands_for` of them.
    void add(std::span<const std::complex<float>> image, std::span<const std::complex<float>> reference,
             double stands_for = 1);
    double db() const;
    /// Both are zero wherever they were compared.
    bool nothing() const { return signal_ == 0 && error_ == 0; }

private:
    double signal_ = 0, error_ = 0;
};

/// Of whole images.
double signal_to_error_db(std::span<const std::complex<float>> image, std::span<const std::complex<float>> reference);

}  // namespace cornerturn
