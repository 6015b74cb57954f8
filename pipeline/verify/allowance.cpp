// SPDX-License-Identifier: Apache-2.0
#include "pipeline/verify/allowance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "pipeline/acquisition/degree.h"
#include "pipeline/verify/reference_chip.h"

namespace cornerturn {

NoiseAllowance noise_allowance(double signal_to_noise, double band) {
    const double deviation = 4.0 / std::sqrt(2.0 * signal_to_noise);
    const double sidelobe_db = 8.686 * deviation / 0.217;
    return {.position_px = deviation * std::sqrt(12.0) / (2.0 * std::numbers::pi * band * band),
            .phase_deg = deviation / degree,
            .correlation_factor = 1.0 / std::sqrt(1.0 + static_cast<double>(comparison_pixels) / signal_to_noise),
            .amplitude_db = 8.686 * deviation,
            .width_percent = 100.0 * deviation / band,
            .pslr_db = sidelobe_db,
            .islr_db = sidelobe_db + 10.0 * std::log10(1.0 + 20.0 / 0.087 / signal_to_noise)};
}

void Worst::add(double deviation, double allowance, std::size_t target) {
    const double size = std::abs(deviation);
    allowance_ = std::max(allowance_, allowance);
    if (target_ && (std::isnan(value_) || !(size > value_ || std::isnan(size)))) return;
    value_ = size;
    target_ = target + 1;
}

void Worst::check(std::string name, double limit, std::string unit, std::vector<ReferenceCheck>& checks) const {
    if (target_)
        checks.push_back({std::move(name), value_, limit + allowance_, false, std::move(unit),
                          fmt::format("worst: target {}", *target_)});
}

ReferenceCheck check_of_measured(std::size_t measured, std::size_t targets) {
    return {"targets measured", static_cast<double>(measured), 1, true, fmt::format("of {}", targets), ""};
}

}  // namespace cornerturn
