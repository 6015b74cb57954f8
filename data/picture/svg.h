// SPDX-License-Identifier: Apache-2.0
// What charts in SVG have in common.
#pragma once

#include <string>

namespace cornerturn {

/// Text with what SVG and HTML take for themselves written out.
std::string html_text(const std::string& text);
/// Opens a picture on a light ground; "</svg>\n" ends it.
std::string svg_ground(double width_px, double height_px);
/// Lines across a plot at round values from 0 to `greatest`, which are written below it, and the unit below these.
std::string svg_scale(double left_px, double width_px, double top_px, double bottom_px, double greatest,
                      const std::string& unit);
/// Words at a place, with more attributes; characters that mean something in SVG are escaped.
std::string svg_text(double x_px, double y_px, const std::string& attributes, const std::string& words);

}  // namespace cornerturn
