// SPDX-License-Identifier: Apache-2.0
// Writing of images as cloud-optimised GeoTIFF, which GIS programs open where they lie.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/files/image_file.h"
#include "data/files/sample_type.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

enum class TiffContent {
    complex,    ///< the samples, CFloat32 or CInt16
    amplitude,  ///< Float32; 0: nothing there
    decibel,    ///< of the power, Float32; not a number: nothing there
    beta0,      ///< radar brightness in dB, likewise
    sigma0      ///< of the ground, by the incidence angle, likewise
};
/// complex, amplitude, db, beta0 or sigma0. Throws InputError listing them.
TiffContent tiff_content_named(const std::string& name);

/// One image. Rows of the file are rows of the image: on a map with its CRS, else ordered by zero-Doppler time and
/// slant range, with ground control points where an orbit tells them. Uncompressed, so that rows are written as they
/// come: 512 of them, and half as many of overviews, are held. Unless commit() was reached nothing stays on the disk.
class GeoTiffImage final : public ImageFile {
public:
    /// `samples`: of complex ones also int16, parts of `full_scale`. Throws InputError for one that is none.
    GeoTiffImage(std::string path, TiffContent content, SampleType samples = SampleType::float32,
                 double full_scale = 0);
    ~GeoTiffImage() override;

    /// Throws InputError for an unwritable path, a map that GeoTIFF cannot name, a second image; of sigma0 for an image
    /// that tells neither a calibration nor an orbit.
    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    void commit() override;
    std::uint64_t written_bytes() const override { return written_bytes_; }
    std::vector<std::string> remarks() const override;

private:
    struct Rows;
    std::string path_;
    TiffContent content_;
    std::optional<IntegerSamples> integers_;
    std::unique_ptr<Rows> rows_;
    std::uint64_t written_bytes_ = 0;
};

/// Facts of an image as GDAL's metadata has them: XML of names and values. `scale`: that stored numbers are multiplied
/// by.
std::string gdal_metadata(const Image& image, const std::string& band_description, std::optional<double> scale);

}  // namespace cornerturn
