// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/parameters.h"

#include "kernels/host/names.h"

namespace cornerturn {
namespace {

constexpr Named<ImageExtent> extents[] = {{ImageExtent::full, "full"}, {ImageExtent::valid, "valid"}};

}  // namespace

std::string_view name_of(ImageExtent extent) { return name_in(extents, extent); }
ImageExtent image_extent(std::string_view name) { return choose_in(extents, "extent", name); }

}  // namespace cornerturn
