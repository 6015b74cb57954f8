// SPDX-License-Identifier: Apache-2.0
#include "data/picture/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/output_file.h"

namespace cornerturn {
namespace {

constexpr int width_px = 760, left_px = 130, right_px = 150, top_px = 64, bar_px = 18, pitch_px = 26, bottom_px = 44;
constexpr int axis_px = width_px - left_px - right_px;

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text)
        result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return result;
}

std::string text(double x, double y, const char* style, const std::string& words) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, escaped(words));
}

/// 1, 2 or 5 times a power of ten, so that four to ten steps reach the greatest value.
double axis_step(double greatest) {
    const double power = std::pow(10.0, std::floor(std::log10(greatest)));
    const double leading = greatest / power;
    return power * (leading < 2 ? 0.2 : leading < 5 ? 0.5 : 1.0);
}

}  // namespace

std::string bar_chart_svg(const BarChart& chart) {
    double greatest = 0;
    for (const auto& bar : chart.bars) greatest = std::max(greatest, bar.value);
    if (!(greatest > 0)) greatest = 1;
    const int bars_px = pitch_px * static_cast<int>(chart.bars.size()), height_px = top_px + bars_px + bottom_px;
    const auto x_of = [&](double value) { return left_px + axis_px * value / greatest; };

    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
        "font-size=\"12\" "
        "fill=\"#282828\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fafafa\"/>\n",
        width_px, height_px);
    svg += text(16, 26, "font-size=\"16\" font-weight=\"bold\"", chart.title);
    svg += text(16, 46, "fill=\"#606060\"", chart.subtitle);
    const double step = axis_step(greatest);
    for (int tick = 0; tick * step <= greatest * (1 + 1e-9); ++tick) {
        const double x = x_of(tick * step);
        svg += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#d7d7d7\"/>\n", x, top_px, top_px + bars_px);
        svg += text(x, top_px + bars_px + 16, "text-anchor=\"middle\" fill=\"#606060\"", fmt::format("{:.6g}", tick * step));
    }
    svg += text(left_px + axis_px / 2.0, height_px - 10, "text-anchor=\"middle\" fill=\"#606060\"", chart.unit);
    double y = top_px + (pitch_px - bar_px) / 2.0;
    for (const auto& bar : chart.bars) {
        const double baseline = y + bar_px - 5;
        svg += text(left_px - 8, baseline, "text-anchor=\"end\"", bar.name);
        svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#3b6ea5\"/>\n", left_px, y,
                           x_of(bar.value) - left_px, bar_px);
        svg += text(x_of(bar.value) + 6, baseline, "", bar.label);
        y += pitch_px;
    }
    return svg + "</svg>\n";
}

void write_bar_chart(const std::string& path, const BarChart& chart) { replace_file(path, bar_chart_svg(chart)); }

}  // namespace cornerturn
