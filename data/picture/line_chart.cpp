// SPDX-License-Identifier: Apache-2.0
#include "data/picture/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "data/picture/chart_axis.h"
#include "data/picture/drawing.h"
#include "data/picture/svg.h"

namespace cornerturn {
namespace {

/// A chart's place in a panel.
struct Panel {
    ChartAxis across, up;
    double left, top, width, height;  ///< of what the axes enclose, in pixels

    double x(double value) const { return left + width * across.part(value); }
    double y(double value) const { return top + height * (1 - up.part(value)); }
    double right() const { return left + width; }
    double bottom() const { return top + height; }
};

ChartAxis axis_over(const LineChart& chart, std::vector<double> LineChart::Curve::*values, double spare) {
    std::vector<const std::vector<double>*> all;
    for (const auto& curve : chart.curves) all.push_back(&(curve.*values));
    return ChartAxis(all, spare);
}

/// The finite points of a curve, in pixels.
std::vector<std::pair<double, double>> places_of(const LineChart::Curve& curve, const Panel& panel) {
    std::vector<std::pair<double, double>> places;
    for (std::size_t k = 0; k < std::min(curve.x.size(), curve.y.size()); ++k)
        if (std::isfinite(curve.x[k]) && std::isfinite(curve.y[k]))
            places.emplace_back(panel.x(curve.x[k]), panel.y(curve.y[k]));
    return places;
}

constexpr double cross_px = 2;  // from its middle

std::string curve_svg(const LineChart::Curve& curve, const std::string& colour, const Panel& panel) {
    std::string points;
    if (!curve.joined) {
        for (const auto& [x, y] : places_of(curve, panel))
            points += fmt::format("M{:.1f},{:.1f}h{}M{:.1f},{:.1f}v{} ", x - cross_px, y, 2 * cross_px, x, y - cross_px,
                                  2 * cross_px);
        return fmt::format("<path d=\"{}\" stroke=\"{}\"/>\n", points, colour);
    }
    for (const auto& [x, y] : places_of(curve, panel)) points += fmt::format("{:.1f},{:.1f} ", x, y);
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", points, colour);
}

Colour colour_of(const LineChart& chart, std::size_t curve) {
    constexpr std::array<Colour, 5> palette{
        {{0x3b, 0x6e, 0xa5}, {0xc8, 0x50, 0x2d}, {0x4d, 0x9a, 0x57}, {0x8a, 0x5a, 0xa8}, {0xb0, 0x8a, 0x1e}}};
    return chart.curves[curve].colour.value_or(palette[curve % palette.size()]);
}

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
    constexpr double width_px = 760, height_px = 300;
    const Panel panel{axis_over(chart, &LineChart::Curve::x, 0),
                      axis_over(chart, &LineChart::Curve::y, 0),
                      78,
                      44,
                      width_px - 78 - 20,
                      height_px - 44 - 48};
    std::string svg = svg_ground(width_px, height_px);
    const auto rule = [&](double x0, double y0, double x1, double y1) {
        svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dcdcdc\"/>\n", x0,
                           y0, x1, y1);
    };
    svg += svg_text(16, 24, "font-size=\"15\" font-weight=\"bold\"", chart.title);
    for (const auto& [value, text] : panel.across.marks()) {
        rule(panel.x(value), panel.top, panel.x(value), panel.bottom());
        svg += svg_text(panel.x(value), panel.bottom() + 16, "text-anchor=\"middle\" fill=\"#606060\"", text);
    }
    for (const auto& [value, text] : panel.up.marks()) {
        rule(panel.left, panel.y(value), panel.right(), panel.y(value));
        svg += svg_text(panel.left - 6, panel.y(value) + 4, "text-anchor=\"end\" fill=\"#606060\"", text);
    }
    svg += svg_text(panel.left + panel.width / 2, height_px - 10, "text-anchor=\"middle\" fill=\"#606060\"",
                    chart.x_title);
    svg += svg_text(panel.left, panel.top - 6, "fill=\"#606060\"", chart.y_title);
    double name_x = panel.right();
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        const Colour rgb = colour_of(chart, i);
        const std::string colour = fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
        svg += curve_svg(chart.curves[i], colour, panel);
        if (chart.curves.size() < 2) continue;
        const std::string& name = chart.curves[i].name;
        svg += svg_text(name_x, panel.top - 6, fmt::format("text-anchor=\"end\" style=\"fill:{}\"", colour), name);
        name_x -= 9.0 * static_cast<double>(name.size()) + 12;
    }
    return svg + "</svg>\n";
}

