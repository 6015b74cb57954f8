// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/line_steps.h"

#include <algorithm>
#include <cmath>

namespace cornerturn {
namespace {

void weigh(const TiledScene& scene, const Tile& tile, const TileSurface& offset_hz, LineStep& step) {
    const DopplerWindowView window = view_of(scene.pass.window, scene.pass.window.weight.data());
    const auto index = [&](double hz) { return static_cast<float>(window.per_hz * hz); };
    step.weight = {.value = static_cast<float>(window.middle + window.per_hz * offset_hz.value),
                   .x = index(offset_hz.x),
                   .y = index(offset_hz.y),
                   .xx = index(offset_hz.xx),
                   .xy = index(offset_hz.xy),
                   .yy = index(offset_hz.yy),
                   .xxy = index(offset_hz.xxy),
                   .xyy = index(offset_hz.xyy),
                   .xxyy = index(offset_hz.xxyy)};
    const double spread = window.per_hz * largest_change(offset_hz, tile.scale()) + 1,
                 from_middle = std::fabs(window.per_hz * offset_hz.value);
    if (from_middle - spread > window.middle) step.weighing = LineWeight::nothing;
    if (from_middle + spread < scene.level_from_middle) {
        step.weighing = LineWeight::level;
        step.level_weight = scene.level_weight;
    }
}

}  // namespace

TileLine line_of(const Tile& tile, AlongPhase along, const Arrival* at, std::int64_t stride) {
    const TilePoint* const points = tile.points().data();
    if (along == AlongPhase::curved) return tile_line<points_of_biquadratic>(tile.scale(), at, stride, points);
    if (along == AlongPhase::stepped) return tile_line<points_of_quadratic>(tile.scale(), at, stride, points);
    return tile_line<points_of_slopes>(tile.scale(), at, stride, points);
}

LineStep step_of(const TiledScene& scene, const Tile& tile, const TileLine& seen, const TileLine& middle,
                 AlongPhase along) {
    const AddedPhase more =
        added_phase(along, scene.bends(along), seen, middle, scene.cells_per_cycle(), tile.heights().half_m);
    const double bends = along != AlongPhase::in_cells ? scene.cells_per_cycle() : 0;
    const double below = std::floor(seen.cell), part = seen.cell - below;
    const auto f = [](double value) { return static_cast<float>(value); };
    LineStep step{.cell = f(part - 0.5),
                  .cell_x = f(seen.cell_x),
                  .cell_y = f(seen.cell_y),
                  .cell_xx = f((seen.cycles.xx - more.bends * middle.cycles.xx) * bends),
                  .cell_xy = f((seen.cycles.xy - more.bends * middle.cycles.xy) * bends),
                  .bends = f(more.bends),
                  .cycles = f(fraction_of(seen.cycles.value + tile.points()[0].phase_cycles)),
                  .cycles_per_cell = f(more.per_cell),
                  .cycles_per_cell2 = f(more.per_cell2),
                  .cycles_x = f(more.pixels.x),
                  .cycles_y = f(more.pixels.y),
                  .cycles_xx = f(more.pixels.xx),
                  .cycles_xy = f(more.pixels.xy),
                  .cycles_yy = f(more.pixels.yy),
                  .cycles_xxy = f(more.pixels.xxy),
                  .cycles_xyy = f(more.pixels.xyy),
                  .cycles_xxyy = f(more.pixels.xxyy),
                  .weight = {},
                  .weighing = LineWeight::grows,
                  .level_weight = 1,
                  .middle_cell = static_cast<std::int64_t>(std::clamp(below, -1e15, 1e15))};
    if (!scene.window.empty()) weigh(scene, tile, offset_of(along, seen, middle), step);
    return step;
}

TileLayout layout_of(const TileShape& tile, int lanes, const TileLine& line) {
    TileLayout best;
    double least = INFINITY;
    for (const int along : {1, 2, 4}) {
        const int across = lanes / along;
        if (tile.across % across != 0 || tile.along % (along * vectors_at_a_time) != 0) continue;
        const double cells = (across - 1) * std::fabs(line.cell_x) + (along - 1) * std::fabs(line.cell_y);
        if (!(cells < least) && best.lanes != 0) continue;
        least = cells;
        best = {lanes, across, along, tile.across / across, tile.along / (along * vectors_at_a_time)};
    }
    return best;
}

}  // namespace cornerturn
