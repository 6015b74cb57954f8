// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/range_doppler_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/migration_table.h"
#include "pipeline/formers/range_filter.h"

namespace cornerturn {
namespace {

constexpr int coupling_terms = 10;

/// Of the range frequencies that a pulse has with any processed Doppler frequency.
double coupling_edge_hz(const Chirp& chirp, double centroid_hz) {
    return 0.51 * chirp.bandwidth_hz() + std::abs(centroid_hz);
}

/// The coupling at a Doppler frequency as a series over range frequency.
ChebyshevSeries coupling_series(const RangeHistory& history, double doppler_hz, const Chirp& chirp,
                                double centroid_hz) {
    const double edge_hz = coupling_edge_hz(chirp, centroid_hz);
    std::vector<double> cycles;
    for (const double f_tau : chebyshev_points(-edge_hz, edge_hz, coupling_terms))
        cycles.push_back(history.coupling_cycles(doppler_hz, f_tau));
    return ChebyshevSeries::through(-edge_hz, edge_hz, cycles);
}

/// A surface over times and ranges as one over the lines and samples of a grid.
SmoothSurface on_grid(SmoothSurface surface, double first_s, double step_s, double near_m, double spacing_m) {
    surface.x_centre = (surface.x_centre - first_s) / step_s;
    surface.x_half /= step_s;
    surface.y_centre = (surface.y_centre - near_m) / spacing_m;
    surface.y_half /= spacing_m;
    return surface;
}

}  // namespace

SincKernel migration_kernel(const Acquisition& acquisition, const FormerParameters& parameters) {
    return SincKernel::for_band(parameters.interpolation_taps,
                                acquisition.chirp.bandwidth_hz() / acquisition.sample_rate_hz());
}

RangeFilter matched_filter(const Acquisition& acquisition, const ImagePlan& image, std::int64_t length,
                           double doppler_hz) {
    return [=, chirp = acquisition.chirp, fs = acquisition.sample_rate_hz(), reach = image.reach.range_samples,
            window = image.parameters.range_window] {
        return range_filter(
            chirp, fs, length, reach, window, [](double) { return 1.0; }, doppler_hz);
    };
}

RangeCompression compression_by(RangeFilter filter, const Acquisition& acquisition, const FftLengths& fft) {
    return {.lines = acquisition.lines,
            .samples = acquisition.samples,
            .fft_length = fft.range,
            .format = acquisition.format,
            .decoding = acquisition.decoding,
            .filter = std::move(filter)};
}

RangeCompression range_compression(const Acquisition& acquisition, const ImagePlan& image,
                                   const RangeCoupling& coupling, const SincKernel& kernel, const FftLengths& fft) {
    const double fs = acquisition.sample_rate_hz(), centroid_hz = image.parameters.doppler_centroid_hz;
    const auto filter = [=, chirp = acquisition.chirp, reach = image.reach.range_samples,
                         window = image.parameters.range_window, history = image.histories.middle] {
        const MeanResponse droop(kernel);
        const ChebyshevSeries coupling_cycles = coupling_series(history, centroid_hz, chirp, centroid_hz);
        const auto correction = [&](double f_tau) {
            const double cycles = coupling.place == CouplingPlace::two_dimensional ? 0.0 : coupling_cycles(f_tau);
            // The migration gather lets the edges of the band droop; taken away here, where it costs nothing.
            return std_phasor(cycles) / droop(f_tau / fs);
        };
        return range_filter(chirp, fs, fft.range, reach, window, correction, centroid_hz);
    };
    return compression_by(filter, acquisition, fft);
}

SecondaryRangeCompression secondary_range_compression(const Acquisition& acquisition, const ImagePlan& image,
                                                      const FftLengths& fft) {
    const double centroid_hz = image.parameters.doppler_centroid_hz;
    const std::vector<double> weight = azimuth_weight(acquisition, image, fft.azimuth);
    std::vector<std::int32_t> shifts = column_bands(acquisition, image, fft.azimuth).shifts;
    if (shifts.empty()) shifts.push_back(0);
    const auto processed = [&](std::int64_t bin) {
        return std::any_of(shifts.begin(), shifts.end(), [&](std::int32_t shift) {
            const std::int64_t of = (bin - shift) % fft.azimuth;
            return weight[static_cast<std::size_t>(of < 0 ? of + fft.azimuth : of)] > 0;
        });
    };
    SecondaryRangeCompression pass{.azimuth_bins = fft.azimuth,
                                   .range_cells = acquisition.samples,
                                   .fft_length = fft.range,
                                   .sample_rate_hz = acquisition.sample_rate_hz(),
                                   .terms = coupling_terms - 2,
                                   .half_hz = coupling_edge_hz(acquisition.chirp, centroid_hz),
                                   .powers = {}};
    pass.powers.resize(static_cast<std::size_t>(pass.terms * pass.azimuth_bins));
#pragma omp parallel for
    for (std::int64_t bin = 0; bin < pass.azimuth_bins; ++bin) {
        if (!processed(bin)) continue;
        const double f_hz = azimuth_frequency_hz(bin, fft.azimuth, acquisition.prf_hz, centroid_hz);
        const std::vector<double> powers = coupling_series(image.histories.middle, f_hz, acquisition.chirp, centroid_hz)
                                               .powers();  // the first two are zero
        std::copy(powers.begin() + 2, powers.end(),
                  pass.powers.begin() + static_cast<std::ptrdiff_t>(bin * pass.terms));
    }
    return pass;
}

AzimuthCompression azimuth_compression(const Acquisition& acquisition, const ImagePlan& image,
                                       const MigrationTable& laws, const SincKernel& kernel, const FftLengths& fft) {
    ColumnBands bands = column_bands(acquisition, image, fft.azimuth);
    return {.input_cells = acquisition.samples,
            .fft_length = fft.azimuth,
            .columns = image.grid.columns,
            .image_rows = image.grid.rows,
            .prf_hz = acquisition.prf_hz,
            .doppler_centroid_hz = image.parameters.doppler_centroid_hz,
            .image_near_range_m = image.grid.near_range_m,
            .range_spacing_m = image.grid.range_spacing_m,
            .laws = laws,
            .weight = azimuth_weight(acquisition, image, fft.azimuth),
            .band_shift = std::move(bands.shifts),
            .columns_of_band = bands.columns,
            .covered_rows = image.coverage.beam_rows,
            .kernel = kernel};
}

bool needs_echo_phase(const Acquisition& acquisition, const RowHistories& histories) {
    return histories.drift.has_value() || !acquisition.line_phase_cycles.empty();
}

PhaseCorrection echo_phase(const Acquisition& acquisition, const RowHistories& histories, double nearer_m) {
    const SmoothSurface drift = histories.drift ? histories.drift->before_cycles : SmoothSurface{};
    return {.lines = acquisition.lines,
            .samples = acquisition.samples,
            .cycles = on_grid(drift, acquisition.first_pulse_time_s, 1 / acquisition.prf_hz,
                              acquisition.near_range_m - nearer_m, acquisition.range_spacing_m),
            .line_cycles = acquisition.line_phase_cycles};
}

PhaseCorrection image_phase(const ImagePlan& image) {
    const ImageGrid& grid = image.grid;
    return {.lines = grid.rows,
            .samples = grid.columns,
            .cycles = on_grid(image.histories.drift->after_cycles, grid.first_time_s, grid.time_spacing_s,
                              grid.near_range_m, grid.range_spacing_m)};
}

FormerNote note_of(const RangeCoupling& coupling) {
    const std::string place = coupling.place == CouplingPlace::range_filter
                                  ? "in the range filter at the Doppler centroid"
                                  : "in the 2-D frequency domain";
    return {.name = "range coupling",
            .text = fmt::format("{}; the range filter would leave {:.3f} rad at the corners of the band (limit {})",
                                place, coupling.left_rad, largest_coupling_left_rad),
            .key = "secondary_range_compression",
            .values = {{"place", place}, {"phase_left_by_range_filter_rad", coupling.left_rad}}};
}

FormerNote note_of(const HistoryDrift& drift) {
    return {.name = "orbit",
            .text = fmt::format("range histories drift by {:.3g} cycles along the scene or block; two phases take that "
                                "away and leave {:.2g} m in range",
                                drift.largest_cycles, drift.range_error_m),
            .key = "history_drift",
            .values = {{"largest_cycles", drift.largest_cycles}, {"range_error_m", drift.range_error_m}}};
}

FormerNote note_of(const SincKernel& kernel) {
    return {.name = "interpolation",
            .text = fmt::format("{} taps (Kaiser {:.1f})", kernel.taps, kernel.beta),
            .key = "interpolation",
            .values = {{"taps", static_cast<double>(kernel.taps)}, {"kaiser_beta", kernel.beta}}};
}

}  // namespace cornerturn