namespace {

constexpr std::int64_t picture_width = 760, picture_height = 300, left_margin = 76, right_margin = 16, top_margin = 42,
                       bottom_margin = 34;

std::int64_t width_of(const std::string& text) { return static_cast<std::int64_t>(text.size()) * glyph_width; }

void draw_axes(Picture& picture, const LineChart& chart, const Panel& panel, std::int64_t top) {
    for (const auto& [value, text] : panel.across.marks()) {
        draw_line(picture, panel.x(value), panel.top, panel.x(value), panel.bottom(), grid_colour);
        draw_text(picture, std::lround(panel.x(value)) - width_of(text) / 2, std::lround(panel.bottom()) + 5, text,
                  ink_colour);
    }
    for (const auto& [value, text] : panel.up.marks()) {
        draw_line(picture, panel.left, panel.y(value), panel.right(), panel.y(value), grid_colour);
        draw_text(picture, left_margin - 6 - width_of(text), std::lround(panel.y(value)) - glyph_height / 2, text,
                  ink_colour);
    }
    draw_text(picture, picture_width - right_margin - width_of(chart.x_title), top + picture_height - 12, chart.x_title,
              ink_colour);
    draw_text(picture, 8, top + 8, chart.title, ink_colour);
    draw_text(picture, 8, top + 24, chart.y_title, ink_colour);
}

void draw_curve(Picture& picture, const LineChart::Curve& curve, const Colour& colour, const Panel& panel) {
    const auto places = places_of(curve, panel);
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto& [x, y] = places[k];
        if (curve.joined && k > 0) draw_line(picture, places[k - 1].first, places[k - 1].second, x, y, colour);
        if (curve.joined) continue;
        draw_line(picture, x - cross_px, y, x + cross_px, y, colour);
        draw_line(picture, x, y - cross_px, x, y + cross_px, colour);
    }
}

}  // namespace

Picture line_chart_picture(const std::vector<LineChart>& charts) {
    constexpr double spare = 0.06;  // above and below what is drawn
    Picture picture(picture_width, std::max<std::int64_t>(1, std::ssize(charts)) * picture_height, 3);
    for (std::size_t i = 0; i < picture.pixels.size(); ++i) picture.pixels[i] = paper_colour[i % 3];
    std::int64_t top = 0;
    for (const LineChart& chart : charts) {
        const Panel panel{axis_over(chart, &LineChart::Curve::x, 0),
                          axis_over(chart, &LineChart::Curve::y, spare),
                          static_cast<double>(left_margin),
                          static_cast<double>(top + top_margin),
                          static_cast<double>(picture_width - left_margin - right_margin),
                          static_cast<double>(picture_height - top_margin - bottom_margin)};
        draw_axes(picture, chart, panel, top);
        std::int64_t legend = left_margin + 90;
        for (std::size_t i = 0; i < chart.curves.size(); ++i) {
            draw_curve(picture, chart.curves[i], colour_of(chart, i), panel);
            draw_text(picture, legend, top + 24, chart.curves[i].name, colour_of(chart, i));
            legend += width_of(chart.curves[i].name) + 3 * glyph_width;
        }
        top += picture_height;
    }
    return picture;
}

}  // namespace cornerturn
