// SPDX-License-Identifier: Apache-2.0
// Writing of images as flat files of complex64 with a header of ENVI's beside, which GDAL, ENVI, PolSARpro and NumPy's
// memmap open, and one of ISCE2's.
#pragma once

#include <memory>
#include <string>

#include "data/files/image_file.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// NAME.slc has the rows one behind the other, as they are, little-endian, nothing else; NAME.slc.hdr and ISCE2's
/// NAME.slc.xml tell its shape, on a map where that lies. The headers come last. Unless commit() was reached nothing
/// stays on the disk.
class EnviImage final : public ImageFile {
public:
    explicit EnviImage(std::string path);
    ~EnviImage() override;

    /// Throws InputError for an unwritable path, or a second image.
    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    void commit() override;
    std::uint64_t written_bytes() const override { return written_bytes_; }

private:
    struct Open;
    std::string path_;
    std::unique_ptr<Open> open_;
    std::uint64_t written_bytes_ = 0;
};

/// The text of NAME.slc.hdr.
std::string envi_header(const Image& image);
/// That of NAME.slc.xml; `samples`: the name of the file of samples, without its folder.
std::string isce_header(const Image& image, const std::string& samples);

}  // namespace cornerturn
