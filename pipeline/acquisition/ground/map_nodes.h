// SPDX-License-Identifier: Apache-2.0
// A coarser grid over a map: values of its nodes, and straight between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {

/// Nodes lie 500 m apart, or nearer, 256 pixels at most.
template <class Node>
class MapNodes {
public:
    /// Nodes as they are made, without values.
    explicit MapNodes(const MapGrid& grid, double apart_m = 500) : grid_(grid) {
        const auto step = [&](double size_m) {
            return std::clamp<std::int64_t>(static_cast<std::int64_t>(apart_m / size_m), 1, 256);
        };
        const PixelSize pixel = pixel_size(grid);
        row_step_ = step(pixel.down_m), column_step_ = step(pixel.across_m);
        rows_ = (grid.rows + row_step_ - 1) / row_step_ + 1;
        columns_ = (grid.columns + column_step_ - 1) / column_step_ + 1;
        nodes_.resize(static_cast<std::size_t>(rows_ * columns_));
    }
    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }
    Node& at(std::int64_t row, std::int64_t column) {
        return nodes_[static_cast<std::size_t>(row * columns_ + column)];
    }
    /// Where a node lies on the map.
    MapPoint point(std::int64_t row, std::int64_t column) const {
        return {grid_.x(static_cast<double>(column * column_step_)), grid_.y(static_cast<double>(row * row_step_))};
    }
    /// A number of the nodes at a pixel of the map.
    double operator()(std::int64_t row, std::int64_t column, double Node::*number) const {
        const Node* node = nodes_.data() + row / row_step_ * columns_ + column / column_step_;
        const double v = static_cast<double>(row % row_step_) / static_cast<double>(row_step_),
                     u = static_cast<double>(column % column_step_) / static_cast<double>(column_step_);
        return std::lerp(std::lerp(node[0].*number, node[1].*number, u),
                         std::lerp(node[columns_].*number, node[columns_ + 1].*number, u), v);
    }
    /// A row of pixels by its stretches from node to node: calls take(first, last, left, right, per_column) for columns
    /// from first on, before last, with mix(node, node, part) of the nodes above and below at the stretch's ends, and
    /// the part of a stretch that a column is.
    template <class Mix, class Take>
    void for_stretches(std::int64_t row, const Mix& mix, const Take& take) const {
        const Node* const above = nodes_.data() + row / row_step_ * columns_;
        const double v = static_cast<double>(row % row_step_) / static_cast<double>(row_step_);
        Node left = mix(above[0], above[columns_], v);
        for (std::int64_t stretch = 0; stretch * column_step_ < grid_.columns; ++stretch) {
            const Node right = mix(above[stretch + 1], above[columns_ + stretch + 1], v);
            take(stretch * column_step_, std::min((stretch + 1) * column_step_, grid_.columns), left, right,
                 1 / static_cast<double>(column_step_));
            left = right;
        }
    }

private:
    MapGrid grid_;
    std::int64_t row_step_ = 1, column_step_ = 1, rows_ = 0, columns_ = 0;
    std::vector<Node> nodes_;
};

}  // namespace cornerturn
