// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/frame_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/errors.h"
#include "kernels/math/chebyshev.h"
#include "pipeline/acquisition/surface_fit.h"
#include "pipeline/acquisition/track_offset.h"

namespace cornerturn {
namespace {

/// The zero-Doppler grid of an image, or the one that covers its map.
const ImageGrid& seen_grid(const FocusSetup& setup) {
    return setup.image.map ? setup.image.map->seen : setup.image.grid;
}
bool has_zero_doppler(const FocusSetup& setup) { return !setup.image.map || !setup.image.map->free_track; }

/// Height of the ground in the middle of an image.
double middle_height_m(const FocusSetup& setup) {
    if (setup.image.map) {
        const MapGrid& grid = setup.image.map->grid;
        const MapPoint middle{grid.x(0.5 * static_cast<double>(grid.columns - 1)),
                              grid.y(0.5 * static_cast<double>(grid.rows - 1))};
        return setup.image.map->ground->smooth_height_m(middle) + setup.image.map->ground->relief_m(middle);
    }
    const ImageGrid& grid = setup.image.grid;
    return setup.height_m(grid.time_s(0.5 * static_cast<double>(grid.rows - 1)),
                          grid.range_m(0.5 * static_cast<double>(grid.columns - 1)));
}

/// Where the beam's centre lies on the pixels of an image, as frequencies along its rows.
DopplerSurface doppler_of_image(const FocusSetup& setup) {
    constexpr int times = 5, ranges = 6;
    const ImageGrid& grid = seen_grid(setup);
    const double last_row = static_cast<double>(std::max<std::int64_t>(2, grid.rows) - 1),
                 last_column = static_cast<double>(std::max<std::int64_t>(2, grid.columns) - 1);
    const SmoothSurface frame{.x_centre = grid.time_s(0.5 * last_row),
                              .x_half = 0.5 * last_row * grid.time_spacing_s,
                              .y_centre = grid.range_m(0.5 * last_column),
                              .y_half = 0.5 * last_column * grid.range_spacing_m};
    std::vector<SurfacePoint> points;
    for (const double u : chebyshev_points(-1, 1, times))
        for (const double v : chebyshev_points(-1, 1, ranges)) {
            const double time_s = frame.x_centre + u * frame.x_half, range_m = frame.y_centre + v * frame.y_half;
            const BeamCentre beam = setup.geometry->beam_centre(time_s, range_m);
            points.push_back({.x = time_s, .y = range_m, .value = beam.centroid_hz});
        }
    return fit_surface(DopplerSurface(frame, setup.doppler.surface_hz.nadir_m), powers_up_to(3, 3), points);
}

ProcessingRecord processing_record(const Acquisition& acquisition, const FocusOptions& options,
                                   const FocusSetup& setup) {
    return {.algorithm = setup.algorithm,
            .forced_over = setup.forced_over,
            .doppler_centroid_hz = setup.doppler.centroid_hz,
            .doppler_surface_hz = has_zero_doppler(setup) ? std::optional(doppler_of_image(setup)) : std::nullopt,
            .doppler_source = setup.doppler.source,
            .effective_velocity_m_s = setup.image.map ? std::vector<double>{} : setup.image.velocity_m_s,
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

bool is_finite(float value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

/// Over all values without a branch, so that it becomes vector code: each row of an image passes through here.
bool all_finite(std::span<const std::complex<float>> row) {
    const float* values = reinterpret_cast<const float*>(row.data());
    int bad = 0;
    for (std::size_t i = 0; i < 2 * row.size(); ++i) bad |= is_finite(values[i]) ? 0 : 1;
    return bad == 0;
}

}  // namespace

std::string frame_name(const Acquisition& acquisition) {
    return fmt::format("frequency {} {}", acquisition.frequency, acquisition.polarization);
}

FocusOptions options_of_frame(FocusOptions options, std::size_t frame) {
    if (frame < options.block_rows_of_frames.size()) options.memory.block_rows = options.block_rows_of_frames[frame];
    return options;
}

Acquisition without_tables(Acquisition acquisition) {
    acquisition.decoding = {};
    acquisition.line_phase_cycles.clear();
    acquisition.true_phase_error_rad.clear();
    return acquisition;
}

bool has_floating_point_samples(const Acquisition& acquisition) {
    return acquisition.format != SampleFormat::int8 && acquisition.format != SampleFormat::int16;
}

Image image_header(const Acquisition& frame, const FocusOptions& options, const FocusSetup& setup) {
    return {.acquisition = acquisition_of_image(frame, setup),
            .grid = setup.image.grid,
            .processing = processing_record(frame, options, setup),
            .valid_columns = setup.image.valid_columns,
            .intervals_per_row = setup.image.intervals_per_row,
            .samples = {},
            .map = setup.image.map ? std::optional(setup.image.map->grid) : std::nullopt};
}

Algorithm algorithm_of(const Acquisition& frame, const FocusSetup& setup, std::size_t number) {
    const AzimuthBlock& block = setup.memory.blocks[number];
    return formation_of(former_named(setup.algorithm), slice_of(frame, block.first_line, block.lines),
                        setup.image_of(frame, number), block)
        .algorithm;
}

void check_finite(std::span<const std::complex<float>> rows, std::int64_t first_row, std::int64_t columns,
                  const Acquisition& frame) {
    if (all_finite(rows)) return;
    const auto bad =
        std::find_if(rows.begin(), rows.end(), [](auto v) { return !is_finite(v.real()) || !is_finite(v.imag()); });
    const std::int64_t at = bad - rows.begin();
    throw DeviceError(
        fmt::format("image of {}: row {}, column {} is {} + {}j, no finite number; nothing is written. Echo samples "
                    "near the end of "
                    "floating point (1e38) overflow: scale them down; if yours are far below, please report it with "
                    "what `cornerturn info` "
                    "and `cornerturn focus --dry-run` print",
                    frame_name(frame), first_row + at / columns, at % columns, bad->real(), bad->imag()));
}

std::size_t blocks_there(const std::vector<AzimuthBlock>& blocks, std::int64_t rows) {
    std::size_t count = 0;
    while (count < blocks.size() && blocks[count].first_row + blocks[count].rows <= rows) ++count;
    return count;
}

std::int64_t lines_counted(const std::vector<AzimuthBlock>& blocks, std::size_t block, std::size_t first) {
    return block > first ? blocks[block - 1].first_line + blocks[block - 1].lines : 0;
}

void begin_report(const Acquisition& frame, FocusSetup setup, FocusReport& report) {
    report.acquisition = without_tables(frame);
    report.setup = std::move(setup);
    report.warnings.insert(report.warnings.begin(), report.setup.warnings.begin(), report.setup.warnings.end());
}

void add_doubts(FocusReport& report) {
    if (report.non_finite_samples.value_or(0) > 0)
        report.warnings.push_back(
            fmt::format("{} samples of the echo are not finite; taken as zero", *report.non_finite_samples));
}

double FocusReport::busy_s(std::string_view part) const {
    double sum = 0;
    for (const StageTime& stage : stages) {
        if (stage.busy.empty() && part == "compute" && stage.name != "set_up") sum += stage.seconds;
        for (const BusyTime& busy : stage.busy)
            if (busy.part == part) sum += busy.seconds;
    }
    return sum;
}

void FocusReport::add(StageTime more) {
    const auto known =
        std::find_if(stages.begin(), stages.end(), [&](const StageTime& stage) { return stage.name == more.name; });
    if (known == stages.end()) {
        stages.push_back(std::move(more));
        return;
    }
    known->seconds += more.seconds;
    for (BusyTime& busy : more.busy) {
        const auto part = std::find_if(known->busy.begin(), known->busy.end(),
                                       [&](const BusyTime& there) { return there.part == busy.part; });
        if (part == known->busy.end())
            known->busy.push_back(std::move(busy));
        else
            part->seconds += busy.seconds;
    }
}

}  // namespace cornerturn
