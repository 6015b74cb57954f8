// SPDX-License-Identifier: Apache-2.0
// An image plan with other rows.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pipeline/formers/beam_widening.h"
#include "pipeline/formers/image_plan.h"

namespace cornerturn {

ImagePlan with_rows(ImagePlan plan, double first_time_s, std::int64_t rows) {
    const auto earlier =
        static_cast<std::int32_t>(std::lround((plan.grid.first_time_s - first_time_s) / plan.grid.time_spacing_s));
    const std::int64_t later = rows - plan.grid.rows - earlier;
    if (earlier < 0 || later < 0) throw std::logic_error("an image can only be given more rows, not fewer");
    plan.grid.first_time_s = first_time_s;
    plan.grid.rows = rows;
    plan.geometry.widening = largest_widening(*plan.geometry, plan.grid);
    const double earlier_lines = earlier * plan.lines.per_row;
    plan.lines.before += static_cast<std::int64_t>(std::ceil(earlier_lines));
    plan.lines.behind -= static_cast<std::int64_t>(std::floor(earlier_lines));
    for (Interval& lit : plan.coverage.beam_rows) lit = {lit.first + earlier, lit.last + earlier};
    ValidColumns& valid = plan.coverage.valid;
    valid.intervals.insert(valid.intervals.begin(),
                           static_cast<std::size_t>(std::int64_t{earlier} * valid.intervals_per_row), Interval{});
    valid.intervals.resize(static_cast<std::size_t>(rows * valid.intervals_per_row));
    return plan;
}

ImagePlan rows_of(const ImagePlan& plan, std::int64_t first_row, std::int64_t count, std::int64_t lines, bool at_edge) {
    ImagePlan part = plan;
    part.grid.first_time_s = plan.grid.time_s(static_cast<double>(first_row));
    if (part.map) {
        part.map->grid.first_y = plan.map->grid.y(static_cast<double>(first_row));
        part.map->grid.rows = count;
    }
    part.grid.rows = count;
    const auto moved = [&](std::int32_t row) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(row - first_row, 0, count));
    };
    for (Interval& lit : part.coverage.beam_rows) lit = {moved(lit.first), moved(lit.last)};
    part.coverage.valid = plan.coverage.valid.of_rows(first_row, count);
    if (plan.asked_pixels) {
        part.asked_pixels->clear();
        for (const ImagePixel& pixel : *plan.asked_pixels)
            if (pixel.row >= first_row && pixel.row < first_row + count)
                part.asked_pixels->push_back({pixel.row - first_row, pixel.column});
    }
    part.least.azimuth = lines + (at_edge && plan.parameters.extent == ImageExtent::full ? plan.lines.beyond_echo : 0);
    return part;
}

}  // namespace cornerturn
