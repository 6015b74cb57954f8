// SPDX-License-Identifier: Apache-2.0
// swaths of an RSLC file but for the samples: axes, scalars, which columns are valid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_parts.h"
#include "data/nisar/valid_intervals.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

struct CentreSpacing {
    double metres = 0;
    std::string how;
};

/// The ground below the middle of the image.
struct SceneCentre {
    StateVector platform;
    Vec3 ground_m{};
};

std::optional<SceneCentre> scene_centre(const Image& image) {
    const ImageGrid& grid = image.grid;
    if (!image.acquisition.orbit) return std::nullopt;
    const StateVector state =
        interpolate(*image.acquisition.orbit, grid.time_s(0.5 * static_cast<double>(grid.rows - 1)));
    const double range = grid.range_m(0.5 * static_cast<double>(grid.columns - 1));
    const GroundPoint point = zero_doppler_ground_point(state, range, image.acquisition.identification.look_side,
                                                        image.processing.scene_height_m);
    return point.on_ellipsoid ? std::optional(SceneCentre{state, point.position_m}) : std::nullopt;
}

CentreSpacing ground_spacing(const Image& image, const std::optional<SceneCentre>& centre) {
    const double angle = centre ? incidence_angle_rad(centre->platform.position_m, centre->ground_m) : 0;
    if (angle > degree)
        return {image.grid.range_spacing_m / std::sin(angle),
                fmt::format("For the incidence angle of {:.2f} degrees that the orbit gives at the scene's height",
                            angle / degree)};
    return {image.grid.range_spacing_m / std::sin(35 * degree),
            "No usable orbit: for an assumed incidence angle of 35 degrees"};
}

CentreSpacing along_track_spacing(const Image& image, const std::optional<SceneCentre>& centre) {
    const double step = image.grid.time_spacing_s;
    if (centre)
        return {step * norm(centre->platform.velocity_m_s) * norm(centre->ground_m) / norm(centre->platform.position_m),
                "Platform speed projected to the ground, times zeroDopplerTimeSpacing"};
    const auto& velocity = image.processing.effective_velocity_m_s;
    return {step * (velocity.empty() ? 0.0 : velocity[velocity.size() / 2]),
            "Effective velocity times zeroDopplerTimeSpacing"};
}

void write_scalars(h5::Writer& file, const std::string& frequency, const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    const auto hertz = [&](const char* name, double value) {
        file.number(fmt::format("{}/{}", frequency, name), value, "Hz");
    };
    hertz("acquiredCenterFrequency", acquisition.carrier_hz);
    hertz("processedCenterFrequency", acquisition.carrier_hz);
    hertz("acquiredRangeBandwidth", acquisition.chirp.bandwidth_hz());
    hertz("processedRangeBandwidth", image.processing.range_bandwidth_hz);
    file.number(frequency + "/processedAzimuthBandwidth", filled_azimuth_band_hz(image), "Hz",
                fmt::format("What the beam fills of the {:.9g} Hz that the filter passes",
                            image.processing.azimuth_bandwidth_hz));
    hertz("nominalAcquisitionPRF", acquisition.prf_hz);
    const auto centre = scene_centre(image);
    const CentreSpacing ground = ground_spacing(image, centre), track = along_track_spacing(image, centre);
    file.number(frequency + "/sceneCenterGroundRangeSpacing", ground.metres, "meters", ground.how);
    file.number(frequency + "/sceneCenterAlongTrackSpacing", track.metres, "meters", track.how);
}

}  // namespace

double filled_azimuth_band_hz(const Image& image) {
    const double processed_hz = image.processing.azimuth_bandwidth_hz;
    return std::min(processed_hz, image.acquisition.azimuth_bandwidth_hz.value_or(processed_hz));
}

void write_swath(h5::Writer& file, const std::string& frequency, const Image& image) {
    const ImageGrid& grid = image.grid;
    write_column_ranges(file, frequency, grid);
    write_scalars(file, frequency, image);
    write_valid_intervals(file, frequency,
                          {.intervals = image.valid_columns,
                           .per_row = image.intervals_per_row,
                           .rows = grid.rows,
                           .columns = grid.columns},
                          "First and one past the last fully compressed column of each row; 0, 0: none");
}

}  // namespace cornerturn
