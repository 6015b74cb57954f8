// SPDX-License-Identifier: Apache-2.0
#include "data/product/product_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "data/envi/envi_image.h"
#include "data/nisar/gslc_writer.h"
#include "data/nisar/rslc_writer.h"
#include "data/safe/safe_folder.h"
#include "data/sicd/sicd_image.h"
#include "kernels/errors.h"
#include "kernels/host/letter_case.h"

namespace cornerturn {

ProductFormat product_format_of(const std::string& path) {
    const std::string ending = lower(std::filesystem::path(path).extension().string());
    if (ending == ".tif" || ending == ".tiff") return ProductFormat::geotiff;
    if (ending == ".nitf" || ending == ".ntf") return ProductFormat::sicd;
    if (ending == ".slc") return ProductFormat::envi;
    if (ending == ".safe") return ProductFormat::safe;
    return ProductFormat::nisar;
}

namespace {

/// Names that promise something else: a picture, a page, another format.
void check_ending(const std::string& path) {
    const std::string ending = lower(std::filesystem::path(path).extension().string());
    for (const std::string_view other :
         {".png", ".jpg",  ".jpeg", ".gif", ".bmp", ".pdf", ".html", ".json", ".yaml", ".xml", ".hdr", ".kml",
          ".zip", ".zarr", ".cphd", ".dat", ".vrt", ".npy", ".mat",  ".nc",   ".csv",  ".img", ".bin", ".sicd"})
        if (ending == other)
            throw InputError(
                fmt::format("{}: no image is written by that ending; name it .h5 (NISAR RSLC, on a map GSLC), .tif, "
                            ".nitf, .slc or .SAFE{}",
                            path,
                            ending == ".png"    ? ", and the picture by --png"
                            : ending == ".zarr" ? ", or write it from Python by image.write"
                                                : ""));
}

/// How the formats may hold samples.
void check_samples(const std::string& path, ProductFormat format, const ProductOptions& options) {
    const SampleType type = options.samples.type;
    const auto refuse = [&](const char* have) {
        throw InputError(fmt::format("--sample-type {}: {} holds {}", name_of(type), path, have));
    };
    if (type == SampleType::float32) return;
    if (format == ProductFormat::envi) refuse("f32");
    if (format == ProductFormat::safe && type != SampleType::int16) refuse("int16");
    if (format == ProductFormat::nisar && type != SampleType::float16) refuse("f32 or f16; name it .tif or .nitf");
    if (format == ProductFormat::sicd && type == SampleType::float16) refuse("f32, int16 or amp8-phs8");
    if (format == ProductFormat::geotiff && type != SampleType::int16) refuse("f32 or int16");
    if (format == ProductFormat::geotiff && options.tiff != TiffContent::complex)
        throw InputError(
            fmt::format("--sample-type {}: is of complex samples; leave --tiff out, or make detected "
                        "images of integers by multilook --type",
                        name_of(type)));
}

}  // namespace

void check_product(const std::string& path, const ProductOptions& options) {
    const ProductFormat format = product_format_of(path);
    if (format == ProductFormat::nisar) check_ending(path);
    check_samples(path, format, options);
    if (format != ProductFormat::geotiff && options.tiff != TiffContent::complex)
        throw InputError(
            fmt::format("--tiff: is of GeoTIFF, and {} is none; name the image .tif, or leave it out", path));
    if (format == ProductFormat::nisar) return;
    if (options.storage.compression > 0)
        throw InputError(fmt::format("--compress {}: {} is written without; leave it out, or name the image .h5",
                                     options.storage.compression, path));
    if (format == ProductFormat::safe && options.on_map)
        throw InputError(
            fmt::format("--grid: {} holds bursts as the radar sees them; leave it out, or name the image .h5", path));
    if (format != ProductFormat::safe && options.images > 1)
        throw InputError(fmt::format("{}: holds one image, not {}; choose one polarization, or name the image .h5",
                                     path, options.images));
}

std::unique_ptr<ImageFile> product_file(const std::string& path, const ProductOptions& options) {
    check_product(path, options);
    const auto [type, given_scale] = options.samples;
    if (product_format_of(path) == ProductFormat::safe) {
        const bool shared = options.safe != nullptr;
        return std::make_unique<SafeImage>(
            shared ? options.safe : std::make_shared<SafeFolder>(path, options.input, given_scale), shared);
    }
    if (has_full_scale(type) && !given_scale)
        throw InputError(
            fmt::format("--sample-type {0}: the largest amplitude has to be known before the first row; "
                        "give it, as {0}:2.5, or write .h5 and convert that, which looks for it",
                        name_of(type)));
    const double full_scale = given_scale.value_or(0);
    if (product_format_of(path) == ProductFormat::geotiff)
        return std::make_unique<GeoTiffImage>(path, options.tiff, type, full_scale);
    if (product_format_of(path) == ProductFormat::sicd) return std::make_unique<SicdImage>(path, type, full_scale);
    if (product_format_of(path) == ProductFormat::envi) return std::make_unique<EnviImage>(path);
    ImageStorage storage = options.storage;
    storage.samples = type;
    if (options.on_map) return std::make_unique<GslcFile>(path, options.images, storage);
    return std::make_unique<RslcFile>(path, options.images, storage);
}

}  // namespace cornerturn
