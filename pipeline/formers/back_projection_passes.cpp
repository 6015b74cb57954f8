// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/back_projection_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/phasor.h"
#include "kernels/math/sinc.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/map_mesh.h"
#include "pipeline/formers/map_sampling.h"
#include "pipeline/formers/pixel_mesh.h"
#include "pipeline/formers/prediction.h"
#include "pipeline/formers/pulse_weights.h"
#include "pipeline/formers/range_doppler_passes.h"
#include "pipeline/formers/range_filter.h"

namespace cornerturn {
namespace {

/// At a bin of a transform, of whole samples.
std::complex<double> delay_by(std::int64_t samples, std::int64_t bin, std::int64_t length) {
    return std_phasor(-static_cast<double>(samples * bin % length) / static_cast<double>(length));
}

AccumulationGeometry geometry_of(const Acquisition& echo, const ImagePlan& image) {
    AccumulationGeometry geometry;
    geometry.paths.resize(static_cast<std::size_t>(echo.lines));
    const auto path_of = [&](std::int64_t line) {
        const double time_s = echo.pulse_time_s(static_cast<double>(line));
        return echo.phase_history                   ? echo.phase_history->path(line)
               : image.map && image.map->free_track ? pulse_path_along(*image.map->free_track, time_s)
                                                    : image.geometry->track().pulse_path(time_s);
    };
#pragma omp parallel for
    for (std::int64_t line = 0; line < echo.lines; ++line)
        geometry.paths[static_cast<std::size_t>(line)] = path_of(line);
    geometry.pixels = image.map ? map_mesh(echo, image) : pixel_mesh(echo, image);
    if (image.map) geometry.relief_m = image.map->ground->relief_m(image.map->grid);
    return geometry;
}

/// Least and greatest sample at which pixels at the edges of the image arrive, over the whole window.
struct SamplesSeen {
    double first, last;
};
SamplesSeen samples_seen(const Acquisition& echo, const ImagePlan& image) {
    const CompressedTiming timing = compressed_timing(echo, image, {});
    const double reach_hz = image.fades.pulse_reach_hz, last_row = static_cast<double>(image.grid.rows - 1),
                 last_column = static_cast<double>(image.grid.columns - 1);
    SamplesSeen seen{INFINITY, -INFINITY};
    for (const double row : {0.0, 0.5 * last_row, last_row})
        for (const double column : {0.0, last_column})
            for (const double part : {-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0}) {
                const double zero_s = image.grid.time_s(row), range_m = image.grid.range_m(column),
                             doppler_hz = image.geometry->beam_centre(zero_s, range_m).centroid_hz + part * reach_hz;
                const PulsePath path =
                    image.geometry->track().pulse_path(zero_s + image.histories.middle.time_s(range_m, doppler_hz));
                const double at = arrival(timing, path, image.geometry->track().place(zero_s, range_m)).cell;
                seen = {std::min(seen.first, at), std::max(seen.last, at)};
            }
    return seen;
}

/// The FM rate over that at the beam's centre: pulses weighed by it make the spectrum of a point flat, as theory has
/// it.
class RateOverBand {
public:
    /// Of mid swath, in the middle of the rows.
    explicit RateOverBand(const ImagePlan& image)
        : history_(image.histories.middle),
          range_m_(history_.middle_range_m()),
          centroid_hz_(history_.centroid_hz(range_m_)),
          at_centre_hz_s_(history_.fm_rate_hz_s(range_m_, centroid_hz_)) {}

    /// 1 where sums go on along tracks that turn too much for a range history, as they do far from what was recorded.
    double operator()(double offset_hz) const {
        const double part = history_.fm_rate_hz_s(range_m_, centroid_hz_ + offset_hz) / at_centre_hz_s_;
        return std::isfinite(part) ? part : 1;
    }

    /// Whether it is that all over the image: where a track sways, rates have nothing to do with those of elsewhere,
    /// and pulses are better weighed alike.
    bool holds_for(const ImagePlan& image) const {
        if (image.geometry->steady() || image.map) return true;
        const double last_row = static_cast<double>(image.grid.rows - 1),
                     last_column = static_cast<double>(image.grid.columns - 1);
        for (const double row : {0.0, 0.5 * last_row, last_row})
            for (const double column : {0.0, last_column})
                if (!is_that_at(image, image.grid.time_s(row), image.grid.range_m(column))) return false;
        return true;
    }

private:
    static double band_hz(const ImagePlan& image) { return image.parameters.azimuth_bandwidth_hz; }

