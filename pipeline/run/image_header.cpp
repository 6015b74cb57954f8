// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/image_header.h"

#include "pipeline/acquisition/track/track_offset.h"

namespace cornerturn {
namespace {

/// Height of the ground in the middle of an image.
double middle_height_m(const FocusSetup& setup) {
    if (setup.image.map) {
        const MapPoint middle = setup.image.map->middle;
        return setup.image.map->ground->smooth_height_m(middle) + setup.image.map->ground->relief_m(middle);
    }
    const ImageGrid& grid = setup.image.grid;
    return setup.height_m(grid.time_s(0.5 * static_cast<double>(grid.rows - 1)),
                          grid.range_m(0.5 * static_cast<double>(grid.columns - 1)));
}

ProcessingRecord processing_record(const Acquisition& acquisition, const FocusOptions& options,
                                   const FocusSetup& setup) {
    return {.algorithm = setup.algorithm,
            .forced_over = setup.forced_over,
            .doppler_centroid_hz = setup.doppler.centroid_hz,
            .doppler_surface_hz = setup.image_doppler_hz,
            .doppler_source = setup.doppler.source,
            .effective_velocity_m_s = setup.image.map ? std::vector<double>{} : velocities_m_s(setup.image),
            .velocity_source = setup.velocity_source,
            .range_bandwidth_hz = acquisition.chirp.bandwidth_hz(),
            .azimuth_bandwidth_hz = setup.image.parameters.azimuth_bandwidth_hz,
            .range_window = options.range_window,
            .azimuth_window = options.azimuth_window,
            .scene_height_m = middle_height_m(setup),
            .terrain = options.terrain ? options.terrain->name() : "",
            .autofocus = options.autofocused,
            .software = options.software,
            .processed_at = options.processed_at};
}

/// Of pulses when they left: an image's rows are zero Doppler of the track beside them, a map knows no rows.
Acquisition acquisition_of_image(const Acquisition& frame, const FocusSetup& setup) {
    Acquisition seen = frame;
    if (!frame.flown_beside) return seen;
    const Acquisition& flown = frame.flown_beside->flown();
    seen.first_pulse_time_s = flown.first_pulse_time_s;
    seen.pulse_times_s = flown.pulse_times_s;
    seen.flown_beside.reset();
    if (setup.image.map) {
        seen.orbit = flown.orbit;
        seen.truth = flown.truth;
    }
    return seen;
}

}  // namespace

Image image_header(const Acquisition& frame, const FocusOptions& options, const FocusSetup& setup) {
    return {.acquisition = acquisition_of_image(frame, setup),
            .grid = setup.image.grid,
            .processing = processing_record(frame, options, setup),
            .valid_columns = setup.image.coverage.valid.intervals,
            .intervals_per_row = setup.image.coverage.valid.intervals_per_row,
            .samples = {},
            .map = setup.image.map ? std::optional(setup.image.map->grid) : std::nullopt};
}

}  // namespace cornerturn
