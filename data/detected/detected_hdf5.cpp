// SPDX-License-Identifier: Apache-2.0
// Detected images in HDF5: named and laid out as in the RSLC product, below /science/LSAR/detected.
#include <fmt/format.h>

#include "data/detected/detected_files.h"
#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/product_parts.h"

namespace cornerturn {
namespace {

std::string unit_of(Detection detection) {
    return detection == Detection::amplitude ? "1" : detection == Detection::power ? "1" : "dB";
}

class DetectedHdf5 final : public DetectedFile {
public:
    DetectedHdf5(const std::string& path, const Image& image, const DetectedOptions& options)
        : options_(options),
          cells_(multilooked_grid(image.grid, options.looks.looks)),
          file_(path, static_cast<std::uint64_t>(cells_.rows * cells_.columns) * bytes() + (1u << 20)) {
        const std::string band = "/science/" + image.acquisition.band, product = band + "/detected",
                          swaths = product + "/swaths";
        const std::string frequency = fmt::format("{}/frequency{}", swaths, image.acquisition.frequency);
        dataset_ = fmt::format("{}/{}", frequency, image.acquisition.polarization);
        write_axes(swaths, frequency, image);
        write_samples();
        write_record(product + "/metadata/processingInformation", image);
        Acquisition acquisition = image.acquisition;
        acquisition.first_pulse_time_s = cells_.first_time_s;
        const double last_s = cells_.last_time_s();
        if (acquisition.orbit)
            write_orbit(file_, product + "/metadata/orbit", acquisition, {cells_.first_time_s, last_s});
        write_identification(
            file_, band + "/identification", acquisition,
            {.type = "detected", .level = "L1", .first_time_s = cells_.first_time_s, .last_time_s = last_s});
    }

    void write(std::int64_t first_row, std::span<const float> power) override {
        const auto put = [&](const auto& values) {
            file_.write_rows(data_, first_row, static_cast<std::int64_t>(power.size()) / cells_.columns, values.data());
        };
        switch (options_.type) {
            case StoredAs::float32: return put(stored_values<float>(power, options_));
            case StoredAs::uint8: return put(stored_values<std::uint8_t>(power, options_));
            case StoredAs::uint16: return put(stored_values<std::uint16_t>(power, options_));
        }
    }
    void commit() override {
        data_ = {};
        file_.commit();
    }

private:
    std::uint64_t bytes() const {
        return options_.type == StoredAs::float32 ? 4 : options_.type == StoredAs::uint16 ? 2 : 1;
    }
    hid_t type() const {
        return options_.type == StoredAs::float32  ? h5::stored_type(float{})
               : options_.type == StoredAs::uint16 ? h5::stored_type(std::uint16_t{})
                                                   : h5::stored_type(std::uint8_t{});
    }

    void write_axes(const std::string& swaths, const std::string& frequency, const Image& image) {
        write_row_times(file_, swaths, cells_, image.acquisition.epoch, "Middle of each row of cells");
        write_column_ranges(file_, frequency, cells_, "Middle of each column of cells");
        file_.number(frequency + "/processedCenterFrequency", image.acquisition.carrier_hz, "Hz");
        file_.number(frequency + "/numberOfLooksAzimuth", options_.looks.looks.azimuth, "1");
        file_.number(frequency + "/numberOfLooksRange", options_.looks.looks.range, "1");
    }

    void write_samples() {
        data_ = file_.chunked(dataset_, type(), cells_.rows, cells_.columns,
                              h5::strips_of(cells_.rows, cells_.columns, bytes()));
        file_.attribute(dataset_, "units", unit_of(options_.detection));
        file_.attribute(dataset_, "description", detected_description(options_));
        if (options_.type == StoredAs::float32) return;
        file_.attribute(dataset_, "scale_factor", options_.scale.scale);  // as netCDF's conventions (CF 8.1) have it
        file_.attribute(dataset_, "add_offset", options_.scale.offset);
        const std::uint16_t nothing = 0;
        if (options_.type == StoredAs::uint8)
            file_.attribute(dataset_, "_FillValue", static_cast<std::uint8_t>(nothing));
        else
            file_.attribute(dataset_, "_FillValue", nothing);
    }

    void write_record(const std::string& group, const Image& image) {
        const MultilookOptions& looks = options_.looks;
        const bool bands = looks.domain == LookDomain::frequency;
        file_.text(group + "/looksTaken", bands ? "parts of the processed band" : "neighbouring samples");
        if (bands) {
            file_.number(group + "/lookOverlap", looks.overlap, "1", "Of each part of the band with the next one");
            file_.text(group + "/azimuthLookWindow", looks.azimuth_window.name());
            file_.text(group + "/rangeLookWindow", looks.range_window.name());
        }
        file_.text(group + "/inputs", options_.source);
        file_.text(group + "/algorithm", image.processing.algorithm);
        file_.text(group + "/softwareVersion", image.processing.software);
        file_.number(group + "/sceneHeight", image.processing.scene_height_m, "meters");
    }

    DetectedOptions options_;
    ImageGrid cells_;
    h5::Writer file_;
    std::string dataset_;
    h5::Dataset data_;
};

}  // namespace

std::unique_ptr<DetectedFile> create_detected_hdf5(const std::string& path, const Image& image,
                                                   const DetectedOptions& options) {
    return std::make_unique<DetectedHdf5>(path, image, options);
}

}  // namespace cornerturn
