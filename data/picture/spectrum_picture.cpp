// SPDX-License-Identifier: Apache-2.0
#include "data/picture/spectrum_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/picture/bitmap_font.h"

namespace cornerturn {
namespace {

constexpr std::int64_t zoom = 2, left_px = 70, top_px = 24, right_px = 16, bottom_px = 40;
constexpr double darkest_db = -40;
constexpr Colour ink{40, 40, 40}, mark{220, 60, 40};

}  // namespace

Picture spectrum_picture(const Image& image, std::span<const float> db, std::int64_t size) {
    const std::int64_t side = zoom * size;
    Picture picture(left_px + side + right_px, top_px + side + bottom_px, 3);
    std::fill(picture.pixels.begin(), picture.pixels.end(), std::uint8_t{250});
    const auto dot = [&](std::int64_t x, std::int64_t y, Colour colour) {
        std::copy(colour.begin(), colour.end(), picture.pixel(x, y));
    };
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x) {
            const double value =
                std::max(darkest_db, static_cast<double>(db[static_cast<std::size_t>(y / zoom * size + x / zoom)]));
            const auto level = static_cast<std::uint8_t>(std::lround(255 * (1 - value / darkest_db)));
            dot(left_px + x, top_px + y, {level, level, level});
        }
    const double rate_hz = 1 / image.grid.time_spacing_s,
                 range_rate_mhz = speed_of_light_m_s / (2 * image.grid.range_spacing_m) / 1e6;
    const double cycles = image.processing.doppler_centroid_hz / rate_hz, wrapped = cycles - std::floor(cycles + 0.5);
    const auto centroid_y = std::min(side - 1, static_cast<std::int64_t>((wrapped + 0.5) * static_cast<double>(side)));
    for (std::int64_t x = 0; x < side; x += 6) dot(left_px + x, top_px + centroid_y, mark);
    for (std::int64_t y = 0; y < side; y += 6) dot(left_px + side / 2, top_px + y, mark);
    for (const double part : {-0.5, -0.25, 0.0, 0.25, 0.5}) {
        const auto place = std::min(side - 1, static_cast<std::int64_t>((part + 0.5) * static_cast<double>(side)));
        for (std::int64_t k = 1; k < 5; ++k)
            dot(left_px - k, top_px + place, ink), dot(left_px + place, top_px + side + k, ink);
        draw_text(picture, 6, top_px + place - 3, fmt::format("{:8.1f}", part * rate_hz), ink);
        draw_text(picture, left_px + place - 18, top_px + side + 9, fmt::format("{:6.2f}", part * range_rate_mhz), ink);
    }
    draw_text(picture, left_px, 8,
              fmt::format("mean spectrum, 0 to {:.0f} dB; azimuth Hz, range MHz; centroid {:.1f} Hz", darkest_db,
                          image.processing.doppler_centroid_hz),
              ink);
    return picture;
}

}  // namespace cornerturn
