// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/parameters.h"

#include <fmt/format.h>

#include "kernels/errors.h"

namespace cornerturn {

std::string_view name_of(ImageExtent extent) { return extent == ImageExtent::full ? "full" : "valid"; }

ImageExtent image_extent(std::string_view name) {
    for (const ImageExtent extent : {ImageExtent::full, ImageExtent::valid})
        if (name == name_of(extent)) return extent;
    throw InputError(fmt::format("extent '{}': unknown; choose full or valid", name));
}

}  // namespace cornerturn
