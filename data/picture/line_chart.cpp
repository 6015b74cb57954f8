// SPDX-License-Identifier: Apache-2.0
#include "data/picture/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/picture/svg.h"

namespace cornerturn {
namespace {

constexpr double panel_width_px = 760, panel_height_px = 300, left_margin_px = 78, right_margin_px = 20,
                 top_margin_px = 44, bottom_margin_px = 48;
constexpr std::array colours{"#3b6ea5", "#c8502d", "#4d9a57", "#8a5aa8", "#b08a1e"};

struct ChartAxis {
    double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();

    void take(const std::vector<double>& values) {
        for (const double value : values)
            if (std::isfinite(value)) least = std::min(least, value), greatest = std::max(greatest, value);
    }
    /// Never empty.
    void settle() {
        if (!(least <= greatest)) least = 0, greatest = 1;
        if (greatest - least <= 1e-9 * std::max(std::abs(least), std::abs(greatest)) || greatest == least) {
            const double room = std::max(1e-3 * std::abs(least), 1e-12);
            least -= room, greatest += room;
        }
    }
    double part(double value) const { return (value - least) / (greatest - least); }
    double step() const { return axis_step(greatest - least); }
};

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
    ChartAxis across, up;
    for (const auto& curve : chart.curves) across.take(curve.x), up.take(curve.y);
    across.settle(), up.settle();
    const double plot_width = panel_width_px - left_margin_px - right_margin_px,
                 plot_height = panel_height_px - top_margin_px - bottom_margin_px;
    const auto x_of = [&](double value) { return left_margin_px + plot_width * across.part(value); };
    const auto y_of = [&](double value) { return top_margin_px + plot_height * (1 - up.part(value)); };
    std::string svg = svg_ground(panel_width_px, panel_height_px);
    svg += svg_text(16, 24, "font-size=\"15\" font-weight=\"bold\"", chart.title);
    for (double tick = std::ceil(across.least / across.step()) * across.step(); tick <= across.greatest;
         tick += across.step()) {
        svg += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#dcdcdc\"/>\n",
                           x_of(tick), top_margin_px, top_margin_px + plot_height);
        svg += svg_text(x_of(tick), top_margin_px + plot_height + 16, "text-anchor=\"middle\" fill=\"#606060\"",
                        fmt::format("{:.6g}", std::abs(tick) < 1e-9 * across.step() ? 0 : tick));
    }
    for (double tick = std::ceil(up.least / up.step()) * up.step(); tick <= up.greatest; tick += up.step()) {
        svg += fmt::format("<line x1=\"{1:.1f}\" y1=\"{0:.1f}\" x2=\"{2:.1f}\" y2=\"{0:.1f}\" stroke=\"#dcdcdc\"/>\n",
                           y_of(tick), left_margin_px, left_margin_px + plot_width);
        svg += svg_text(left_margin_px - 6, y_of(tick) + 4, "text-anchor=\"end\" fill=\"#606060\"",
                        fmt::format("{:.6g}", std::abs(tick) < 1e-9 * up.step() ? 0 : tick));
    }
    svg += svg_text(left_margin_px + plot_width / 2, panel_height_px - 10, "text-anchor=\"middle\" fill=\"#606060\"",
                    chart.x_title);
    svg += svg_text(left_margin_px, top_margin_px - 6, "fill=\"#606060\"", chart.y_title);
    double name_x = panel_width_px - right_margin_px;
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        const auto& curve = chart.curves[i];
        const char* colour = colours[i % colours.size()];
        std::string points;
        for (std::size_t k = 0; k < std::min(curve.x.size(), curve.y.size()); ++k)
            if (std::isfinite(curve.x[k]) && std::isfinite(curve.y[k]))
                points += fmt::format("{:.1f},{:.1f} ", x_of(curve.x[k]), y_of(curve.y[k]));
        svg +=
            fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", points, colour);
        if (chart.curves.size() < 2) continue;
        svg += svg_text(name_x, top_margin_px - 6, fmt::format("text-anchor=\"end\" style=\"fill:{}\"", colour),
                        curve.name);
        name_x -= 9.0 * static_cast<double>(curve.name.size()) + 12;
    }
    return svg + "</svg>\n";
}

}  // namespace cornerturn
