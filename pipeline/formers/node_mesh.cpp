// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/node_mesh.h"

#include <algorithm>
#include <array>
#include <vector>

namespace cornerturn {
namespace {

PixelNode operator+(const PixelNode& a, const PixelNode& b) {
    return {a.place + b.place, a.rise + b.rise, a.centroid_hz + b.centroid_hz, a.phase_cycles + b.phase_cycles, a.gain + b.gain};
}
PixelNode operator*(double scale, const PixelNode& a) {
    return {scale * a.place, scale * a.rise, scale * a.centroid_hz, scale * a.phase_cycles, scale * a.gain};
}

/// The next value of a cubic, from its last four, the last one first. Nodes outside the image are such, as nothing need be known there.
template <class T>
T next_of(const T& last, const T& before, const T& earlier, const T& first) {
    return 4.0 * last + -6.0 * before + 4.0 * earlier + -1.0 * first;
}
/// Puts one value before and two behind.
template <class T>
std::vector<T> continued(const std::vector<T>& inside) {
    std::vector<T> nodes{next_of(inside[0], inside[1], inside[2], inside[3])};
    nodes.insert(nodes.end(), inside.begin(), inside.end());
    for (int i = 0; i < 2; ++i) {
        const auto last = nodes.rbegin();
        nodes.push_back(next_of(last[0], last[1], last[2], last[3]));
    }
    return nodes;
}

/// Nodes along one axis of the image, the first on its first pixel and the last on its last.
struct Nodes {
    std::int64_t intervals = 4;
    double step = 1;
    Nodes(std::int64_t pixels, std::int64_t count)
        : intervals(count), step(static_cast<double>(std::max<std::int64_t>(pixels - 1, 1)) / static_cast<double>(count)) {}
};

/// The largest error half-way between nodes along a row or column, whose places `place` gives.
template <class At, class Error>
double largest_error_cycles(const Nodes& nodes, const At& place, const Error& error_cycles) {
    std::vector<Place> inside;
    for (std::int64_t i = 0; i <= nodes.intervals; ++i) inside.push_back(place(static_cast<double>(i) * nodes.step));
    const std::vector<Place> all = continued(inside);
    double most = 0;
    for (std::int64_t i = 0; i < nodes.intervals; ++i) {
        double weight[4];
        cubic_weights(0.5, weight);
        Place between;
        for (std::size_t k = 0; k < 4; ++k) between = between + weight[k] * all[static_cast<std::size_t>(i) + k];
        const double at = (static_cast<double>(i) + 0.5) * nodes.step;
        most = std::max(most, error_cycles(at, place(at), between));
    }
    return most;
}

/// As few as hold the error along the edges and the middle. Nodes on every pixel have none.
template <class Error>
Nodes fewest_nodes(std::int64_t pixels, const Error& error_cycles) {
    std::int64_t intervals = 4;
    while (intervals < pixels - 1 && error_cycles(Nodes(pixels, intervals)) > largest_mesh_error_cycles) intervals *= 2;
    return {pixels, std::max<std::int64_t>(4, std::min(intervals, pixels - 1))};
}

std::array<double, 3> edges_and_middle(std::int64_t pixels) {
    const double last = static_cast<double>(pixels - 1);
    return {0, 0.5 * last, last};
}

Nodes nodes_over_columns(const PixelPlaces& pixels, std::int64_t rows, std::int64_t columns) {
    return fewest_nodes(columns, [&](const Nodes& nodes) {
        double most = 0;
        for (const double row : edges_and_middle(rows))
            most = std::max(most, largest_error_cycles(
                                      nodes, [&](double at) { return pixels.place(row, at); },
                                      [&](double at, const Place& a, const Place& b) { return pixels.error_cycles(row, at, a, b); }));
        return most;
    });
}

Nodes nodes_over_rows(const PixelPlaces& pixels, std::int64_t rows, std::int64_t columns) {
    return fewest_nodes(rows, [&](const Nodes& nodes) {
        double most = 0;
        for (const double column : edges_and_middle(columns))
            most = std::max(most, largest_error_cycles(
                                      nodes, [&](double at) { return pixels.place(at, column); },
                                      [&](double at, const Place& a, const Place& b) { return pixels.error_cycles(at, column, a, b); }));
        return most;
    });
}

}  // namespace

PixelMesh mesh_over(const PixelPlaces& pixels, std::int64_t image_rows, std::int64_t image_columns) {
    const Nodes rows = nodes_over_rows(pixels, image_rows, image_columns), columns = nodes_over_columns(pixels, image_rows, image_columns);
    std::vector<std::vector<PixelNode>> inside(static_cast<std::size_t>(rows.intervals + 1));
#pragma omp parallel for
    for (std::int64_t i = 0; i <= rows.intervals; ++i) {
        std::vector<PixelNode> row;
        for (std::int64_t k = 0; k <= columns.intervals; ++k)
            row.push_back(pixels.node(static_cast<double>(i) * rows.step, static_cast<double>(k) * columns.step));
        inside[static_cast<std::size_t>(i)] = continued(row);
    }
    PixelMesh mesh{.rows = rows.intervals + 4,
                   .columns = columns.intervals + 4,
                   .row_step = rows.step,
                   .column_step = columns.step,
                   .nodes = std::vector<PixelNode>(static_cast<std::size_t>((rows.intervals + 4) * (columns.intervals + 4)))};
    for (std::int64_t k = 0; k < mesh.columns; ++k) {
        std::vector<PixelNode> column;
        for (const auto& row : inside) column.push_back(row[static_cast<std::size_t>(k)]);
        column = continued(column);
        for (std::int64_t i = 0; i < mesh.rows; ++i)
            mesh.nodes[static_cast<std::size_t>(i * mesh.columns + k)] = column[static_cast<std::size_t>(i)];
    }
    return mesh;
}

}  // namespace cornerturn
