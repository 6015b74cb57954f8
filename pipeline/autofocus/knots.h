// SPDX-License-Identifier: Apache-2.0
// A phase over slow time by few numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pipeline/autofocus/phase_estimate.h"

namespace cornerturn {

/// A phase on knots, straight between them, as one of lines.
class Knots {
public:
    Knots(std::int64_t lines, std::int64_t step)
        : lines_(lines), step_(std::max<std::int64_t>(1, step)), count_(lines / step_ + 2) {}
    std::int64_t count() const { return count_; }
    std::int64_t step() const { return step_; }
    std::vector<double> on_lines(const std::vector<double>& knots) const {
        std::vector<double> phase(static_cast<std::size_t>(lines_));
        for (std::size_t line = 0; line < phase.size(); ++line)
            phase[line] = std::lerp(knots[knot(line)], knots[knot(line) + 1], part(line));
        return phase;
    }
    /// A derivative by the phases of lines as one by those of knots.
    std::vector<double> gathered(const std::vector<double>& lines) const {
        std::vector<double> sums(static_cast<std::size_t>(count_));
        for (std::size_t line = 0; line < lines.size(); ++line) {
            sums[knot(line)] += (1 - part(line)) * lines[line];
            sums[knot(line) + 1] += part(line) * lines[line];
        }
        // Constant and linear part change nothing: what of them there is are roundings.
        remove_line(sums, std::vector<double>(sums.size(), 1.0));
        return sums;
    }

private:
    std::size_t knot(std::size_t line) const { return line / static_cast<std::size_t>(step_); }
    double part(std::size_t line) const {
        return static_cast<double>(line % static_cast<std::size_t>(step_)) / static_cast<double>(step_);
    }
    std::int64_t lines_, step_, count_;
};

}  // namespace cornerturn
