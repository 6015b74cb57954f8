// SPDX-License-Identifier: Apache-2.0
// What back-projection is timed on: an antenna that flies past a plane, not quite straight, over points and
// band-limited noise.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/passes/accumulation.h"

namespace cornerturn {

/// Defaults are those of published figures: X band from 770 km, an aperture of a degree.
struct BackprojectionScene {
    std::int64_t rows = 8192, columns = 8192, lines = 11566;
    double carrier_hz = 9.6e9, range_m = 770e3, grazing_deg = 43, aperture_deg = 1;
    double pixel_m = 0.699;  ///< on the ground
    double cell_m = 0.25;    ///< of the compressed lines, in slant range
    double turned_deg = 0;   ///< of the columns from the direction of range
    double signal_to_error_db = 100;
};

/// Its pass. Every line weighs 1; places are fixed to the Earth, the antenna stands still while an echo is on its way.
Accumulation backprojection_pass(const BackprojectionScene& scene,
                                 std::shared_ptr<const AccumulationGeometry> geometry);
std::shared_ptr<const AccumulationGeometry> backprojection_geometry(const BackprojectionScene& scene);

/// Points of the scene, at whole pixels or not.
struct ScenePoint {
    double row, column, amplitude, phase_cycles;
};
std::vector<ScenePoint> scene_points(const BackprojectionScene& scene);

/// lines x cells: the points' responses and noise, both in half of the band that the cells could hold. The same for the
/// same scene.
std::vector<std::complex<float>> compressed_lines(const Accumulation& pass, const AccumulationGeometry& geometry,
                                                  const std::vector<ScenePoint>& points, int threads);

/// A pixel by the definition, in double precision.
std::complex<double> expected_pixel(const Accumulation& pass, const AccumulationGeometry& geometry,
                                    const std::vector<std::complex<float>>& compressed, std::int64_t row,
                                    std::int64_t column);

}  // namespace cornerturn
