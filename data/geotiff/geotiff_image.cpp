// SPDX-License-Identifier: Apache-2.0
#include "data/geotiff/geotiff_image.h"

#include <fmt/format.h>
#include <tiff.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <pugixml.hpp>
#include <stdexcept>

#include "data/detected/detected_image.h"
#include "data/files/image_facts.h"
#include "data/tiff/cog_rows.h"
#include "data/tiff/geo_tags.h"
#include "data/tiff/tiff_tags.h"
#include "data/xml/new_element.h"
#include "kernels/errors.h"
#include "kernels/host/names.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/ground/image_radiometry.h"
#include "pipeline/acquisition/product_epoch.h"

namespace cornerturn {
namespace {

bool is_radiometric(TiffContent content) { return content == TiffContent::beta0 || content == TiffContent::sigma0; }

/// What a pixel says. A calibration is there where the image's file told one.
std::string description_of(TiffContent content, bool calibrated) {
    // An image of others, or one that came through integers without a scale, has numbers that nothing is known of.
    const char* const scale = calibrated
                                  ? "as the input has it, whose calibration is not in these numbers"
                                  : "not calibrated: pattern of the antenna, loss with range and a constant are in it";
    switch (content) {
        case TiffContent::complex: return fmt::format("Complex amplitude, {}", scale);
        case TiffContent::amplitude: return fmt::format("Amplitude, {}", scale);
        case TiffContent::decibel: return fmt::format("Power in dB, {}", scale);
        case TiffContent::beta0:
        case TiffContent::sigma0: break;
    }
    const char* what = content == TiffContent::beta0 ? "beta0" : "sigma0";
    if (calibrated) return fmt::format("{} in dB, by the calibration of the input", what);
    return fmt::format("{} in dB, NOT CALIBRATED: pattern of the antenna, loss with range and a constant are unknown{}",
                       what, content == TiffContent::sigma0 ? "; power times the sine of the incidence angle" : "");
}

/// `role`: of one that GDAL knows the meaning of, of the band.
void add_item(const NewElement& to, const std::string& name, const std::string& value, const char* role = nullptr) {
    if (value.empty()) return;
    const NewElement item = to.in("Item").with("name", name);
    if (role) item.with("sample", std::int64_t{0}).with("role", role);
    item.set_text(value);
}

std::vector<TiffTag> tags_of(const Image& image, TiffContent content, std::optional<double> scale) {
    const std::string what = description_of(content, image.radiometry && image.radiometry->calibrated);
    std::vector<TiffTag> tags = geo_tags(image);
    tags.push_back(tiff_text(TIFFTAG_IMAGEDESCRIPTION, what));
    tags.push_back(tiff_text(TIFFTAG_SOFTWARE, image.processing.software));
    tags.push_back(tiff_text(tiff_tag::gdal_metadata, gdal_metadata(image, what, scale)));
    if (content == TiffContent::amplitude) tags.push_back(tiff_text(tiff_tag::gdal_nodata, "0"));
    if (content == TiffContent::decibel || is_radiometric(content))
        tags.push_back(tiff_text(tiff_tag::gdal_nodata, "nan"));
    return tags;
}

void encode_power(std::span<const float> power, TiffContent content, std::byte* to) {
    for (std::size_t i = 0; i < power.size(); ++i) {
        float value = detected(power[i], content == TiffContent::amplitude ? Detection::amplitude : Detection::decibel);
        if (!std::isfinite(value)) value = std::numeric_limits<float>::quiet_NaN();
        std::memcpy(to + i * sizeof(float), &value, sizeof(float));
    }
}

void encode_int16(std::span<const std::complex<float>> values, IntegerSamples& integers, std::byte* to) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto [real, imaginary] = integers.codes(values[i]);
        const std::int16_t parts[] = {static_cast<std::int16_t>(real), static_cast<std::int16_t>(imaginary)};
        std::memcpy(to + i * sizeof(parts), parts, sizeof(parts));
    }
}

}  // namespace

std::string gdal_metadata(const Image& image, const std::string& band_description, std::optional<double> scale) {
    pugi::xml_document document;
    const NewElement root(document.append_child("GDALMetadata"));
    for (const auto& [name, value] : image_facts(image)) add_item(root, name, value);
    add_item(root, "DESCRIPTION", band_description, "description");
    if (scale) add_item(root, "SCALE", fmt::format("{:.17g}", *scale), "scale");
    return text_of(document);
}

