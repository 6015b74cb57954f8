// SPDX-License-Identifier: Apache-2.0
// The one place that knows which formats images are written in.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "data/files/image_file.h"
#include "data/geotiff/geotiff_image.h"
#include "data/nisar/image_storage.h"

namespace cornerturn {

class SafeFolder;

enum class ProductFormat {
    nisar,    ///< HDF5: RSLC, on a map GSLC
    geotiff,  ///< .tif, .tiff
    sicd,     ///< .nitf, .ntf
    envi,     ///< .slc, with a header .slc.hdr
    safe      ///< .SAFE, a folder of bursts as ESA's SLC products have them
};
/// By the ending of its name; all that is none of another format is HDF5.
ProductFormat product_format_of(const std::string& path);

struct ProductOptions {
    bool on_map = false;
    std::size_t images = 1;  ///< that will come
    ImageStorage storage = {};
    TiffContent tiff = TiffContent::complex;
    SampleStorage samples = {};
    std::string input = {};                 ///< that the image is made of
    std::shared_ptr<SafeFolder> safe = {};  ///< that other bursts go to as well, and that somebody else commits
};

/// Looks through an image before it is stored as integers.
class LargestAmplitude final : public ImageSink {
public:
    void begin(const Image&) override {}
    void write(std::int64_t, std::span<const std::complex<float>> rows) override {
        for (const std::complex<float>& sample : rows) power_ = std::max(power_, std::norm(sample));
    }
    /// Of an image that is dark everywhere 1: any will do.
    double value() const { return power_ > 0 ? std::sqrt(static_cast<double>(power_)) : 1; }

private:
    float power_ = 0;
};

/// Before anything is computed. Throws InputError for what the format cannot hold; a full scale may be missing yet.
void check_product(const std::string& path, const ProductOptions& options);
/// Throws likewise, and where a full scale is missing.
std::unique_ptr<ImageFile> product_file(const std::string& path, const ProductOptions& options);

}  // namespace cornerturn
