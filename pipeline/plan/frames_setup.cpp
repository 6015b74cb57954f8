// SPDX-License-Identifier: Apache-2.0
// Frames whose images go into one file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/errors.h"
#include "pipeline/plan/focus_setup.h"

namespace cornerturn {
namespace {

/// The images of several frames on one zero-Doppler axis.
void align_rows(Device& device, std::span<const Acquisition* const> frames, const FocusOptions& options,
                std::vector<FocusSetup>& setups) {
    const Acquisition& first = *frames[0];
    double begin_s = INFINITY, end_s = -INFINITY;
    for (std::size_t i = 0; i < setups.size(); ++i) {
        const Acquisition& frame = *frames[i];
        const ImageGrid& grid = setups[i].image.grid;
        const ImageGrid& first_grid = setups[0].image.grid;
        const double rows_apart = (grid.first_time_s - first_grid.first_time_s) / first_grid.time_spacing_s;
        const double drift_lines = static_cast<double>(grid.rows) * (frame.prf_hz / first.prf_hz - 1);
        constexpr double tolerance_lines = 1e-3;
        if (frame.epoch != first.epoch || std::abs(rows_apart - std::round(rows_apart)) > tolerance_lines ||
            std::abs(drift_lines) > tolerance_lines)
            throw InputError(fmt::format(
                "{} has its pulses at other times than {} (PRF {:.6f} and {:.6f} Hz, first pulse {:.9f} s after {} and "
                "{:.9f} s after {}): their images do not share one time axis; focus them into files of their own",
                frame_name(frame), frame_name(first), frame.prf_hz, first.prf_hz, frame.first_pulse_time_s, frame.epoch,
                first.first_pulse_time_s, first.epoch));
        if (const double ours = setups[i].image.parameters.rows_per_pulse,
            theirs = setups[0].image.parameters.rows_per_pulse;
            ours != theirs)
            throw InputError(
                fmt::format("{} needs {:g} rows for each pulse, {} {:g}, as their beams fill the PRF unlike: their "
                            "images do not share one time axis; focus them into files of their own",
                            frame_name(frame), ours, frame_name(first), theirs));
        begin_s = std::min(begin_s, grid.first_time_s);
        end_s = std::max(end_s, grid.time_s(static_cast<double>(grid.rows)));
    }
    const std::int64_t rows = std::llround((end_s - begin_s) / setups[0].image.grid.time_spacing_s);
    for (std::size_t i = 0; i < setups.size(); ++i) {
        const ImageGrid& grid = setups[i].image.grid;
        if (grid.first_time_s == begin_s && grid.rows == rows) continue;
        setups[i].image = with_rows(setups[i].image, begin_s, rows);
        plan_steps(device, *frames[i], options_of_frame(options, i), setups[i]);
    }
}

void check_columns(std::span<const Acquisition* const> frames, const std::vector<FocusSetup>& setups) {
    for (std::size_t i = 0; i < frames.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const Acquisition &a = *frames[k], &b = *frames[i];
            const ImageGrid &p = setups[k].image.grid, &q = setups[i].image.grid;
            if (a.frequency != b.frequency) continue;
            if (p.columns != q.columns || p.near_range_m != q.near_range_m || p.range_spacing_m != q.range_spacing_m)
                throw InputError(
                    fmt::format("{} has other slant ranges than {} ({} and {} columns from {:.3f} and {:.3f} m): their "
                                "images do not share one range axis; focus them into files of their own",
                                frame_name(b), frame_name(a), q.columns, p.columns, q.near_range_m, p.near_range_m));
        }
}

}  // namespace

std::string frame_name(const Acquisition& acquisition) {
    return fmt::format("frequency {} {}", acquisition.frequency, acquisition.polarization);
}

std::vector<FocusSetup> set_up_frames(Device& device, std::span<const Acquisition* const> frames,
                                      const FocusOptions& options) {
    if (frames.empty()) throw std::logic_error("no frame to focus");
    std::vector<FocusSetup> setups{set_up_focus(device, *frames[0], options_of_frame(options, 0))};
    const Acquisition& first = *frames[0];
    const DopplerChoice doppler = setups[0].doppler;
    for (const Acquisition* frame : frames.subspan(1)) {
        FocusOptions same = options_beside(first, doppler, *frame, options_of_frame(options, setups.size()));
        if (options.map) same.map = MapRequest{.projection = {}, .spacing_m = 0, .grid = setups[0].image.map->grid};
        setups.push_back(set_up_focus(device, *frame, same));
        DopplerChoice& of_frame = setups.back().doppler;
        of_frame.origin = doppler.origin;
        if (options.velocity_from == ParameterSource::data)
            setups.back().velocity_source = fmt::format("{} (of {})", setups[0].velocity_source, frame_name(first));
        if (doppler.origin != DopplerOrigin::file)
            of_frame.source = fmt::format("{} (of {})", doppler.source, frame_name(first));
    }
    if (frames.size() == 1 || options.map) return setups;
    align_rows(device, frames, options, setups);
    check_columns(frames, setups);
    return setups;
}

}  // namespace cornerturn
