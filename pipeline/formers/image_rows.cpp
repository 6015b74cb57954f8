// SPDX-License-Identifier: Apache-2.0
// An image plan with other rows.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

ImagePlan with_rows(ImagePlan plan, double first_time_s, std::int64_t rows) {
    const auto earlier =
        static_cast<std::int32_t>(std::lround((plan.grid.first_time_s - first_time_s) / plan.grid.time_spacing_s));
    const std::int64_t later = rows - plan.grid.rows - earlier;
    if (earlier < 0 || later < 0) throw std::logic_error("an image can only be given more rows, not fewer");
    plan.grid.first_time_s = first_time_s;
    plan.grid.rows = rows;
    const double earlier_lines = earlier * plan.lines_per_row;
    plan.lines_of_row.before += static_cast<std::int64_t>(std::ceil(earlier_lines));
    plan.lines_of_row.behind -= static_cast<std::int64_t>(std::floor(earlier_lines));
    for (Interval& covered : plan.covered_rows) covered = {covered.first + earlier, covered.last + earlier};
    plan.valid_columns.insert(plan.valid_columns.begin(),
                              static_cast<std::size_t>(std::int64_t{earlier} * plan.intervals_per_row), Interval{});
    plan.valid_columns.resize(static_cast<std::size_t>(rows * plan.intervals_per_row));
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
    for (Interval& covered : part.covered_rows) covered = {moved(covered.first), moved(covered.last)};
    const auto first = plan.valid_columns.begin() + static_cast<std::ptrdiff_t>(first_row * plan.intervals_per_row);
    part.valid_columns.assign(first, first + static_cast<std::ptrdiff_t>(count * plan.intervals_per_row));
    if (plan.asked_pixels) {
        part.asked_pixels->clear();
        for (const ImagePixel& pixel : *plan.asked_pixels)
            if (pixel.row >= first_row && pixel.row < first_row + count)
                part.asked_pixels->push_back({pixel.row - first_row, pixel.column});
    }
    part.least.azimuth = lines + (at_edge && plan.parameters.extent == ImageExtent::full ? plan.wrap_lines : 0);
    return part;
}

}  // namespace cornerturn
