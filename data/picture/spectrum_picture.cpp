// SPDX-License-Identifier: Apache-2.0
#include "data/picture/spectrum_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/picture/bitmap_font.h"

namespace cornerturn {
namespace {

constexpr double darkest_db = -40;
constexpr std::int64_t zoom = 2, labels_px = 70, title_px = 24, beside_px = 16, below_px = 40;
constexpr Colour ink{40, 40, 40}, mark{220, 60, 40};

}  // namespace

std::int64_t spectrum_size(const ImageGrid& grid) {
    std::int64_t size = 256;
    while (size > std::min(grid.rows, grid.columns)) size /= 2;
    return size < least_spectrum ? 0 : size;
}

Picture spectrum_picture(const Image& image, std::span<const float> db, std::int64_t size) {
    const std::int64_t side = zoom * size;
    Picture picture(labels_px + side + beside_px, title_px + side + below_px, 3);
    std::fill(picture.pixels.begin(), picture.pixels.end(), std::uint8_t{250});
    const auto dot = [&](std::int64_t x, std::int64_t y, Colour colour) {
        std::copy(colour.begin(), colour.end(), picture.pixel(x, y));
    };
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x) {
            const double value =
                std::max(darkest_db, static_cast<double>(db[static_cast<std::size_t>(y / zoom * size + x / zoom)]));
            const auto level = static_cast<std::uint8_t>(std::lround(255 * (1 - value / darkest_db)));
            dot(labels_px + x, title_px + y, {level, level, level});
        }
    const double rate_hz = 1 / image.grid.time_spacing_s,
                 range_rate_mhz = speed_of_light_m_s / (2 * image.grid.range_spacing_m) / 1e6;
    const double cycles = image.processing.doppler_centroid_hz / rate_hz, wrapped = cycles - std::floor(cycles + 0.5);
    const auto centroid_y = std::min(side - 1, static_cast<std::int64_t>((wrapped + 0.5) * static_cast<double>(side)));
    for (std::int64_t x = 0; x < side; x += 6) dot(labels_px + x, title_px + centroid_y, mark);
    for (std::int64_t y = 0; y < side; y += 6) dot(labels_px + side / 2, title_px + y, mark);
    for (const double part : {-0.5, -0.25, 0.0, 0.25, 0.5}) {
        const auto place = std::min(side - 1, static_cast<std::int64_t>((part + 0.5) * static_cast<double>(side)));
        for (std::int64_t k = 1; k < 5; ++k)
            dot(labels_px - k, title_px + place, ink), dot(labels_px + place, title_px + side + k, ink);
        draw_text(picture, 6, title_px + place - 3, fmt::format("{:8.1f}", part * rate_hz), ink);
        draw_text(picture, labels_px + place - 18, title_px + side + 9, fmt::format("{:6.2f}", part * range_rate_mhz),
                  ink);
    }
    draw_text(picture, labels_px, 8,
              fmt::format("mean spectrum, 0 to {:.0f} dB; azimuth Hz, range MHz; centroid {:.1f} Hz", darkest_db,
                          image.processing.doppler_centroid_hz),
              ink);
    return picture;
}

}  // namespace cornerturn
