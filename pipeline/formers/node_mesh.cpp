// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/node_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace cornerturn {

// Not in the unnamed namespace, where they would hide the operators of Vec3 from files compiled together with this one.
static PixelNode operator+(const PixelNode& a, const PixelNode& b) {
    return {a.place + b.place, a.rise + b.rise, a.centroid_hz + b.centroid_hz, a.phase_cycles + b.phase_cycles,
            a.gain + b.gain};
}
static PixelNode operator*(double scale, const PixelNode& a) {
    return {scale * a.place, scale * a.rise, scale * a.centroid_hz, scale * a.phase_cycles, scale * a.gain};
}

namespace {

/// The next value of a cubic, from its last four, the last one first. Nodes outside the image are such, as nothing need
/// be known there.
template <class T>
T next_of(const T& last, const T& before, const T& earlier, const T& first) {
    return 4.0 * last + -6.0 * before + 4.0 * earlier + -1.0 * first;
}
/// Puts one value before some that lie `apart`, and two behind.
template <class T>
void continue_beyond(T* inside, std::int64_t count, std::int64_t apart) {
    const auto at = [&](std::int64_t i) -> T& { return inside[i * apart]; };
    at(-1) = next_of(at(0), at(1), at(2), at(3));
    for (std::int64_t i = count; i < count + 2; ++i) at(i) = next_of(at(i - 1), at(i - 2), at(i - 3), at(i - 4));
}

/// Nodes along one axis of the image, the first on its first pixel and the last on its last.
struct Nodes {
    std::int64_t intervals = 4;
    double step = 1;
    Nodes(std::int64_t pixels, std::int64_t count)
        : intervals(count),
          step(static_cast<double>(std::max<std::int64_t>(pixels - 1, 1)) / static_cast<double>(count)) {}
};

/// Along a row or column of the image.
struct PlacesAlong {
    std::function<Place(double at)> place;
    std::function<double(double at, const Place& should_be, const Place& is)> error_cycles;
};

/// Finds how many nodes a row or column needs.
class FewestNodes {
public:
    FewestNodes(std::int64_t pixels, PlacesAlong along) : along_(std::move(along)), pixels_(pixels), nodes_(pixels, 4) {
        for (std::int64_t i = 0; i <= nodes_.intervals; ++i)
            inside_.push_back(along_.place(static_cast<double>(i) * nodes_.step));
    }

    /// At least so many intervals, and as few as hold the error. Nodes on every pixel have none.
    std::int64_t intervals(std::int64_t least) {
        while (nodes_.intervals < pixels_ - 1) {
            if (between_.empty()) look_between();
            held_ = held_ || (nodes_.intervals >= least && hold());
            if (held_ && nodes_.intervals >= least) break;
            halve();
        }
        return nodes_.intervals;
    }

private:
    double middle(std::int64_t interval) const { return (static_cast<double>(interval) + 0.5) * nodes_.step; }
    void look_between() {
        for (std::int64_t i = 0; i < nodes_.intervals; ++i) between_.push_back(along_.place(middle(i)));
    }
    bool hold() const {
        std::vector<Place> all(inside_.size() + 3);
        std::copy(inside_.begin(), inside_.end(), all.begin() + 1);
        continue_beyond(all.data() + 1, nodes_.intervals + 1, 1);
        double weight[4];
        cubic_weights(0.5, weight);
        for (std::int64_t i = 0; i < nodes_.intervals; ++i) {
            const auto at = static_cast<std::size_t>(i);
            Place cubic;
            for (std::size_t k = 0; k < 4; ++k) cubic = cubic + weight[k] * all[at + k];
            if (!(along_.error_cycles(middle(i), between_[at], cubic) <= largest_mesh_error_cycles)) return false;
        }
        return true;
    }
    /// What lay between are nodes, too.
    void halve() {
        std::vector<Place> halves;
        for (std::size_t i = 0; i < between_.size(); ++i) halves.insert(halves.end(), {inside_[i], between_[i]});
        halves.push_back(inside_.back());
        inside_ = std::move(halves);
        between_.clear();
        held_ = false;
        nodes_ = Nodes(pixels_, 2 * nodes_.intervals);
    }

