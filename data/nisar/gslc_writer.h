// SPDX-License-Identifier: Apache-2.0
// Writing of images on maps as NISAR GSLC files.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "data/files/image_file.h"
#include "data/nisar/image_storage.h"
#include "data/nisar/product_origin.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// A GSLC file that rows of one or more images on one map are written to: polarizations and frequencies of one scene.
/// Axes carry the names and attributes of netCDF's conventions (CF 1.7), so that GDAL and xarray know where a pixel
/// lies. Unless commit() was reached nothing stays on the disk. Throws DeviceError where the system fails.
class GslcFile final : public ImageFile {
public:
    /// `images` will come. The file comes into being with the first one.
    explicit GslcFile(std::string path, std::size_t images = 1, ImageStorage storage = {});
    ~GslcFile() override;

    /// Throws InputError for an unwritable path, std::logic_error for an image that is already there or lies on another
    /// grid.
    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;

    /// Is written when the file is complete.
    void set_origin(ProductOrigin origin) { origin_ = std::move(origin); }
    void commit() override;
    std::uint64_t written_bytes() const override;

private:
    struct Open;

    std::string path_;
    std::size_t images_;
    ImageStorage storage_;
    ProductOrigin origin_;
    std::unique_ptr<Open> open_;
};

}  // namespace cornerturn
