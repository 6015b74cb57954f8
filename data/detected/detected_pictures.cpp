// SPDX-License-Identifier: Apache-2.0
// Detected images as TIFF (strips, as rows come) and PNG: one channel, near range on the left, the first row on top.
#include <fmt/format.h>

#include <cstring>

#include "data/detected/detected_files.h"
#include "data/files/output_file.h"
#include "data/picture/picture.h"
#include "data/tiff/tiff.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

class DetectedTiff final : public DetectedFile {
public:
    DetectedTiff(const std::string& path, const Image& image, const DetectedOptions& options)
        : path_(path),
          options_(options),
          cells_(multilooked_grid(image.grid, options.looks.looks)),
          file_(path, static_cast<std::uint64_t>(cells_.rows * cells_.columns * bits() / 8) + (1u << 16)) {
        constexpr double largest_classic_bytes = 3.9e9;
        const bool big = static_cast<double>(cells_.rows * cells_.columns) * bits() / 8 > largest_classic_bytes;
        tiff_ = open_tiff(file_.temporary_path(), big ? "w8" : "w");
        check(tiff_ != nullptr);
        const bool real = options.type == StoredAs::float32;
        const auto rows_of_strip = static_cast<std::uint32_t>(
            std::clamp<std::int64_t>((std::int64_t{1} << 20) * 8 / (cells_.columns * bits()), 1, cells_.rows));
        set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(cells_.columns));
        set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(cells_.rows));
        set(TIFFTAG_BITSPERSAMPLE, bits());
        set(TIFFTAG_SAMPLESPERPIXEL, 1);
        set(TIFFTAG_SAMPLEFORMAT, real ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
        set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        set(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
        set(TIFFTAG_ROWSPERSTRIP, rows_of_strip);
        set(TIFFTAG_IMAGEDESCRIPTION, description(image).c_str());
        set(TIFFTAG_SOFTWARE, image.processing.software.c_str());
    }

    void write(std::int64_t first_row, std::span<const float> power) override {
        switch (options_.type) {
            case StoredAs::float32: return put(first_row, stored_values<float>(power, options_));
            case StoredAs::uint8: return put(first_row, stored_values<std::uint8_t>(power, options_));
            case StoredAs::uint16: return put(first_row, stored_values<std::uint16_t>(power, options_));
        }
    }
    void commit() override {
        check(TIFFFlush(tiff_.get()) == 1);
        tiff_.reset();
        file_.commit();
    }

private:
    int bits() const { return options_.type == StoredAs::float32 ? 32 : options_.type == StoredAs::uint16 ? 16 : 8; }
    void check(bool well) const {
        if (!well) throw DeviceError(fmt::format("{}: writing TIFF failed: {}", path_, tiff_complaint()));
    }
    template <class Value>
    void set(std::uint32_t tag, Value value) {
        check(TIFFSetField(tiff_.get(), tag, value) == 1);
    }
    std::string description(const Image& image) const {
        return fmt::format(
            "{}; {} x {} looks (azimuth x range); row i at zero-Doppler time {:.12g} s + i {:.12g} s since {}, column "
            "k at slant range "
            "{:.12g} m + k {:.12g} m",
            detected_description(options_), options_.looks.looks.azimuth, options_.looks.looks.range,
            cells_.first_time_s, cells_.time_spacing_s, image.acquisition.epoch, cells_.near_range_m,
            cells_.range_spacing_m);
    }
    template <class T>
    void put(std::int64_t first_row, std::vector<T> values) {
        const std::int64_t rows = static_cast<std::int64_t>(values.size()) / cells_.columns;
        for (std::int64_t row = 0; row < rows; ++row)
            check(TIFFWriteScanline(tiff_.get(), values.data() + row * cells_.columns,
                                    static_cast<std::uint32_t>(first_row + row), 0) == 1);
    }

    std::string path_;
    DetectedOptions options_;
    ImageGrid cells_;
    OutputFile file_;
    TiffHandle tiff_;
};

class DetectedPng final : public DetectedFile {
public:
    DetectedPng(const std::string& path, const Image& image, const DetectedOptions& options)
        : path_(path), options_(options) {
        const ImageGrid cells = multilooked_grid(image.grid, options.looks.looks);
        picture_ = Picture(cells.columns, cells.rows, 1);
    }
    void write(std::int64_t first_row, std::span<const float> power) override {
        const std::vector<std::uint8_t> values = stored_values<std::uint8_t>(power, options_);
        std::memcpy(picture_.pixel(0, first_row), values.data(), values.size());
    }
    void commit() override { write_png(path_, picture_); }

private:
    std::string path_;
    DetectedOptions options_;
    Picture picture_;
};

}  // namespace

std::string detected_description(const DetectedOptions& options) {
    const char* what = options.detection == Detection::amplitude ? "Amplitude (root of mean power)"
                       : options.detection == Detection::power   ? "Mean power"
                                                                 : "Mean power in dB of 1";
    if (options.type == StoredAs::float32) return what;
    return fmt::format("{} = {:.9g} + {:.9g} * stored; 0: nothing there", what, options.scale.offset,
                       options.scale.scale);
}

std::unique_ptr<DetectedFile> create_detected_tiff(const std::string& path, const Image& image,
                                                   const DetectedOptions& options) {
    return std::make_unique<DetectedTiff>(path, image, options);
}

std::unique_ptr<DetectedFile> create_detected_png(const std::string& path, const Image& image,
                                                  const DetectedOptions& options) {
    return std::make_unique<DetectedPng>(path, image, options);
}

}  // namespace cornerturn