TiffContent tiff_content_named(const std::string& name) {
    constexpr Named<TiffContent> contents[] = {{TiffContent::complex, "complex"},
                                               {TiffContent::amplitude, "amplitude"},
                                               {TiffContent::decibel, "db"},
                                               {TiffContent::beta0, "beta0"},
                                               {TiffContent::sigma0, "sigma0"}};
    return choose_in(contents, "--tiff", name);
}

struct GeoTiffImage::Rows {
    Rows(const std::string& path, const Image& header, TiffContent content, std::optional<IntegerSamples>& integers)
        : next_row(0), columns(header.grid.columns) {
        const TiffSample sample = content != TiffContent::complex ? TiffSample::float32
                                  : integers                      ? TiffSample::complex_int16
                                                                  : TiffSample::complex_float32;
        const std::optional<double> scale = integers ? std::optional(integers->step()) : std::nullopt;
        const CogLayout layout =
            cog_layout(header.grid.rows, header.grid.columns, sample, tags_of(header, content, scale));
        sample_bytes = layout.sample_bytes;
        if (is_radiometric(content)) {
            const Radiometry known = radiometry_of(header);
            factor = content == TiffContent::beta0 ? known.beta0 : known.sigma0;
            calibrated = known.calibrated;
        }
        if (integers)
            // Samples of overviews are those of the image, which are counted there.
            samples.emplace(path, layout,
                            [&integers, of_overviews = *integers](std::span<const std::complex<float>> values,
                                                                  std::size_t level, std::byte* to) mutable {
                                encode_int16(values, level == 0 ? *integers : of_overviews, to);
                            });
        else if (content == TiffContent::complex)
            samples.emplace(path, layout, [](std::span<const std::complex<float>> values, std::size_t, std::byte* to) {
                std::memcpy(to, values.data(), values.size_bytes());
            });
        else
            power.emplace(path, layout, [content](std::span<const float> values, std::size_t, std::byte* to) {
                encode_power(values, content, to);
            });
    }
    void write(std::span<const std::complex<float>> rows) {
        const std::int64_t first_row = next_row;
        next_row += static_cast<std::int64_t>(rows.size()) / columns;
        if (samples) return samples->write(rows);
        std::vector<float> row(static_cast<std::size_t>(columns));
        for (std::size_t at = 0; at < rows.size(); at += row.size()) {
            const auto of_image = static_cast<double>(first_row + static_cast<std::int64_t>(at / row.size()));
            for (std::size_t k = 0; k < row.size(); ++k) {
                const double by = factor ? factor->at(of_image, static_cast<double>(k)) : 1.0;
                const auto value = static_cast<float>(by * std::norm(rows[at + k]));
                row[k] = std::isfinite(value) ? value : 0.0f;
            }
            power->write(row);
        }
    }
    void commit() { samples ? samples->commit() : power->commit(); }

    std::optional<CogRows<std::complex<float>>> samples;
    std::optional<CogRows<float>> power;
    std::optional<PowerFactor> factor;  // of beta0 and sigma0
    bool calibrated = false;            // likewise
    std::int64_t next_row, columns, sample_bytes = 0;
};

GeoTiffImage::GeoTiffImage(std::string path, TiffContent content, SampleType samples, double full_scale)
    : path_(std::move(path)), content_(content) {
    if (samples == SampleType::int16) integers_.emplace(samples, full_scale);
}
GeoTiffImage::~GeoTiffImage() = default;

void GeoTiffImage::begin(const Image& header) {
    if (rows_) throw InputError(fmt::format("{}: a GeoTIFF holds one image; choose one polarization", path_));
    rows_ = std::make_unique<Rows>(path_, in_product_epoch(header), content_, integers_);
}

void GeoTiffImage::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    if (first_row != rows_->next_row) throw std::logic_error("GeoTIFF: rows must come in order");
    rows_->write(rows);
    written_bytes_ += rows.size() * static_cast<std::uint64_t>(rows_->sample_bytes);
}

std::vector<std::string> GeoTiffImage::remarks() const {
    std::vector<std::string> remarks;
    if (const std::string remark = integers_ ? integers_->remark(path_) : ""; !remark.empty())
        remarks.push_back(remark);
    if (rows_ && is_radiometric(content_) && !rows_->calibrated)
        remarks.push_back(fmt::format(
            "{}: {} is not calibrated, as no file tells a calibration: the antenna's pattern, the loss with "
            "range and a constant are in it",
            path_, content_ == TiffContent::beta0 ? "beta0" : "sigma0"));
    return remarks;
}

void GeoTiffImage::commit() {
    if (!rows_) throw std::logic_error("GeoTIFF: no image was written");
    throw_if_interrupted();
    rows_->commit();
}

}  // namespace cornerturn
