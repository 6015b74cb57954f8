// SPDX-License-Identifier: Apache-2.0
// Mirrored columns, for images whose ranges fall from column to column: vector code reads cells in the order of
// columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// The mesh of an image whose last column is the first of that one: two columns at least.
inline PixelMesh mirrored(const PixelMesh& mesh) {
    PixelMesh turned = mesh;
    const std::int64_t columns = mesh.columns;
    for (std::int64_t row = 0; row < mesh.rows; ++row) {
        const PixelNode* const from = mesh.nodes.data() + row * columns;
        PixelNode* const to = turned.nodes.data() + row * columns;
        // One node lies before the first pixel and two behind the last; what is missing goes on as the cubic of four.
        for (std::int64_t k = 0; k + 1 < columns; ++k) to[k] = from[columns - 2 - k];
        const auto next = [&](auto of) { return 4 * of(from[0]) - 6 * of(from[1]) + 4 * of(from[2]) - of(from[3]); };
        to[columns - 1] = {.place = {next([](const PixelNode& n) { return n.place.x_m; }),
                                     next([](const PixelNode& n) { return n.place.y_m; }),
                                     next([](const PixelNode& n) { return n.place.z_m; })},
                           .rise = {next([](const PixelNode& n) { return n.rise.x_m; }),
                                    next([](const PixelNode& n) { return n.rise.y_m; }),
                                    next([](const PixelNode& n) { return n.rise.z_m; })},
                           .centroid_hz = next([](const PixelNode& n) { return n.centroid_hz; }),
                           .phase_cycles = next([](const PixelNode& n) { return n.phase_cycles; }),
                           .gain = next([](const PixelNode& n) { return n.gain; })};
    }
    return turned;
}

/// The same sum with ranges that grow from column to column.
inline FactorisedAccumulation farther(FactorisedAccumulation pass) {
    if (pass.nearer)
        pass.sum.geometry = [of_pixels = pass.sum.geometry, columns = pass.sum.columns] {
            AccumulationGeometry geometry = of_pixels();
            geometry.pixels = mirrored(geometry.pixels);
            geometry.around.mesh = mirrored(geometry.around.mesh);
            for (auto row = geometry.relief_m.begin(); row != geometry.relief_m.end(); row += columns)
                std::reverse(row, row + columns);
            return geometry;
        };
    return pass;
}

}  // namespace cornerturn
