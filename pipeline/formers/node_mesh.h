// SPDX-License-Identifier: Apache-2.0
// The mesh on which back-projection knows its pixels: as coarse as it may be.
#pragma once

#include <functional>

#include "kernels/passes/accumulation.h"

namespace cornerturn {

/// By which what lies between the nodes may be off in two-way delay, in cycles of the carrier.
inline constexpr double largest_mesh_error_cycles = 1e-5;

inline Place operator+(const Place& a, const Place& b) { return {a.x_m + b.x_m, a.y_m + b.y_m, a.z_m + b.z_m}; }
inline Place operator*(double scale, const Place& a) { return {scale * a.x_m, scale * a.y_m, scale * a.z_m}; }

using NodeOfColumn = std::function<PixelNode(double column)>;

/// What is known of the pixels of an image, at any row and column within it, whole or not. Several threads may ask at
/// once.
class PixelPlaces {
public:
    virtual ~PixelPlaces() = default;
    virtual Place place(double row, double column) const = 0;
    /// Of a row's pixels. The function must not outlive this.
    virtual NodeOfColumn nodes(double row) const = 0;
    /// In two-way delay, how far a place that should be another is off, from wherever it is looked at.
    virtual double error_cycles(double row, double column, const Place& should_be, const Place& is) const = 0;
};

PixelMesh mesh_over(const PixelPlaces& pixels, std::int64_t rows, std::int64_t columns);

/// Rows and columns beyond an image, at either end.
struct MeshMargin {
    std::int64_t rows = 0, columns = 0;
};
PlacesAround places_around(const PixelPlaces& pixels, std::int64_t rows, std::int64_t columns, MeshMargin beyond);

}  // namespace cornerturn
