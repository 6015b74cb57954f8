// SPDX-License-Identifier: Apache-2.0
#include "pipeline/verify/signal_to_error.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace cornerturn {

void SignalToError::add(std::span<const std::complex<float>> image, std::span<const std::complex<float>> reference,
                        double stands_for) {
    if (image.size() != reference.size())
        throw std::logic_error(
            fmt::format("images of {} and {} samples cannot be compared", image.size(), reference.size()));
    for (std::size_t i = 0; i < image.size(); ++i) {
        const std::complex<double> r(reference[i]);
        signal_ += stands_for * std::norm(r);
        error_ += stands_for * std::norm(std::complex<double>(image[i]) - r);
    }
}

double SignalToError::db() const { return error_ == 0 ? INFINITY : 10.0 * std::log10(signal_ / error_); }

double signal_to_error_db(std::span<const std::complex<float>> image, std::span<const std::complex<float>> reference) {
    SignalToError ratio;
    ratio.add(image, reference);
    return ratio.db();
}

}  // namespace cornerturn
