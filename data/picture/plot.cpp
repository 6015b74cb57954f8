// SPDX-License-Identifier: Apache-2.0
// Drawing of plots, pixel by pixel.
#include "data/picture/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/picture/drawing.h"

namespace cornerturn {
namespace {

constexpr std::int64_t panel_width = 760, panel_height = 300, left_margin = 76, right_margin = 16, top_margin = 42,
                       bottom_margin = 34;

/// What an axis spans, with steps of 1, 2 or 5 times a power of ten.
struct PlotAxis {
    double low = 0, high = 1, step = 1;
    std::string text(double value) const {
        return fmt::format("{:.{}f}", std::abs(value) < 1e-9 * step ? 0.0 : value,
                           step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    }
};
PlotAxis axis_over(double low, double high) {
    if (!(high > low)) low -= 0.5, high += 0.5;
    const double rough = (high - low) / 5, power = std::pow(10.0, std::floor(std::log10(rough))),
                 leading = rough / power;
    return {low, high, power * (leading < 1.5 ? 1 : leading < 3.5 ? 2 : leading < 7.5 ? 5 : 10)};
}

bool drawn(const std::pair<double, double>& point) { return std::isfinite(point.first) && std::isfinite(point.second); }

struct Axes {
    PlotAxis x, y;
    std::int64_t top_px;

    double x_px(double value) const {
        return static_cast<double>(left_margin) +
               (value - x.low) / (x.high - x.low) * static_cast<double>(panel_width - left_margin - right_margin);
    }
    double y_px(double value) const {
        return static_cast<double>(top_px + panel_height - bottom_margin) -
               (value - y.low) / (y.high - y.low) * static_cast<double>(panel_height - top_margin - bottom_margin);
    }
};

Axes axes_of(const Plot& plot, std::int64_t down_px) {
    double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
    for (const PlotSeries& series : plot.series)
        for (const auto& point : series.points) {
            if (!drawn(point)) continue;
            x_low = std::min(x_low, point.first), x_high = std::max(x_high, point.first);
            y_low = std::min(y_low, point.second), y_high = std::max(y_high, point.second);
        }
    if (!(x_low <= x_high)) x_low = y_low = 0, x_high = y_high = 1;
    const double margin = 0.06 * (y_high - y_low);
    return {axis_over(x_low, x_high), axis_over(y_low - margin, y_high + margin), down_px};
}

void draw_grid(Picture& picture, const Plot& plot, const Axes& axes) {
    const double above = static_cast<double>(axes.top_px + top_margin),
                 below = static_cast<double>(axes.top_px + panel_height - bottom_margin);
    for (double x = std::ceil(axes.x.low / axes.x.step) * axes.x.step; x <= axes.x.high; x += axes.x.step) {
        draw_line(picture, axes.x_px(x), above, axes.x_px(x), below, grid_colour);
        const std::string text = axes.x.text(x);
        draw_text(picture, std::lround(axes.x_px(x)) - static_cast<std::int64_t>(text.size()) * glyph_width / 2,
                  std::lround(below) + 5, text, ink_colour);
    }
    for (double y = std::ceil(axes.y.low / axes.y.step) * axes.y.step; y <= axes.y.high; y += axes.y.step) {
        draw_line(picture, static_cast<double>(left_margin), axes.y_px(y),
                  static_cast<double>(panel_width - right_margin), axes.y_px(y), grid_colour);
        const std::string text = axes.y.text(y);
        draw_text(picture, left_margin - 6 - static_cast<std::int64_t>(text.size()) * glyph_width,
                  std::lround(axes.y_px(y)) - glyph_height / 2, text, ink_colour);
    }
    const auto name_width = static_cast<std::int64_t>(plot.x_name.size()) * glyph_width;
    draw_text(picture, panel_width - right_margin - name_width, axes.top_px + panel_height - 12, plot.x_name,
              ink_colour);
    draw_text(picture, 8, axes.top_px + 8, plot.title, ink_colour);
    draw_text(picture, 8, axes.top_px + 24, plot.y_name, ink_colour);
}

void draw_series(Picture& picture, const PlotSeries& series, const Axes& axes) {
    const std::pair<double, double>* before = nullptr;
    for (const auto& point : series.points) {
        if (!drawn(point)) {
            before = nullptr;
            continue;
        }
        const double x = axes.x_px(point.first), y = axes.y_px(point.second);
        if (series.joined && before)
            draw_line(picture, axes.x_px(before->first), axes.y_px(before->second), x, y, series.colour);
        if (!series.joined) {
            draw_line(picture, x - 2, y, x + 2, y, series.colour);
            draw_line(picture, x, y - 2, x, y + 2, series.colour);
        }
        before = &point;
    }
}

}  // namespace

Picture plot_picture(const std::vector<Plot>& plots) {
    Picture picture(panel_width, std::max<std::int64_t>(1, static_cast<std::int64_t>(plots.size())) * panel_height, 3);
    for (std::size_t i = 0; i < picture.pixels.size(); ++i) picture.pixels[i] = paper_colour[i % 3];
    std::int64_t top_px = 0;
    for (const Plot& plot : plots) {
        const Axes axes = axes_of(plot, top_px);
        draw_grid(picture, plot, axes);
        std::int64_t legend = left_margin + 90;
        for (const PlotSeries& series : plot.series) {
            draw_series(picture, series, axes);
            draw_text(picture, legend, top_px + 24, series.name, series.colour);
            legend += static_cast<std::int64_t>(series.name.size() + 3) * glyph_width;
        }
        top_px += panel_height;
    }
    return picture;
}

}  // namespace cornerturn
