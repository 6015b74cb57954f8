// SPDX-License-Identifier: Apache-2.0
#include "data/picture/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/files/output_file.h"
#include "data/picture/svg.h"

namespace cornerturn {
namespace {

constexpr int width_px = 760, left_px = 130, right_px = 150, top_px = 64, bar_px = 18, pitch_px = 26, bottom_px = 44;
constexpr int axis_px = width_px - left_px - right_px;

}  // namespace

std::string bar_chart_svg(const BarChart& chart) {
    double greatest = 0;
    for (const auto& bar : chart.bars) greatest = std::max(greatest, bar.value);
    if (!(greatest > 0)) greatest = 1;
    const int bars_px = pitch_px * static_cast<int>(chart.bars.size()), height_px = top_px + bars_px + bottom_px;
    const auto x_of = [&](double value) { return left_px + axis_px * value / greatest; };

    std::string svg = svg_ground(width_px, height_px);
    svg += svg_text(16, 26, "font-size=\"16\" font-weight=\"bold\"", chart.title);
    svg += svg_text(16, 46, "fill=\"#606060\"", chart.subtitle);
    svg += svg_scale(left_px, axis_px, top_px, top_px + bars_px, greatest, chart.unit);
    double y = top_px + (pitch_px - bar_px) / 2.0;
    for (const auto& bar : chart.bars) {
        const double baseline = y + bar_px - 5;
        svg += svg_text(left_px - 8, baseline, "text-anchor=\"end\"", bar.name);
        svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#3b6ea5\"/>\n", left_px,
                           y, x_of(bar.value) - left_px, bar_px);
        svg += svg_text(x_of(bar.value) + 6, baseline, "", bar.label);
        y += pitch_px;
    }
    return svg + "</svg>\n";
}

void write_bar_chart(const std::string& path, const BarChart& chart) { replace_file(path, bar_chart_svg(chart)); }

}  // namespace cornerturn
