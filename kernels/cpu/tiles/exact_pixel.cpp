// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/exact_pixel.h"

#include <algorithm>

namespace cornerturn {
namespace {

/// All that the window weighs for a pixel, and those between.
IndexRange weighed_lines(const TiledScene& scene, const PixelNode& pixel, double relief_m,
                         std::vector<Arrival>& arrivals) {
    const Accumulation& pass = scene.pass;
    if (pass.window.weight.empty()) return {0, pass.lines};
    const DopplerWindowView window = view_of(pass.window, pass.window.weight.data());
    const Place place = raised(pixel, relief_m);
    IndexRange lines{pass.lines, 0};
    const std::int64_t looks = (pass.lines + looked_at_every - 1) / looked_at_every;
    const auto at_a_time = static_cast<std::int64_t>(arrivals.size());
    for (std::int64_t first = 0; first < looks; first += at_a_time) {
        const std::int64_t count = std::min(at_a_time, looks - first);
        find_arrivals(pass.timing, scene.geometry.paths, first * looked_at_every, looked_at_every, count, place,
                      arrivals.data());
        for (std::int64_t i = 0; i < count; ++i) {
            const double offset_hz = arrivals[static_cast<std::size_t>(i)].row_hz - pixel.centroid_hz;
            if (window.at(offset_hz) == 0) continue;
            const std::int64_t line = (first + i) * looked_at_every;
            lines = {std::min(lines.first, line - looked_at_every), std::max(lines.last, line + looked_at_every + 1)};
        }
    }
    return recorded(lines, pass.lines);
}

}  // namespace

Complex64 exact_pixel(const TiledScene& scene, std::int64_t row, std::int64_t column, const Complex64* compressed,
                      std::vector<Arrival>& scratch) {
    const Accumulation& pass = scene.pass;
    const PixelNode pixel = view_of(scene.geometry.pixels).at(static_cast<double>(row), static_cast<double>(column));
    const double relief_m = scene.geometry.relief_at_m(row * pass.columns + column);
    return complex_cast<float>(accumulated_pixel(pass.timing, view_of(pass.window, pass.window.weight.data()),
                                                 scene.geometry.paths.data(), compressed, pass.cells,
                                                 weighed_lines(scene, pixel, relief_m, scratch), pixel, relief_m));
}

}  // namespace cornerturn