    /// By second differences of the delay along the aperture.
    bool is_that_at(const ImagePlan& image, double zero_doppler_s, double range_m) const {
        constexpr int steps = 16;         // to either end
        constexpr double largest = 0.01;  // widens a point by a third of that
        const ViewingGeometry& seen = *image.geometry.shared;
        const BeamCentre beam = seen.beam_centre(zero_doppler_s, range_m);
        const DelayHistory delay_s = seen.track().delay_history(zero_doppler_s, range_m);
        const double step_s = 0.5 * band_hz(image) / beam.rate_hz_s / steps;
        const auto cycles = [&](int step) { return -seen.carrier_hz() * delay_s(beam.time_s + step * step_s); };
        const auto rate_hz_s = [&](int step) {
            return -(cycles(step + 1) - 2 * cycles(step) + cycles(step - 1)) / (step_s * step_s);
        };
        for (int step = -steps; step <= steps; ++step) {
            const double offset_hz = (cycles(step + 1) - cycles(step - 1) - cycles(1) + cycles(-1)) / (2 * step_s);
            if (std::abs(offset_hz) > 0.5 * band_hz(image)) continue;
            if (!(std::abs(rate_hz_s(step) / rate_hz_s(0) - (*this)(offset_hz)) < largest)) return false;
        }
        return true;
    }

    const RangeHistory& history_;
    double range_m_, centroid_hz_, at_centre_hz_s_;
};

double covered_pixels(const ImageCoverage& coverage) {
    double pixels = 0;
    for (const Interval& rows : coverage.beam_rows) pixels += std::max(0, rows.last - rows.first);
    return pixels;
}

/// The fewest by which transforms of lines stay fast, but no fewer than these.
std::int64_t fast_cells(double cells) {
    for (const std::int64_t fast : {4, 6, 8, 10, 12, 16, 20, 24})
        if (static_cast<double>(fast) >= cells) return fast;
    return fast_length(static_cast<std::int64_t>(std::ceil(cells)));
}

}  // namespace

double droop_between_cells(double frequency) { return sinc(frequency) * sinc(frequency); }

std::int64_t cells_per_sample(const Acquisition& echo) {
    constexpr double most_for_four = 0.78;  // of the sample rate
    return echo.chirp.bandwidth_hz() > most_for_four * echo.sample_rate_hz() ? 8 : 4;
}

std::int64_t cells_per_sample(const Acquisition& echo, const ImagePlan& image) {
    if (!image.map) return cells_per_sample(echo);
    // As measured where the chirp fills 0.72 of the sample rate and beams hardly migrate; images of the band fall with
    // the square of frequencies in cycles per cell.
    constexpr double cells_measured = 4, band_measured = 0.72, moved_by = 0.011;  // of the width
    const double most_px = error_limits.position_px, wide_px = widest_points_px(echo, image),
                 band = echo.chirp.bandwidth_hz() / echo.sample_rate_hz(),
                 cells = cells_measured * band / band_measured * std::sqrt(moved_by * wide_px / most_px);
    return std::max(cells_per_sample(echo), fast_cells(std::min(cells, 32.0)));
}

std::int64_t cells_per_sample(const Acquisition& echo, double error_db) {
    // A triangle leaves images of a frequency f, in cycles per cell, of (f / (k - f))^2, k = +-1, +-2, ...: energies of
    // 2 zeta(4) f^4 together.
    constexpr double images = 2.165;
    const double highest = 0.5 * echo.chirp.bandwidth_hz() / echo.sample_rate_hz();
    const double cells = highest * std::pow(images * std::pow(10.0, -0.1 * error_db), 0.25);
    return std::max(cells_per_sample(echo), fast_cells(cells));
}

void require_one_velocity(const ImagePlan& image) {
    if (!image.geometry->track().steady()) return;
    const auto [slowest, fastest] = velocity_bounds_m_s(image);
    constexpr double rounding = 1e-12;
    if (fastest - slowest > rounding * fastest)
        throw InputError(
            fmt::format("back-projection: straight flight has one velocity, but this one varies from {:.6g} to {:.6g} "
                        "m/s over the swath; give an orbit or one --velocity, or use --algorithm rda",
                        slowest, fastest));
}

FineLines beyond_the_swath(FineLines lines, const Acquisition& echo, const ImagePlan& image, double beside_samples) {
    if (image.map) return lines;
    constexpr double slack = 4;  // between the pixels and frequencies that are looked at
    const std::int64_t reach = image.reach.range_samples;
    const auto chirp = static_cast<std::int64_t>(std::ceil(echo.chirp_samples()));
    const auto beyond = [&](double samples, std::int64_t most) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(samples + beside_samples + slack)), 0,
                                        most);
    };
    const SamplesSeen seen = samples_seen(echo, image);
    lines.before = beyond(-seen.first, chirp + reach);
    lines.behind = beyond(seen.last - static_cast<double>(echo.samples - 1), reach);
    return lines;
}

FftLengths least_lengths(const Acquisition& echo, const ImagePlan& image, FineLines lines) {
    if (image.parameters.extent == ImageExtent::valid) return {image.least.range, 1};
    const auto chirp = static_cast<std::int64_t>(std::ceil(echo.chirp_samples()));
    return {std::max(image.least.range,
                     echo.samples + image.reach.range_samples + std::max(lines.before, lines.behind + chirp)),
            1};
}

