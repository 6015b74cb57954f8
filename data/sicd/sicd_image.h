// SPDX-License-Identifier: Apache-2.0
// Writing of images as SICD (NITF 2.1), which sarkit, sarpy, GDAL and many others open.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/files/image_file.h"
#include "data/files/sample_type.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// One image on the zero-Doppler grid or on a map that is a plane, samples as they are (RE32F_IM32F) or as integers
/// (RE16I_IM16I, AMP8I_PHS8I). In the file range goes down and azimuth across, and maps are turned by quarters so that
/// they nearly do: where rows of ours are columns there, some are held until they can be written side by side. Unless
/// commit() was reached nothing stays on the disk.
class SicdImage final : public ImageFile {
public:
    /// `held_bytes`: of columns that are written side by side, at least 32 of them.
    explicit SicdImage(std::string path, std::int64_t held_bytes = std::int64_t{64} << 20);
    /// Of integers: throws InputError for a full scale that is none.
    SicdImage(std::string path, SampleType samples, double full_scale);
    ~SicdImage() override;

    /// Throws InputError for an unwritable path, an image without an orbit or on a map that is no plane, a second
    /// image.
    void begin(const Image& header) override;
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    void commit() override;
    std::uint64_t written_bytes() const override { return written_bytes_; }
    std::vector<std::string> remarks() const override;

private:
    struct Open;
    std::string path_;
    std::int64_t held_bytes_ = std::int64_t{64} << 20;
    std::optional<IntegerSamples> integers_;
    std::unique_ptr<Open> open_;
    std::uint64_t written_bytes_ = 0;
};

}  // namespace cornerturn
