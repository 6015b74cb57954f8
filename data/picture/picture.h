// SPDX-License-Identifier: Apache-2.0
// Pictures of 8 bits per channel and their PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn {

/// Packed rows, top row first; `channels` 1 (gray) or 3 (red, green, blue).
struct Picture {
    Picture() = default;
    Picture(std::int64_t picture_width, std::int64_t picture_height, int channel_count)
        : width(picture_width),
          height(picture_height),
          channels(channel_count),
          pixels(static_cast<std::size_t>(width * height * channels)) {}

    std::uint8_t* pixel(std::int64_t x, std::int64_t y) { return pixels.data() + (y * width + x) * channels; }
    const std::uint8_t* pixel(std::int64_t x, std::int64_t y) const {
        return pixels.data() + (y * width + x) * channels;
    }

    std::int64_t width = 0;
    std::int64_t height = 0;
    int channels = 1;
    std::vector<std::uint8_t> pixels;
};

/// The bytes of a PNG file. Throws DeviceError.
std::vector<std::byte> png_bytes(const Picture& picture);

/// Writes a PNG file, which appears under its name only when complete. Throws InputError for a path that cannot be
/// written and DeviceError when writing fails.
void write_png(const std::string& path, const Picture& picture);

}  // namespace cornerturn
