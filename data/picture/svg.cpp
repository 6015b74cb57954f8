// SPDX-License-Identifier: Apache-2.0
#include "data/picture/svg.h"

#include <fmt/format.h>

#include "data/picture/chart_axis.h"

namespace cornerturn {

std::string html_text(const std::string& text) {
    std::string result;
    for (const char c : text)
        result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return result;
}

std::string svg_ground(double width_px, double height_px) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" "
        "font-size=\"12\" fill=\"#282828\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fafafa\"/>\n",
        width_px, height_px);
}

std::string svg_scale(double left_px, double width_px, double top_px, double bottom_px, double greatest,
                      const std::string& unit) {
    const std::string grey = "text-anchor=\"middle\" fill=\"#606060\"";
    std::string svg;
    const double step = axis_step(greatest);
    for (int tick = 0; tick * step <= greatest * (1 + 1e-9); ++tick) {
        const double x = left_px + width_px * tick * step / greatest;
        svg += fmt::format(R"(<line x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2}" stroke="#d7d7d7"/>)", x, top_px,
                           bottom_px) +
               '\n' + svg_text(x, bottom_px + 16, grey, fmt::format("{:.6g}", tick * step));
    }
    return svg + svg_text(left_px + width_px / 2, bottom_px + 34, grey, unit);
}

std::string svg_text(double x_px, double y_px, const std::string& attributes, const std::string& words) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x_px, y_px, attributes, html_text(words));
}

}  // namespace cornerturn
