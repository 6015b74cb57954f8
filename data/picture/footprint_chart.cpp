// SPDX-License-Identifier: Apache-2.0
#include "data/picture/footprint_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/picture/chart_axis.h"
#include "data/picture/svg.h"
#include "pipeline/acquisition/degree.h"

namespace cornerturn {
namespace {

constexpr double sheet_px = 760, west_px = 90, east_px = 150, north_px = 64, south_px = 64, tallest_px = 480,
                 arrow_px = 44;
constexpr double margin = 0.15, flattest = 0.3;  // parts of the outline's longer side

/// With longitudes that go on beyond 180 degrees instead of coming back from the other side.
std::vector<Geographic> without_jumps(std::vector<Geographic> ring) {
    for (std::size_t i = 1; i < ring.size(); ++i)
        ring[i].longitude_deg += 360 * std::round((ring[i - 1].longitude_deg - ring[i].longitude_deg) / 360);
    return ring;
}

/// Degrees that the map shows, and their places in the picture.
class Map {
public:
    explicit Map(const std::vector<Geographic>& ring) {
        for (const Geographic& place : ring) {
            west_deg = std::min(west_deg, place.longitude_deg), east_deg = std::max(east_deg, place.longitude_deg);
            south_deg = std::min(south_deg, place.latitude_deg), north_deg = std::max(north_deg, place.latitude_deg);
        }
        const DegreeSize degree_m = degree_size(0.5 * (south_deg + north_deg));
        const double longer_m =
            std::max(degree_m.longitude_m * (east_deg - west_deg), degree_m.latitude_m * (north_deg - south_deg));
        const auto widen = [&](double& low, double& high, double one_m) {
            const double room = 0.5 * (std::max(high - low, flattest * longer_m / one_m)) + margin * longer_m / one_m;
            const double middle = 0.5 * (low + high);
            low = middle - room, high = middle + room;
        };
        widen(west_deg, east_deg, degree_m.longitude_m);
        widen(south_deg, north_deg, degree_m.latitude_m);
        const double across_m = degree_m.longitude_m * (east_deg - west_deg),
                     down_m = degree_m.latitude_m * (north_deg - south_deg);
        metre_px = std::min((sheet_px - west_px - east_px) / across_m, tallest_px / down_m);
        plot_width_px = metre_px * across_m, plot_height_px = metre_px * down_m;
    }

    double x(double longitude_deg) const {
        // Longitudes of marks may be a whole turn off those of the outline.
        const double middle = 0.5 * (west_deg + east_deg);
        const double near_middle = middle + std::remainder(longitude_deg - middle, 360);
        return west_px + plot_width_px * (near_middle - west_deg) / (east_deg - west_deg);
    }
    double y(double latitude_deg) const {
        return north_px + plot_height_px * (north_deg - latitude_deg) / (north_deg - south_deg);
    }

    double west_deg = 1e9, east_deg = -1e9, south_deg = 1e9, north_deg = -1e9;
    double metre_px = 0, plot_width_px = 0, plot_height_px = 0;
};

/// As many decimals as tell neighbours in steps of `step` apart.
std::string degree_text(double value_deg, double step, const char* names) {
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
    const std::string number = fmt::format("{:.{}f}°", std::abs(value_deg), decimals);
    return std::abs(value_deg) < 0.5 * step ? number : fmt::format("{} {}", number, names[value_deg < 0 ? 1 : 0]);
}

std::string line_svg(double x0, double y0, double x1, double y1, const char* look) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x0, y0, x1, y1, look);
}

std::string graticule_svg(const Map& map) {
    constexpr auto look = "stroke=\"#d7d7d7\"";
    const double right = west_px + map.plot_width_px, bottom = north_px + map.plot_height_px;
    std::string svg;
    const auto places = [](double low, double high) {
        const double step = axis_step(high - low);
        std::vector<double> values;
        for (double k = std::ceil(low / step); k * step <= high; ++k) values.push_back(k * step);
        return std::pair(values, step);
    };
    const auto [meridians, across] = places(map.west_deg, map.east_deg);
    constexpr double label_px = 80;  // what the words of a meridian need
    const double apart_px = map.plot_width_px * across / (map.east_deg - map.west_deg);
    const auto each = static_cast<std::size_t>(std::max(1.0, std::ceil(label_px / apart_px)));
    for (std::size_t i = 0; i < meridians.size(); ++i) {
        const double x = map.x(meridians[i]);
        svg += line_svg(x, north_px, x, bottom, look);
        if (i % each == 0)
            svg += svg_text(x, bottom + 16, "text-anchor=\"middle\" fill=\"#606060\"",
                            degree_text(std::remainder(meridians[i], 360), across, "EW"));
    }
    const auto [parallels, down] = places(map.south_deg, map.north_deg);
    for (const double latitude_deg : parallels) {
        const double y = map.y(latitude_deg);
        svg += line_svg(west_px, y, right, y, look);
        svg +=
            svg_text(west_px - 8, y + 4, "text-anchor=\"end\" fill=\"#606060\"", degree_text(latitude_deg, down, "NS"));
    }
    return svg;
}

