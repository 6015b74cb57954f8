// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/radiometry.h"

#include <algorithm>

namespace cornerturn {

double PowerFactor::at(double row, double column) const {
    struct Between {
        std::int64_t node;
        double part;
    };
    const auto between = [](double pixel, std::int64_t pixels, std::int64_t nodes) {
        const double place =
            pixels > 1 ? std::clamp(pixel / static_cast<double>(pixels - 1), 0.0, 1.0) * static_cast<double>(nodes - 1)
                       : 0.0;
        const auto node = std::min(static_cast<std::int64_t>(place), nodes - 2);
        return Between{node, place - static_cast<double>(node)};
    };
    const Between down = between(row, rows, node_rows), across = between(column, columns, node_columns);
    const double* const above = at_nodes.data() + down.node * node_columns + across.node;
    const double* const below = above + node_columns;
    return std::lerp(std::lerp(above[0], above[1], across.part), std::lerp(below[0], below[1], across.part), down.part);
}

}  // namespace cornerturn
