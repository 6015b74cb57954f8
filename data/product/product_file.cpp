// SPDX-License-Identifier: Apache-2.0
#include "data/product/product_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "data/nisar/gslc_writer.h"
#include "data/nisar/rslc_writer.h"
#include "data/sicd/sicd_image.h"
#include "kernels/errors.h"
#include "kernels/host/letter_case.h"

namespace cornerturn {

ProductFormat product_format_of(const std::string& path) {
    const std::string ending = lower(std::filesystem::path(path).extension().string());
    if (ending == ".tif" || ending == ".tiff") return ProductFormat::geotiff;
    if (ending == ".nitf" || ending == ".ntf") return ProductFormat::sicd;
    return ProductFormat::nisar;
}

void check_product(const std::string& path, const ProductOptions& options) {
    const ProductFormat format = product_format_of(path);
    if (format != ProductFormat::geotiff && options.tiff != TiffContent::complex)
        throw InputError(
            fmt::format("--tiff: is of GeoTIFF, and {} is none; name the image .tif, or leave it out", path));
    if (format == ProductFormat::nisar) return;
    if (options.storage.compression > 0)
        throw InputError(fmt::format("--compress {}: {} is written without; leave it out, or name the image .h5",
                                     options.storage.compression, path));
    if (format == ProductFormat::sicd && options.on_map)
        throw InputError(fmt::format(
            "{}: SICD images lie on the zero-Doppler grid; leave --grid out, or name the image .tif or .h5", path));
    if (options.images > 1)
        throw InputError(fmt::format("{}: holds one image, not {}; choose one polarization, or name the image .h5",
                                     path, options.images));
}

std::unique_ptr<ImageFile> product_file(const std::string& path, const ProductOptions& options) {
    check_product(path, options);
    if (product_format_of(path) == ProductFormat::geotiff) return std::make_unique<GeoTiffImage>(path, options.tiff);
    if (product_format_of(path) == ProductFormat::sicd) return std::make_unique<SicdImage>(path);
    if (options.on_map) return std::make_unique<GslcFile>(path, options.images, options.storage);
    return std::make_unique<RslcFile>(path, options.images, options.storage);
}

}  // namespace cornerturn
