// SPDX-License-Identifier: Apache-2.0
// What raw and focused products have in common: identification, orbit, attitude, the truth of simulated scenes, time
// axes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/epoch.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// Things a user should hear about that do not stop the work.
using Warnings = std::vector<std::string>;

/// The reference time of a time axis; none without a units attribute. Throws InputError if there is one that cannot be
/// read.
std::optional<Epoch> read_axis_epoch(const h5::Reader& file, const std::string& path);
/// Times in seconds since another epoch, on an axis that may have one of its own.
std::vector<double> read_times(const h5::Reader& file, const std::string& path, const Epoch& reference);
/// Seconds since an epoch, as text for a units attribute.
std::string time_units(const std::string& epoch);
/// The epoch of an acquisition. Throws std::logic_error if it is no time.
Epoch epoch_of(const Acquisition& acquisition);

Identification read_identification(const h5::Reader& file, const std::string& group, Warnings& warnings);
/// Attributes of the whole file, as netCDF's conventions have them; `product`: "L1 RSLC".
void write_title(h5::Writer& file, const char* product, const Image& image);

/// What is left of a product's identification: type, times of the first and last line, frequency.
struct ProductIdentity {
    std::string type;   ///< RRSD or RSLC
    std::string level;  ///< L0B or L1
    double first_time_s = 0;
    double last_time_s = 0;
    std::vector<std::string> frequencies = {};  ///< empty: the acquisition's
    std::string bounding_polygon = {};          ///< empty: the acquisition's
    bool geocoded = false;
};
void write_identification(h5::Writer& file, const std::string& group, const Acquisition& acquisition,
                          const ProductIdentity& product);

/// A ring of places as WKT with three coordinates; "" for none.
std::string polygon_text(std::span<const Geographic> ring);

/// None if the group is missing or was marked as synthetic by write_orbit, or if its frame is a local one. Times are
/// turned to `reference`.
std::optional<Orbit> read_orbit(const h5::Reader& file, const std::string& group, const Epoch& reference);
/// The same group where its attribute `frame` is "local": positions in a frame of the scene's own, x and y level, z up,
/// that stands still with the targets.
std::optional<Orbit> read_local_track(const h5::Reader& file, const std::string& group, const Epoch& reference);
std::optional<Attitude> read_attitude(const h5::Reader& file, const std::string& group, const Epoch& reference);

/// State vectors that cover a time span. Other software insists on an orbit: where the acquisition has none, a straight
/// track at its effective velocity is written and marked as synthetic. The same for the attitude (no rotation).
void write_orbit(h5::Writer& file, const std::string& group, const Acquisition& acquisition, const TimeSpan& span);
void write_attitude(h5::Writer& file, const std::string& group, const Acquisition& acquisition, const TimeSpan& span);

std::vector<PointTarget> read_truth(const h5::Reader& file, const std::string& group, const Epoch& reference);
/// The phase error of a simulated echo, below the product's group.
inline constexpr const char* l0b_true_phase_error = "/metadata/simulation/phaseError";
/// Nothing is written for an empty list.
void write_truth(h5::Writer& file, const std::string& group, const Acquisition& acquisition);

/// The axes of an image on the zero-Doppler grid: zeroDopplerTime and slantRange, with their spacing.
void write_row_times(h5::Writer& file, const std::string& group, const ImageGrid& grid, const std::string& epoch,
                     const std::string& description = "");
void write_column_ranges(h5::Writer& file, const std::string& group, const ImageGrid& grid,
                         const std::string& description = "");

}  // namespace cornerturn
