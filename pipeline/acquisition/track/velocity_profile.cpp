// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/velocity_profile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace cornerturn {

double VelocityProfile::node(int k, int points) { return std::cos(std::numbers::pi * (k + 0.5) / points); }
double VelocityProfile::weight(int k, int points) {
    return (k % 2 == 0 ? 1.0 : -1.0) * std::sin(std::numbers::pi * (k + 0.5) / points);
}

double VelocityProfile::operator()(double range_m) const {
    if (nodes_.size() == 1) return values_m_s_.front();
    const double x = half_m_ > 0 ? std::clamp((range_m - centre_m_) / half_m_, -1.0, 1.0) : 0.0;
    double above = 0, below = 0;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        if (x == nodes_[k]) return values_m_s_[k];
        const double weight = weights_[k] / (x - nodes_[k]);
        above += weight * values_m_s_[k];
        below += weight;
    }
    return above / below;
}

}  // namespace cornerturn
