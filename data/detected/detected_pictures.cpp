// SPDX-License-Identifier: Apache-2.0
// Detected images as cloud-optimised GeoTIFF (as rows come) and PNG: one channel, the first row on top.
#include <fmt/format.h>

#include <tiff.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "data/detected/detected_files.h"
#include "data/picture/picture.h"
#include "data/tiff/cog_rows.h"
#include "data/tiff/geo_tags.h"
#include "data/tiff/tiff_tags.h"

namespace cornerturn {
namespace {

class DetectedTiff final : public DetectedFile {
public:
    DetectedTiff(const std::string& path, const Image& image, const DetectedOptions& options)
        : rows_(path, layout(image, options),
                [options](std::span<const float> power, std::size_t, std::byte* to) { encode(power, options, to); }) {}

    void write(std::int64_t, std::span<const float> power) override { rows_.write(power); }
    void commit() override { rows_.commit(); }

private:
    static void encode(std::span<const float> power, const DetectedOptions& options, std::byte* to) {
        const auto put = [&](const auto& values) {
            std::memcpy(to, values.data(), values.size() * sizeof(values.front()));
        };
        switch (options.type) {
            case StoredAs::uint8: return put(stored_values<std::uint8_t>(power, options));
            case StoredAs::uint16: return put(stored_values<std::uint16_t>(power, options));
            case StoredAs::float32: break;
        }
        std::vector<float> values = stored_values<float>(power, options);
        for (float& value : values)  // GIS programs know no infinity
            if (!std::isfinite(value)) value = std::numeric_limits<float>::quiet_NaN();
        put(values);
    }
    static CogLayout layout(const Image& image, const DetectedOptions& options) {
        const Looks& looks = options.looks.looks;
        const ImageGrid cells = multilooked_grid(image.grid, looks);
        const std::string what = description(image, cells, options);
        const bool nan = options.type == StoredAs::float32 && options.detection == Detection::decibel;
        std::vector<TiffTag> tags = geo_tags(image, {.rows = looks.azimuth, .columns = looks.range});
        tags.push_back(tiff_text(TIFFTAG_IMAGEDESCRIPTION, what));
        tags.push_back(tiff_text(TIFFTAG_SOFTWARE, image.processing.software));
        tags.push_back(tiff_text(tiff_tag::gdal_nodata, nan ? "nan" : "0"));
        return cog_layout(cells.rows, cells.columns,
                          options.type == StoredAs::float32  ? TiffSample::float32
                          : options.type == StoredAs::uint16 ? TiffSample::uint16
                                                             : TiffSample::uint8,
                          tags);
    }
    static std::string description(const Image& image, const ImageGrid& cells, const DetectedOptions& options) {
        const std::string what =
            fmt::format("{}; {} x {} looks ({})", detected_description(options), options.looks.looks.azimuth,
                        options.looks.looks.range, image.map ? "rows x columns" : "azimuth x range");
        if (image.map || !image.grid.has_axes()) return what;
        return fmt::format(
            "{}; row i at zero-Doppler time {:.12g} s + i {:.12g} s since {}, column k at slant range {:.12g} m + k "
            "{:.12g} m",
            what, cells.first_time_s, cells.time_spacing_s, image.acquisition.epoch, cells.near_range_m,
            cells.range_spacing_m);
    }

    CogRows<float> rows_;
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
