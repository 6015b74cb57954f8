// SPDX-License-Identifier: Apache-2.0
// Drawing of point responses, pixel by pixel.
#include "data/picture/response_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/picture/drawing.h"

namespace cornerturn {

namespace {

constexpr double half_width_px = 12;  // image pixels on each side of the peak
constexpr int finesse = 10;           // picture pixels for one image pixel
constexpr double floor_db = -50;      // bottom of image and cuts
constexpr std::int64_t image_size = 2 * static_cast<std::int64_t>(half_width_px) * finesse + 1;
constexpr std::int64_t cut_size = 126;     // 2.5 picture pixels a decibel
constexpr std::int64_t label_width = 34;   // left of the image within a tile
constexpr std::int64_t label_height = 20;  // above it
constexpr std::int64_t gap = 10;
constexpr std::int64_t tile_width = label_width + image_size + gap + cut_size + 16;
constexpr std::int64_t tile_height = label_height + image_size + gap + cut_size + 24;

constexpr Colour measured_colour{200, 30, 30};
constexpr Colour theory_colour{150, 190, 245};

/// Dark blue over violet and orange to light yellow: brightness rises evenly, so that it also reads in gray.
Colour heat(double level) {
    constexpr double anchors[5][3] = {{10, 8, 40}, {90, 20, 110}, {190, 55, 85}, {245, 145, 30}, {252, 253, 190}};
    const double position = 4.0 * std::clamp(level, 0.0, 1.0);
    const auto index = static_cast<std::size_t>(std::min(3.0, std::floor(position)));
    const double fraction = position - static_cast<double>(index);
    Colour colour{};
    for (std::size_t k = 0; k < 3; ++k)
        colour[k] = static_cast<std::uint8_t>(
            std::lround(anchors[index][k] + fraction * (anchors[index + 1][k] - anchors[index][k])));
    return colour;
}

double level_of(double power, double peak) { return 1.0 - 10.0 * std::log10(std::max(power / peak, 1e-30)) / floor_db; }

/// A rectangle of the picture in which one axis is the offset from the peak in image pixels and the other the level in
/// decibels.
struct CutFrame {
    std::int64_t x, y;
    bool vertical;  ///< offset downwards and level to the right; else offset to the right and level upwards