CompressedTiming compressed_timing(const Acquisition& echo, const ImagePlan& image, FineLines lines) {
    return {.carrier_hz = echo.carrier_hz,
            .chirp_duration_s = echo.chirp.duration_s,
            .chirp_inverse_slope_s2 = 1 / echo.chirp.slope_hz_s,
            .filter_doppler_hz = image.parameters.doppler_centroid_hz,
            .first_cell_s = 2 / c_m_s * echo.range_m(-static_cast<double>(lines.before)) - common_delay_s(image),
            .cell_rate_hz = static_cast<double>(lines.cells) * echo.sample_rate_hz()};
}

RangeCompression fine_range_compression(const Acquisition& echo, const ImagePlan& image, const FftLengths& fft,
                                        FineLines lines) {
    const double fs = echo.sample_rate_hz(), cell_rate_hz = static_cast<double>(lines.cells) * fs;
    const auto filter = [=, chirp = echo.chirp, reach = image.reach.range_samples,
                         window = image.parameters.range_window, centroid_hz = image.parameters.doppler_centroid_hz] {
        const auto raised = [=](double f_tau) {
            return lines.straight ? 1 / droop_between_cells(f_tau / cell_rate_hz) : 1.0;
        };
        auto response = range_filter(chirp, fs, fft.range, reach, window, raised, centroid_hz);
        for (std::int64_t bin = 0; bin < fft.range; ++bin)
            response[static_cast<std::size_t>(bin)] *= delay_by(lines.before, bin, fft.range);
        return response;
    };
    RangeCompression pass = compression_by(filter, echo, fft);
    pass.oversampling = lines.cells;
    pass.beyond = lines.before + lines.behind;
    return pass;
}

PhaseCorrection phase_of_fine_lines(const Acquisition& echo, FineLines lines) {
    return {.lines = echo.lines,
            .samples = lines.cells_of(echo.samples),
            .cycles = {},
            .line_cycles = echo.line_phase_cycles};
}

Accumulation accumulation(const Acquisition& echo, const ImagePlan& image, FineLines lines) {
    constexpr std::size_t mesh_bytes = std::size_t{4} << 20;
    const bool relief = image.map && image.map->ground->has_relief();
    const std::size_t relief_bytes = relief ? image.grid.pixels() * sizeof(float) : 0;
    return {.lines = echo.lines,
            .cells = lines.cells_of(echo.samples),
            .rows = image.grid.rows,
            .columns = image.grid.columns,
            .timing = compressed_timing(echo, image, lines),
            .window = image.map && image.map->pulses ? pulse_weights(echo, image).window : doppler_window(image),
            .covered_rows = image.coverage.beam_rows,
            .asked = image.asked_pixels,
            .occupied = echo.chirp.bandwidth_hz() / (static_cast<double>(lines.cells) * echo.sample_rate_hz()),
            .pixel_pulses = pixel_pulses(echo, image),
            .geometry = [=] { return geometry_of(echo, image); },
            .geometry_bytes = static_cast<std::size_t>(echo.lines) * sizeof(PulsePath) + mesh_bytes + relief_bytes};
}

DopplerWindow doppler_window(const ImagePlan& image) {
    if (image.map && image.map->free_track) return {};
    constexpr int entries = 2049;
    const double bandwidth_hz = image.parameters.azimuth_bandwidth_hz, reach_hz = image.fades.pulse_reach_hz;
    const RateOverBand rate(image);
    const bool same_everywhere = rate.holds_for(image);
    DopplerWindow window{.bandwidth_hz = bandwidth_hz, .reach = reach_hz / bandwidth_hz, .weight = {}};
    for (int i = 0; i < entries; ++i) {
        const double offset_hz = reach_hz * (2.0 * i / (entries - 1) - 1);
        window.weight.push_back(
            static_cast<float>(pulse_window(image, offset_hz) * (same_everywhere ? rate(offset_hz) : 1)));
    }
    return window;
}

double pixel_pulses(const Acquisition& echo, const ImagePlan& image) {
    if (image.map && image.map->free_track) return covered_pixels(image.coverage) * static_cast<double>(echo.lines);
    const double faded = 2 * image.fades.pulse_reach_hz / image.parameters.azimuth_bandwidth_hz;
    return covered_pixels(image.coverage) * std::min(faded * image.aperture.lines, static_cast<double>(echo.lines));
}

FormerNote note_of_accumulation(const Acquisition& echo, const ImagePlan& image, FineLines lines) {
    const double summed = pixel_pulses(echo, image);
    return {.name = "sum",
            .text = fmt::format("{:.3g} pixel pulses, {} cells for each sample of the compressed lines", summed,
                                lines.cells),
            .key = "back_projection",
            .values = {{"pixel_pulses", summed}, {"cells_per_sample", static_cast<double>(lines.cells)}}};
}

}  // namespace cornerturn
