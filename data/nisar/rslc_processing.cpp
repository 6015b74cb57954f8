// SPDX-License-Identifier: Apache-2.0
// metadata/processingInformation of an RSLC file: the methods by name, windows, and tables over time and range.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/nisar/rslc_parts.h"
#include "data/nisar/rslc_record.h"
#include "data/nisar/surface_table.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/formers/former.h"

namespace cornerturn {
namespace {

/// The same row of values at every time.
std::vector<double> repeated(const std::vector<double>& row) {
    std::vector<double> values;
    for (std::size_t i = 0; i < CoarseGrid::times; ++i) values.insert(values.end(), row.begin(), row.end());
    return values;
}

/// Effective velocity at a range, linear between columns.
double velocity_at(const Image& image, double range_m) {
    const std::vector<double>& velocity = image.processing.effective_velocity_m_s;
    const double column = std::clamp((range_m - image.grid.near_range_m) / image.grid.range_spacing_m, 0.0,
                                     static_cast<double>(velocity.size() - 1));
    const auto below = static_cast<std::size_t>(column), above = std::min(below + 1, velocity.size() - 1);
    const double fraction = column - static_cast<double>(below);
    return (1 - fraction) * velocity[below] + fraction * velocity[above];
}

/// `common`: also what the file holds once for all frequencies.
void write_tables(h5::Writer& file, const std::string& parameters, const Image& image, bool common) {
    const Acquisition& acquisition = image.acquisition;
    const ProcessingRecord& record = image.processing;
    const CoarseGrid coarse(image.grid);
    const std::string frequency = fmt::format("{}/frequency{}", parameters, acquisition.frequency);
    if (common) {
        write_table_axes(file, parameters, coarse.time_s, coarse.range_m, acquisition.epoch);
        file.numbers(parameters + "/referenceTerrainHeight",
                     std::vector<float>(CoarseGrid::times, static_cast<float>(record.scene_height_m)), "meters",
                     "Over zeroDopplerTime");
    }
    write_table_axes(file, frequency, coarse.time_s, coarse.range_m, acquisition.epoch);
    std::vector<double> centroid;
    for (const double time_s : coarse.time_s)
        for (const double range_m : coarse.range_m) centroid.push_back(record.doppler_hz(time_s, range_m));
    file.table(frequency + "/dopplerCentroid", centroid, CoarseGrid::ranges, "Hz", "Absolute, not wrapped to the PRF");
    if (record.effective_velocity_m_s.empty()) return;
    std::vector<double> velocity, fm_rate;
    for (const double range : coarse.range_m) {
        const double v = velocity_at(image, range);
        const double factor = migration_factor(record.doppler_centroid_hz, v, acquisition.wavelength_m());
        velocity.push_back(v);
        fm_rate.push_back(-azimuth_fm_rate_hz_s(range, factor, v,
                                                acquisition.wavelength_m()));  // frequency falls as the target passes
    }
    if (common)
        file.table(parameters + "/effectiveVelocity", repeated(velocity), CoarseGrid::ranges, "meters / second");
    file.table(frequency + "/azimuthFMRate", repeated(fm_rate), CoarseGrid::ranges, "Hz / second",
               "At the Doppler centroid");
}

/// Names and shapes as NISAR has them, of which none is a Kaiser window of shape 0 and Hamming's a raised cosine on a
/// pedestal.
std::pair<std::string, double> name_and_shape(const Window& window) {
    switch (window.kind) {
        case Window::Kind::none: return {"kaiser", 0};
        case Window::Kind::kaiser: return {"kaiser", window.beta};
        case Window::Kind::hamming: return {"cosine", 0.08};
        case Window::Kind::taylor: return {"taylor", window.sidelobe_db};
    }
    return {};
}

/// A window, the band that it is laid over, and what of it there is a signal in, of all that is sampled.
struct Weighting {
    Window window;
    double band_hz, filled_hz, sampled_hz;
};

/// Over as many bins as NISAR has; zero where there is no signal.
void write_window(h5::Writer& file, const std::string& path, const Weighting& weighting, const char* of) {
    constexpr int bins = 256;
    std::vector<float> weights(bins, 0.0F);
    for (int i = 0; i < bins; ++i) {
        const double f_hz = (i - bins / 2) * weighting.sampled_hz / bins;
        if (std::abs(f_hz) <= weighting.filled_hz / 2)
            weights[static_cast<std::size_t>(i)] = static_cast<float>(weighting.window(f_hz / weighting.band_hz));
    }
    file.numbers(path, weights, "1",
                 fmt::format("{} over {:.9g} Hz; {} frequencies from -{:.9g} Hz up, about the middle of the band",
                             weighting.window.name(), weighting.band_hz, of, weighting.sampled_hz / 2));
    const auto [name, shape] = name_and_shape(weighting.window);
    file.attribute(path, "window_name", name);
    file.attribute(path, "window_shape", shape);
}

void write_windows(h5::Writer& file, const std::string& group, const Image& image) {
    const ProcessingRecord& record = image.processing;
    write_window(file, group + "/rangeChirpWeighting",
                 {.window = record.range_window,
                  .band_hz = record.range_bandwidth_hz,
                  .filled_hz = record.range_bandwidth_hz,
                  .sampled_hz = speed_of_light_m_s / (2 * image.grid.range_spacing_m)},
                 "range");
    write_window(file, group + "/azimuthChirpWeighting",
                 {.window = record.azimuth_window,
                  .band_hz = record.azimuth_bandwidth_hz,
                  .filled_hz = filled_azimuth_band_hz(image),
                  .sampled_hz = 1 / image.grid.time_spacing_s},
                 "azimuth");
}

}  // namespace

void write_algorithms(h5::Writer& file, const std::string& processing, const Image& image) {
    const ProcessingRecord& record = image.processing;
    const auto text = [&](const char* name, const std::string& value) {
        file.text(fmt::format("{}/algorithms/{}", processing, name), value);
    };
    text("imageFormation", record.algorithm);
    text("softwareVersion", record.software);
    text("rangeCompression", "matched filter by FFT");
    const Former* former = find_former(record.algorithm);
    text("azimuthCompression", former != nullptr ? std::string(former->title) : record.algorithm);
    text("azimuthPresumming", image.acquisition.identification.dithered ? "BLU" : "disabled");
    text("dopplerCentroidEstimation", record.doppler_source);
    text("demInterpolation", record.terrain.empty() ? "disabled" : "smooth surface through the heights at the pixels");
    text("autofocus", std::string(title_of(record.autofocus ? record.autofocus->method : Autofocus::none)));
    for (const char* none :
         {"elevationAntennaPatternCorrection", "rangeSpreadingLossCorrection", "rfiDetection", "rfiMitigation"})
        text(none, "disabled");
    file.text(processing + "/inputs/demSource", record.terrain.empty() ? "NONE" : record.terrain);
}

void write_processing(h5::Writer& file, const std::string& processing, const Image& image, bool first) {
    const std::string parameters = processing + "/parameters", frequency = image.acquisition.frequency;
    write_tables(file, parameters, image, first);
    if (first) write_windows(file, parameters, image);
    write_windows(file, fmt::format("{}/frequency{}", parameters, frequency), image);
    write_own_groups(file, processing, image, first);
}

}  // namespace cornerturn
