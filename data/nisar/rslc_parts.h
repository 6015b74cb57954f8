// SPDX-License-Identifier: Apache-2.0
// The groups of an RSLC file around its samples, each written in a file of its own.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/surface_table.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// What a finished file holds of a frequency.
struct RslcContents {
    std::string frequency;
    double range_bandwidth_hz = 0;
    std::vector<std::string> polarizations = {};
};

/// Over the image, for tables of what changes slowly.
struct CoarseGrid {
    static constexpr std::size_t times = 6, ranges = 33;
    std::vector<double> rows, columns, time_s, range_m;

    explicit CoarseGrid(const ImageGrid& grid)
        : rows(evenly(0, static_cast<double>(std::max<std::int64_t>(grid.rows - 1, 1)), times)),
          columns(evenly(0, static_cast<double>(std::max<std::int64_t>(grid.columns - 1, 1)), ranges)) {
        for (const double row : rows) time_s.push_back(grid.time_s(row));
        for (const double column : columns) range_m.push_back(grid.range_m(column));
    }
};

/// Who took it, when, which part of the Earth it shows, and what the file is called by: below
/// /science/LSAR/identification. `first`: the image that the file began with.
void write_rslc_identification(h5::Writer& file, const std::string& group, const Image& first,
                               const std::vector<RslcContents>& contents);
/// NISAR's naming of granules, the mission's first five letters in place of its own; X where something is not known.
std::string granule_id(const Image& first, const std::vector<RslcContents>& contents);
/// The image's outline in WKT with three coordinates; empty without an orbit or where it does not reach the ground.
std::string bounding_polygon(const Image& image);

/// Of what was processed in azimuth, the band that the beam fills: what a spectrum of the image shows.
double filled_azimuth_band_hz(const Image& image);
/// Columns, scalars and valid columns of a frequency.
void write_swath(h5::Writer& file, const std::string& frequency, const Image& image);

/// Below metadata/processingInformation: what the file holds once.
void write_algorithms(h5::Writer& file, const std::string& processing, const Image& image);
/// The same of a frequency; `first`: with what the file holds once, in the first one's place.
void write_processing(h5::Writer& file, const std::string& processing, const Image& image, bool first);

/// Places and angles over height, zero-Doppler time and slant range; nothing without an orbit.
void write_geolocation_grid(h5::Writer& file, const std::string& group, const Image& image);
/// In the description of tables that no calibration stands behind.
inline constexpr const char* not_calibrated = "not calibrated";
/// Tables over zero-Doppler time and slant range of what brightness means: by the calibration that the image's file
/// told, else what the geometry does to it; nothing without an orbit.
void write_calibration(h5::Writer& file, const std::string& group, const Image& image);

}  // namespace cornerturn
