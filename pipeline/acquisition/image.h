// SPDX-License-Identifier: Apache-2.0
// The focused single-look complex image with its axes and the record of how it was made.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/passes/echo_format.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/autofocus_record.h"
#include "pipeline/acquisition/map_grid.h"
#include "pipeline/acquisition/radiometry.h"
#include "pipeline/acquisition/window.h"

namespace cornerturn {

/// Zero-Doppler grid: row i lies at zero-Doppler time first_time_s + i * time_spacing_s, column k at slant range
/// near_range_m + k * range_spacing_m.
struct ImageGrid {
    std::int64_t rows = 0;     ///< azimuth
    std::int64_t columns = 0;  ///< range
    double first_time_s = 0;   ///< since the acquisition's epoch
    double time_spacing_s = 0;
    double near_range_m = 0;
    double range_spacing_m = 0;

    /// Whether times and ranges are known; of images that other programs wrote they may not be.
    bool has_axes() const { return time_spacing_s > 0 && range_spacing_m > 0; }
    std::size_t pixels() const { return static_cast<std::size_t>(rows * columns); }
    double time_s(double row) const { return first_time_s + row * time_spacing_s; }
    double range_m(double column) const { return near_range_m + column * range_spacing_m; }
    double last_time_s() const { return time_s(static_cast<double>(rows - 1)); }
    double far_range_m() const { return range_m(static_cast<double>(columns - 1)); }
    friend bool operator==(const ImageGrid&, const ImageGrid&) = default;
};

/// Of images whose pulses were all summed, each from its own position, on a map.
inline constexpr const char* velocity_of_all_pulses = "positions";

/// How an image was processed; written into the product, read back by analyze.
struct ProcessingRecord {
    std::string algorithm = "rda";
    std::string forced_over = {};    ///< why the algorithm does not hold, where it was forced; empty: it holds
    double doppler_centroid_hz = 0;  ///< absolute, in the middle of the scene
    /// Over zero-Doppler time (since the epoch) and slant range, where it is known for all places.
    std::optional<DopplerSurface> doppler_surface_hz = {};
    std::string doppler_source = "option";       ///< "option", "file", "estimated ..."
    std::vector<double> effective_velocity_m_s;  ///< one for each image column
    std::string velocity_source = "option";      ///< "option", "file", "orbit", or velocity_of_all_pulses
    double range_bandwidth_hz = 0;               ///< processed
    double azimuth_bandwidth_hz = 0;             ///< processed
    Window range_window;
    Window azimuth_window;
    double scene_height_m = 0;                      ///< of the middle, above the ellipsoid or the map's plane
    std::string terrain = {};                       ///< what all other heights came from; empty: they are the same
    std::optional<AutofocusRecord> autofocus = {};  ///< where it was asked for
    std::string software;                           ///< "cornerturn X.Y.Z"
    std::string processed_at = {};                  ///< UTC, "YYYY-MM-DDThh:mm:ss"; empty: not told

    bool sums_all_pulses() const { return velocity_source == velocity_of_all_pulses; }
    double doppler_hz(double zero_doppler_time_s, double range_m) const {
        return doppler_surface_hz ? (*doppler_surface_hz)(zero_doppler_time_s, range_m) : doppler_centroid_hz;
    }
};

/// A focused image of grid.rows x grid.columns complex64 samples, packed, row = azimuth. Phase of a point: exp(-j 4 pi
/// R0 / lambda), on a map its own.
struct Image {
    Acquisition acquisition;  ///< of the echo; its decoding tables may be empty here
    ImageGrid grid;
    ProcessingRecord processing;
    std::vector<Interval>
        valid_columns;  ///< [row * intervals_per_row + k]: fully compressed columns [first, last); empty: all of them
    int intervals_per_row = 1;  ///< sub-swaths; a column is valid if one of its row's intervals holds it
    std::vector<std::complex<float>> samples;
    std::optional<MapGrid> map = {};            ///< where it lies on one: then the grid's axes mean nothing
    std::optional<Radiometry> radiometry = {};  ///< where a file tells a calibration

    /// Whether one interval of a row holds all of these columns.
    bool valid(std::int64_t row, const Interval& columns) const {
        if (valid_columns.empty()) return true;
        const auto count = static_cast<std::ptrdiff_t>(intervals_per_row);
        const auto first = valid_columns.begin() + row * count;
        return std::any_of(first, first + count,
                           [&](const Interval& i) { return i.first <= columns.first && columns.last <= i.last; });
    }
};

}  // namespace cornerturn
