// SPDX-License-Identifier: Apache-2.0
#include "data/picture/svg.h"

#include <fmt/format.h>

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

std::string svg_text(double x_px, double y_px, const std::string& attributes, const std::string& words) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x_px, y_px, attributes, html_text(words));
}

}  // namespace cornerturn
