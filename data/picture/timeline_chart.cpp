// SPDX-License-Identifier: Apache-2.0
#include "data/picture/timeline_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/picture/svg.h"

namespace cornerturn {
namespace {

constexpr int drawing_px = 1060, lanes_left_px = 130, lanes_right_px = 30, lanes_top_px = 64, span_px = 20,
              lane_px = 28, ticks_px = 44;
constexpr int plot_px = drawing_px - lanes_left_px - lanes_right_px, keys_in_row = 3, key_pitch_px = 20, letter_px = 7;
constexpr double thinnest_px = 0.5;  // of a bar that is still seen

// Light enough for dark words on them; told apart by the colour-blind (Okabe and Ito, lightened).
constexpr std::array colours{"#8fc1e8", "#f2b872", "#8fd0b5", "#e8a5c4", "#f1e58a", "#a9b4d6", "#e69b83", "#c2c2c2"};

/// What is drawn in one colour.
struct Key {
    std::string lane, name;
    double seconds = 0;
};

std::vector<Key> keys_of(const std::vector<Timeline::Lane>& lanes) {
    std::vector<Key> keys;
    for (const Timeline::Lane& lane : lanes)
        for (const Timeline::Span& span : lane.spans) {
            auto key = std::find_if(keys.begin(), keys.end(),
                                    [&](const Key& k) { return k.lane == lane.name && k.name == span.name; });
            if (key == keys.end()) key = keys.insert(keys.end(), {lane.name, span.name});
            key->seconds += span.end_s - span.begin_s;
        }
    return keys;
}

std::string span_svg(const Timeline::Span& span, const char* colour, double y, double wall_s) {
    const double x = lanes_left_px + plot_px * span.begin_s / wall_s,
                 width = std::max(thinnest_px, plot_px * (span.end_s - span.begin_s) / wall_s);
    std::string svg = fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"><title>{}: {:.3f} to {:.3f} ms "
        "({:.3f} ms)</title></rect>\n",
        x, y, width, span_px, colour, html_text(span.name), 1e3 * span.begin_s, 1e3 * span.end_s,
        1e3 * (span.end_s - span.begin_s));
    if (width > letter_px * (static_cast<double>(span.name.size()) + 1))
        svg += svg_text(x + 4, y + span_px - 6, "font-size=\"11\"", span.name);
    return svg;
}

}  // namespace

std::string timeline_svg(const TimelineChart& chart) {
    const double wall_s = chart.wall_s > 0 ? chart.wall_s : 1;
    const std::vector<Key> keys = keys_of(chart.lanes);
    const int lanes_px = lane_px * static_cast<int>(chart.lanes.size()), bottom_px = lanes_top_px + lanes_px;
    const int key_rows = (static_cast<int>(keys.size()) + keys_in_row - 1) / keys_in_row;
    const auto colour_of = [&](const std::string& lane, const std::string& name) {
        const auto key =
            std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.lane == lane && k.name == name; });
        return colours[static_cast<std::size_t>(key - keys.begin()) % colours.size()];
    };

    std::string svg = svg_ground(drawing_px, bottom_px + ticks_px + key_rows * key_pitch_px + 8);
    svg += svg_text(16, 26, "font-size=\"16\" font-weight=\"bold\"", chart.title);
    svg += svg_text(16, 46, "fill=\"#606060\"", chart.subtitle);
    svg += svg_scale(lanes_left_px, plot_px, lanes_top_px, bottom_px, 1e3 * wall_s, "ms");
    double y = lanes_top_px + (lane_px - span_px) / 2.0;
    for (const Timeline::Lane& lane : chart.lanes) {
        svg += svg_text(lanes_left_px - 8, y + span_px - 6, "text-anchor=\"end\"", lane.name);
        for (const Timeline::Span& span : lane.spans) svg += span_svg(span, colour_of(lane.name, span.name), y, wall_s);
        y += lane_px;
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const double x = 16 + static_cast<double>(static_cast<int>(i) % keys_in_row * (drawing_px - 32)) / keys_in_row;
        const int at = bottom_px + ticks_px + static_cast<int>(i) / keys_in_row * key_pitch_px;
        svg += fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, at,
                           colours[i % colours.size()]);
        svg += svg_text(x + 18, at + 11, "",
                        fmt::format("{}: {}, {:.1f} ms", keys[i].lane, keys[i].name, 1e3 * keys[i].seconds));
    }
    return svg + "</svg>\n";
}

}  // namespace cornerturn