    PlacesAlong along_;
    std::int64_t pixels_;
    Nodes nodes_;
    std::vector<Place> inside_, between_;
    bool held_ = false;  ///< with these nodes
};

/// As few as hold the error along all of some rows or columns.
Nodes fewest_nodes(std::int64_t pixels, const std::vector<PlacesAlong>& lines) {
    std::vector<FewestNodes> searches;
    for (const PlacesAlong& along : lines) searches.emplace_back(pixels, along);
    std::int64_t least = 4;
    for (bool more = true; more;) {
        std::int64_t most = least;
#pragma omp parallel for reduction(max : most)
        for (std::size_t i = 0; i < searches.size(); ++i) most = std::max(most, searches[i].intervals(least));
        more = most > least;
        least = most;
    }
    return {pixels, std::max<std::int64_t>(4, std::min(least, pixels - 1))};
}

std::array<double, 3> edges_and_middle(std::int64_t pixels) {
    const double last = static_cast<double>(pixels - 1);
    return {0, 0.5 * last, last};
}

Nodes nodes_over_columns(const PixelPlaces& pixels, std::int64_t rows, std::int64_t columns) {
    std::vector<PlacesAlong> lines;
    for (const double row : edges_and_middle(rows))
        lines.push_back(
            {[&pixels, row](double at) { return pixels.place(row, at); },
             [&pixels, row](double at, const Place& a, const Place& b) { return pixels.error_cycles(row, at, a, b); }});
    return fewest_nodes(columns, lines);
}

Nodes nodes_over_rows(const PixelPlaces& pixels, std::int64_t rows, std::int64_t columns) {
    std::vector<PlacesAlong> lines;
    for (const double column : edges_and_middle(columns))
        lines.push_back({[&pixels, column](double at) { return pixels.place(at, column); },
                         [&pixels, column](double at, const Place& a, const Place& b) {
                             return pixels.error_cycles(at, column, a, b);
                         }});
    return fewest_nodes(rows, lines);
}

PixelMesh mesh_with(const PixelPlaces& pixels, const Nodes& rows, const Nodes& columns) {
    PixelMesh mesh{
        .rows = rows.intervals + 4,
        .columns = columns.intervals + 4,
        .row_step = rows.step,
        .column_step = columns.step,
        .nodes = std::vector<PixelNode>(static_cast<std::size_t>((rows.intervals + 4) * (columns.intervals + 4)))};
    const auto node = [&](std::int64_t i, std::int64_t k) {
        return mesh.nodes.data() + (i + 1) * mesh.columns + k + 1;
    };
#pragma omp parallel for
    for (std::int64_t i = 0; i <= rows.intervals; ++i) {
        const NodeOfColumn of_row = pixels.nodes(static_cast<double>(i) * rows.step);
        for (std::int64_t k = 0; k <= columns.intervals; ++k)
            *node(i, k) = of_row(static_cast<double>(k) * columns.step);
        continue_beyond(node(i, 0), columns.intervals + 1, 1);
    }
    for (std::int64_t k = -1; k <= columns.intervals + 2; ++k)
        continue_beyond(node(0, k), rows.intervals + 1, mesh.columns);
    return mesh;
}

/// Whether the pixels amid some cells all over the mesh are held: between the rows and columns that told how many nodes
/// it takes, too.
bool holds(const PixelMesh& mesh, const PixelPlaces& pixels, const Nodes& rows, const Nodes& columns) {
    constexpr std::int64_t looks = 11;
    const auto amid = [](const Nodes& nodes, std::int64_t look) {
        return std::round((static_cast<double>(nodes.intervals * (2 * look + 1) / (2 * looks)) + 0.5) * nodes.step);
    };
    constexpr double most_cycles = 2 * largest_mesh_error_cycles;  // of either axis
    bool held = true;
#pragma omp parallel for reduction(&& : held)
    for (std::int64_t i = 0; i < looks; ++i)
        for (std::int64_t k = 0; k < looks; ++k) {
            const double row = amid(rows, i), column = amid(columns, k);
            const Place is = view_of(mesh).at(row, column).place;
            held = held && pixels.error_cycles(row, column, pixels.place(row, column), is) <= most_cycles;
        }
    return held;
}

/// An image and what lies about it, as if that were the image.
class WithMargin final : public PixelPlaces {
public:
    WithMargin(const PixelPlaces& image, MeshMargin beyond)
        : image_(image),
          first_row_(-static_cast<double>(beyond.rows)),
          first_column_(-static_cast<double>(beyond.columns)) {}

    Place place(double row, double column) const override {
        return image_.place(first_row_ + row, first_column_ + column);
    }
    NodeOfColumn nodes(double row) const override {
        return
            [this, of_row = image_.nodes(first_row_ + row)](double column) { return of_row(first_column_ + column); };
    }
    double error_cycles(double row, double column, const Place& should_be, const Place& is) const override {
        return image_.error_cycles(first_row_ + row, first_column_ + column, should_be, is);
    }

private:
    const PixelPlaces& image_;
    double first_row_, first_column_;
};

}  // namespace

PixelMesh mesh_over(const PixelPlaces& pixels, std::int64_t image_rows, std::int64_t image_columns) {
    Nodes rows = nodes_over_rows(pixels, image_rows, image_columns),
          columns = nodes_over_columns(pixels, image_rows, image_columns);
    const auto densest = [](std::int64_t count) { return std::max<std::int64_t>(4, count - 1); };
    while (true) {
        PixelMesh mesh = mesh_with(pixels, rows, columns);
        const bool on_every_pixel =
            rows.intervals == densest(image_rows) && columns.intervals == densest(image_columns);
        if (on_every_pixel || holds(mesh, pixels, rows, columns)) return mesh;
        rows = Nodes(image_rows, std::min(2 * rows.intervals, densest(image_rows)));
        columns = Nodes(image_columns, std::min(2 * columns.intervals, densest(image_columns)));
    }
}

PlacesAround places_around(const PixelPlaces& pixels, std::int64_t rows, std::int64_t columns, MeshMargin beyond) {
    const WithMargin all(pixels, beyond);
    return {mesh_over(all, rows + 2 * beyond.rows, columns + 2 * beyond.columns), static_cast<double>(beyond.rows),
            static_cast<double>(beyond.columns)};
}

}  // namespace cornerturn
