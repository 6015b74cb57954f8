// SPDX-License-Identifier: Apache-2.0
#include "data/detected/detected_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "data/detected/detected_files.h"
#include "data/files/output_file.h"
#include "kernels/errors.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/names.h"

namespace cornerturn {
namespace {

constexpr Named<Detection> detections[] = {
    {Detection::amplitude, "amplitude"}, {Detection::power, "power"}, {Detection::decibel, "db"}};
constexpr Named<StoredAs> types[] = {
    {StoredAs::float32, "float32"}, {StoredAs::uint8, "uint8"}, {StoredAs::uint16, "uint16"}};

constexpr double lowest_db = -400, bin_db = 0.1;
constexpr std::size_t bins = 8000;

int greatest(StoredAs type) { return type == StoredAs::uint8 ? 255 : 65535; }

double value_of(double db, Detection detection) {
    return detection == Detection::decibel ? db : std::pow(10, db / (detection == Detection::power ? 10 : 20));
}

}  // namespace

Detection detection_named(const std::string& name) { return choose_in(detections, "--detect", name); }
StoredAs stored_as_named(const std::string& name) { return choose_in(types, "--type", name); }

DetectedFormat detected_format_of(const std::string& path) {
    const std::string ending = lower(std::filesystem::path(path).extension().string());
    if (ending == ".h5" || ending == ".hdf5") return DetectedFormat::hdf5;
    if (ending == ".tif" || ending == ".tiff") return DetectedFormat::tiff;
    if (ending == ".png") return DetectedFormat::png;
    throw InputError(fmt::format("{}: the ending tells the format; expected .h5, .tif or .png", path));
}

float detected(float power, Detection detection) {
    switch (detection) {
        case Detection::amplitude: return std::sqrt(power);
        case Detection::power: return power;
        case Detection::decibel: break;
    }
    return power > 0 ? 10 * std::log10(power) : -std::numeric_limits<float>::infinity();
}

IntegerScale IntegerScale::between(double least, double greatest_value, StoredAs type) {
    if (!(least < greatest_value))
        throw InputError(
            fmt::format("--scale {},{}: expected the least value before the greatest", least, greatest_value));
    const double scale = (greatest_value - least) / (greatest(type) - 1);
    return {scale, least - scale};
}

std::uint16_t IntegerScale::stored(float value, StoredAs type) const {
    return static_cast<std::uint16_t>(std::lround(
        std::clamp((static_cast<double>(value) - offset) / scale, 1.0, static_cast<double>(greatest(type)))));
}

void Brightness::add(std::span<const float> power) {
    counts_.resize(bins);
    for (const float value : power) {
        if (!(value > 0) || !std::isfinite(value)) continue;
        const double bin = (10 * std::log10(static_cast<double>(value)) - lowest_db) / bin_db;
        ++counts_[static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(bins - 1)))];
    }
}

IntegerScale Brightness::scale(Detection detection, StoredAs type) const {
    constexpr double dark = 0.002, bright = 0.999;
    const auto total = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
    if (total == 0)
        throw InputError("the image is zero everywhere: no scale follows from it; give --scale or --type float32");
    const auto quantile_db = [&](double q) {
        auto left = static_cast<std::int64_t>(q * static_cast<double>(total - 1));
        std::size_t bin = 0;
        while (left >= counts_[bin]) left -= counts_[bin++];
        return lowest_db + bin_db * static_cast<double>(bin);
    };
    const double least = detection == Detection::decibel ? quantile_db(dark) : 0;
    return IntegerScale::between(least, value_of(quantile_db(bright) + bin_db, detection), type);
}

void check_detected_path(const std::string& path, const std::string& input, StoredAs type) {
    if (path.empty()) throw InputError("multilook: no output; give -o IMAGE.h5, .tif or .png");
    if (detected_format_of(path) == DetectedFormat::png && type != StoredAs::uint8)
        throw InputError(
            fmt::format("{}: PNG pictures hold uint8; give --type uint8, or an output that ends in .tif or .h5", path));
    check_output_path(path, input);
}

std::unique_ptr<DetectedFile> DetectedFile::create(const std::string& path, const Image& image,
                                                   const DetectedOptions& options) {
    check_detected_path(path, {}, options.type);
    switch (detected_format_of(path)) {
        case DetectedFormat::hdf5: return create_detected_hdf5(path, image, options);
        case DetectedFormat::tiff: return create_detected_tiff(path, image, options);
        case DetectedFormat::png: break;
    }
    return create_detected_png(path, image, options);
}

}  // namespace cornerturn