    std::pair<double, double> place(double offset_px, double level) const {
        const double along = (offset_px + half_width_px) * finesse;
        const double across = std::clamp(level, 0.0, 1.0) * static_cast<double>(cut_size - 1);
        if (vertical) return {static_cast<double>(x) + across, static_cast<double>(y) + along};
        return {static_cast<double>(x) + along, static_cast<double>(y + cut_size - 1) - across};
    }
};

void draw_grid(Picture& picture, const CutFrame& frame) {
    for (int offset = -static_cast<int>(half_width_px); offset <= static_cast<int>(half_width_px); offset += 4) {
        const auto [x0, y0] = frame.place(offset, 0);
        const auto [x1, y1] = frame.place(offset, 1);
        draw_line(picture, x0, y0, x1, y1, grid_colour);
        const std::string text = fmt::format("{}", offset);
        const auto width = static_cast<std::int64_t>(text.size()) * glyph_width;
        if (frame.vertical)
            draw_text(picture, frame.x - gap - image_size - width - 4, std::lround(y0) - 3, text, ink_colour);
        if (!frame.vertical) draw_text(picture, std::lround(x0) - width / 2, frame.y + cut_size + 3, text, ink_colour);
    }
    for (int db = 0; db >= static_cast<int>(floor_db); db -= 10) {
        const double level = 1.0 - db / floor_db;
        const auto [x0, y0] = frame.place(-half_width_px, level);
        const auto [x1, y1] = frame.place(half_width_px, level);
        draw_line(picture, x0, y0, x1, y1, grid_colour);
        const std::string text = fmt::format("{}", db);
        const auto width = static_cast<std::int64_t>(text.size()) * glyph_width;
        if (frame.vertical && db % 20 == 0)
            draw_text(picture, std::lround(x0) - width / 2, frame.y + image_size + 3, text, ink_colour);
        if (!frame.vertical) draw_text(picture, frame.x - width - 4, std::lround(y0) - 3, text, ink_colour);
    }
}

void draw_cut(Picture& picture, const CutFrame& frame, const Cut& cut, const Colour& colour, int thickness) {
    const auto middle = static_cast<std::int64_t>(cut.power.size() / 2);
    const auto reach = std::min(middle, static_cast<std::int64_t>(half_width_px / cut.step_px));
    const double peak = cut.power[static_cast<std::size_t>(middle)];
    for (std::int64_t k = -reach; k < reach; ++k) {
        const auto [x0, y0] = frame.place(static_cast<double>(k) * cut.step_px,
                                          level_of(cut.power[static_cast<std::size_t>(middle + k)], peak));
        const auto [x1, y1] = frame.place(static_cast<double>(k + 1) * cut.step_px,
                                          level_of(cut.power[static_cast<std::size_t>(middle + k + 1)], peak));
        for (int shift = -thickness / 2; shift <= thickness / 2; ++shift) {
            draw_line(picture, x0 + shift, y0, x1 + shift, y1, colour);
            draw_line(picture, x0, y0 + shift, x1, y1 + shift, colour);
        }
    }
}

void draw_response(Picture& picture, std::int64_t x, std::int64_t y, const ResponsePicture& response) {
    const double peak = response.power[response.power.size() / 2];
    for (std::int64_t i = 0; i < response.rows; ++i) {
        for (std::int64_t k = 0; k < response.columns; ++k) {
            draw_dot(picture, x + k, y + i,
                     heat(level_of(response.power[static_cast<std::size_t>(i * response.columns + k)], peak)));
        }
    }
}

void draw_numbers(Picture& picture, std::int64_t x, std::int64_t y, const PointAnalysis& point) {
    const auto axis = [&](const char* name, const AxisAnalysis& a) {
        draw_text(picture, x, y, name, ink_colour);
        draw_text(picture, x, y + 11, fmt::format("IRW {:.4f} px", a.measured.irw_px), measured_colour);
        draw_text(picture, x, y + 22, fmt::format("PSLR {:.2f} dB", a.measured.pslr_db), measured_colour);
        draw_text(picture, x, y + 33, fmt::format("ISLR {:.2f} dB", a.measured.islr_db), measured_colour);
        y += 50;
    };
    axis("range", point.range);
    axis("azimuth", point.azimuth);
    draw_text(picture, x, y, "measured", measured_colour);
    draw_text(picture, x + std::int64_t{9} * glyph_width, y, "theory", theory_colour);
}

void draw_tile(Picture& picture, std::int64_t x, std::int64_t y, const ImageView& image, const PointAnalysis& point,
               std::size_t number, const TripleProduct& multiply) {
    const CutFrame range{x + label_width, y + label_height + image_size + gap + 8, false};
    const CutFrame azimuth{x + label_width + image_size + gap, y + label_height, true};
    draw_text(picture, x + label_width, y + 6,
              fmt::format("{}: range {:.3f} m, azimuth {:.6f} s", number, point.range_m, point.time_s), ink_colour);
    draw_response(picture, x + label_width, y + label_height,
                  oversampled_response(image, point, half_width_px, 1.0 / finesse, multiply));
    for (const auto& [frame, axis] : {std::pair{range, &point.range}, std::pair{azimuth, &point.azimuth}}) {
        draw_grid(picture, frame);
        draw_cut(picture, frame, axis->theory_cut, theory_colour, 3);
        draw_cut(picture, frame, axis->cut, measured_colour, 1);
    }
    draw_numbers(picture, azimuth.x + 8, range.y + 10, point);
}

}  // namespace

Picture response_plot(const ImageView& image, const std::vector<PointAnalysis>& points, const TripleProduct& multiply) {
    const auto measured =
        std::count_if(points.begin(), points.end(), [](const PointAnalysis& point) { return point.refused.empty(); });
    if (measured == 0) return {};
    const std::int64_t across = std::min<std::int64_t>(3, measured);
    Picture picture(across * tile_width, (measured + across - 1) / across * (tile_height + 8), 3);
    for (std::int64_t y = 0; y < picture.height; ++y) {
        for (std::int64_t x = 0; x < picture.width; ++x) draw_dot(picture, x, y, paper_colour);
    }
    std::int64_t tile = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
        if (!points[k].refused.empty()) continue;
        draw_tile(picture, tile % across * tile_width, tile / across * (tile_height + 8), image, points[k], k + 1,
                  multiply);
        ++tile;
    }
    return picture;
}

}  // namespace cornerturn