std::string outline_svg(const Map& map, const std::vector<Geographic>& ring) {
    std::string points;
    for (const Geographic& place : ring)
        points += fmt::format("{:.2f},{:.2f} ", map.x(place.longitude_deg), map.y(place.latitude_deg));
    points.pop_back();
    return "<polygon points=\"" + points + "\" fill=\"#3b6ea5\" fill-opacity=\"0.25\" stroke=\"#3b6ea5\"/>\n";
}

std::string mark_svg(const Map& map, const FootprintChart::Mark& mark) {
    const double x = map.x(mark.place.longitude_deg), y = map.y(mark.place.latitude_deg);
    if (x < west_px || x > west_px + map.plot_width_px || y < north_px || y > north_px + map.plot_height_px) return "";
    return fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"#c0392b\"/>\n", x, y) +
           svg_text(x + 5, y - 4, "font-size=\"10\"", mark.name);
}

std::string scale_svg(const Map& map) {
    const double length_m = axis_step(map.plot_width_px / map.metre_px);
    const double y = north_px + map.plot_height_px + 36, right = west_px + length_m * map.metre_px;
    return line_svg(west_px, y, right, y, "stroke=\"#282828\" stroke-width=\"3\"") +
           svg_text(right + 8, y + 4, "",
                    length_m >= 1000 ? fmt::format("{:.6g} km", length_m / 1000) : fmt::format("{:.6g} m", length_m));
}

/// From (x, y) on, clockwise from north.
std::string arrow_svg(double x, double y, double direction_deg, const char* name) {
    const auto end = [&](double length_px, double turn_deg) {
        const double direction = (direction_deg + turn_deg) * degree;
        return std::pair(length_px * std::sin(direction), -length_px * std::cos(direction));
    };
    const auto [dx, dy] = end(arrow_px, 0);
    std::string svg = line_svg(x, y, x + dx, y + dy, "stroke=\"#282828\" stroke-width=\"1.5\"");
    for (const double barb_deg : {160.0, -160.0}) {
        const auto [bx, by] = end(8, barb_deg);
        svg += line_svg(x + dx, y + dy, x + dx + bx, y + dy + by, "stroke=\"#282828\" stroke-width=\"1.5\"");
    }
    const auto [tx, ty] = end(arrow_px + 14, 0);
    return svg + svg_text(x + tx, y + ty + 4, "text-anchor=\"middle\"", name);
}

std::string view_svg(const Map& map, const FootprintChart::View& view) {
    const double x = west_px + map.plot_width_px + 0.5 * east_px, y = north_px + 80;
    const double look_deg = view.heading_deg + (view.look_side == LookSide::right ? 90 : -90);
    return arrow_svg(x, y, view.heading_deg, "flight") + arrow_svg(x, y, look_deg, "look");
}

}  // namespace

std::string footprint_svg(const FootprintChart& chart) {
    const std::string words = svg_text(16, 26, "font-size=\"16\" font-weight=\"bold\"", chart.title) +
                              svg_text(16, 46, "fill=\"#606060\"", chart.subtitle);
    if (chart.outline.empty()) return svg_ground(sheet_px, north_px) + words + "</svg>\n";
    const std::vector<Geographic> outline = without_jumps(chart.outline);
    const Map map(outline);
    std::string svg =
        svg_ground(sheet_px, north_px + std::max(map.plot_height_px, 160.0) + south_px) + words + graticule_svg(map);
    svg += outline_svg(map, outline);
    for (const FootprintChart::Mark& mark : chart.marks) svg += mark_svg(map, mark);
    svg += scale_svg(map);
    if (chart.view) svg += view_svg(map, *chart.view);
    return svg + "</svg>\n";
}

}  // namespace cornerturn
