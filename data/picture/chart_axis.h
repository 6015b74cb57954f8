// SPDX-License-Identifier: Apache-2.0
// The axes of charts, whatever they are drawn with.
#pragma once

#include <string>
#include <vector>

namespace cornerturn {

/// 1, 2 or 5 times a power of ten, of which four to ten fit an axis of this length.
double axis_step(double length);

/// What an axis spans, and where its marks are.
class ChartAxis {
public:
    /// Over all finite values, with this part of their span to spare at either end; never empty.
    ChartAxis(const std::vector<const std::vector<double>*>& values, double spare);

    /// From 0 at the least to 1 at the greatest.
    double part(double value) const { return (value - least_) / (greatest_ - least_); }

    struct Mark {
        double value;
        std::string text;
    };
    std::vector<Mark> marks() const;

private:
    double least_, greatest_;
};

}  // namespace cornerturn
