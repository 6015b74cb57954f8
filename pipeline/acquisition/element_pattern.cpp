// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/element_pattern.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "kernels/math/sinc.h"

namespace cornerturn {

ElementPattern ElementPattern::of_aperture(double length_m, double wavelength_m) {
    ElementPattern pattern;
    pattern.lengths_ = length_m / wavelength_m;
    return pattern;
}

ElementPattern::ElementPattern(double step_rad, std::vector<double> gain_db)
    : step_rad_(step_rad), gain_db_(std::move(gain_db)) {
    if (gain_db_.size() % 2 == 0 || !(step_rad > 0)) throw std::logic_error("a pattern without a middle");
}

double ElementPattern::gain(double angle_rad) const {
    if (gain_db_.empty()) {
        const double amplitude = sinc(lengths_ * std::sin(angle_rad));
        return amplitude * amplitude;
    }
    const auto last = static_cast<double>(gain_db_.size() - 1);
    const double at = std::clamp(angle_rad / step_rad_ + 0.5 * last, 0.0, last);
    const auto before = static_cast<std::size_t>(std::min(std::floor(at), std::max(last - 1, 0.0))),
               behind = std::min(before + 1, gain_db_.size() - 1);
    const double db =
        std::lerp(gain_db_[before], gain_db_[behind], at - static_cast<double>(before)) - gain_db_[gain_db_.size() / 2];
    return std::pow(10, db / 20);
}

}  // namespace cornerturn
