// SPDX-License-Identifier: Apache-2.0
#include "data/picture/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornerturn {

double axis_step(double length) {
    const double power = std::pow(10.0, std::floor(std::log10(length))), leading = length / power;
    return power * (leading < 2 ? 0.2 : leading < 5 ? 0.5 : 1.0);
}

ChartAxis::ChartAxis(const std::vector<const std::vector<double>*>& values, double spare)
    : least_(std::numeric_limits<double>::infinity()), greatest_(-least_) {
    for (const std::vector<double>* some : values)
        for (const double value : *some)
            if (std::isfinite(value)) least_ = std::min(least_, value), greatest_ = std::max(greatest_, value);
    if (!(least_ <= greatest_)) least_ = 0, greatest_ = 1;
    const double margin = spare * (greatest_ - least_);
    least_ -= margin, greatest_ += margin;
    if (greatest_ - least_ <= 1e-9 * std::max(std::abs(least_), std::abs(greatest_))) {
        const double room = std::max(1e-3 * std::abs(least_), 1e-12);
        least_ -= room, greatest_ += room;
    }
}

std::vector<ChartAxis::Mark> ChartAxis::marks() const {
    const double step = axis_step(greatest_ - least_);
    std::vector<Mark> marks;
    for (double value = std::ceil(least_ / step) * step; value <= greatest_; value += step)
        marks.push_back({value, fmt::format("{:.6g}", std::abs(value) < 1e-9 * step ? 0 : value)});
    return marks;
}

}  // namespace cornerturn
