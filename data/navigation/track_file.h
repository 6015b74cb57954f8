// SPDX-License-Identifier: Apache-2.0
// Tracks of navigation units: CSV with a header, or HDF5 with datasets of the same names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/nisar/epoch.h"
#include "pipeline/acquisition/track/navigation.h"

namespace cornerturn {

struct TrackFile {
    NavigationTrack track;       ///< its times since the epoch below, or where there is none that of any echo
    std::optional<Epoch> epoch;  ///< of times that are absolute

    /// With times since an echo's epoch (ISO 8601).
    NavigationTrack since(const std::string& epoch) const;
};

/// Opens a file of either kind; its first bytes tell which. Columns, in any order:
///     time_s (since the echo's epoch; in HDF5 since that of an attribute `units`, if there is one), or utc (ISO 8601)
///     x_m, y_m, z_m (ECEF), or latitude_deg, longitude_deg, height_m, or east_m, north_m, up_m
///     vx_m_s, vy_m_s, vz_m_s beside the first, east_m_s, north_m_s, up_m_s beside the others; may be missing
///     roll_deg, pitch_deg, yaw_deg, or qw, qx, qy, qz; may be missing
/// Others are left out, of which `remarks` are told. Of a raw echo or an image the state vectors are taken. Throws
/// InputError naming file, line or dataset, what was found and what was expected.
TrackFile read_track(const std::string& path, std::vector<std::string>& remarks);

/// What a file of either kind holds, by names.
struct TrackColumns {
    std::map<std::string, std::vector<double>, std::less<>> numbers;  ///< all as long as times
    std::optional<Epoch> epoch;                                       ///< of the times, where they are absolute
    std::vector<std::string> others;                                  ///< names that mean nothing here
};
/// Whether it is that of a column of numbers.
bool is_track_column(std::string_view name);
inline constexpr const char* track_time_column = "time_s";

TrackColumns read_csv_track(const std::string& path);
TrackColumns read_hdf5_track(const std::string& path);

}  // namespace cornerturn
