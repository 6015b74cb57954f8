// SPDX-License-Identifier: Apache-2.0
// PNG files through libpng's simplified interface, which reports errors by return value.
#include "data/picture/picture.h"

#include <fmt/format.h>
#include <png.h>

#include <stdexcept>

#include "data/files/output_file.h"
#include "kernels/errors.h"

namespace cornerturn {

namespace {

png_image description_of(const Picture& picture) {
    if (picture.width < 1 || picture.height < 1 || (picture.channels != 1 && picture.channels != 3)) {
        throw std::logic_error(
            fmt::format("picture of {} x {} pixels with {} channels", picture.width, picture.height, picture.channels));
    }
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = picture.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    return image;
}

/// Throws with what libpng says.
[[noreturn]] void fail(const std::string& name, png_image& image) {
    const std::string reason = image.message;
    png_image_free(&image);
    throw DeviceError(fmt::format("{}: writing the picture failed: {}", name, reason));
}

}  // namespace

std::vector<std::byte> png_bytes(const Picture& picture) {
    png_image image = description_of(picture);
    png_alloc_size_t size = 0;
    if (png_image_write_to_memory(&image, nullptr, &size, 0, picture.pixels.data(), 0, nullptr) == 0)
        fail("PNG", image);
    std::vector<std::byte> bytes(size);
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels.data(), 0, nullptr) == 0)
        fail("PNG", image);
    bytes.resize(size);
    return bytes;
}

void write_png(const std::string& path, const Picture& picture) {
    png_image image = description_of(picture);
    OutputFile file(path);
    if (png_image_write_to_file(&image, file.temporary_path().c_str(), 0, picture.pixels.data(), 0, nullptr) == 0)
        fail(path, image);
    file.commit();
}

}  // namespace cornerturn
