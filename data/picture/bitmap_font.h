// SPDX-License-Identifier: Apache-2.0
// A small built-in typeface for labels in pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "data/picture/picture.h"

namespace cornerturn {

using Colour = std::array<std::uint8_t, 3>;

inline constexpr int glyph_width = 6;  ///< five pixels and one of space
inline constexpr int glyph_height = 7;

/// Draws text with its top left corner at (x, y) into a picture of three channels; what falls outside is cut off, a
/// character that the typeface lacks leaves a blank.
void draw_text(Picture& picture, std::int64_t x, std::int64_t y, std::string_view text, Colour colour);

}  // namespace cornerturn
