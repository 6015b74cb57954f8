// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/chirp_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/math/chebyshev.h"
#include "kernels/steps/steps.h"
#include "pipeline/acquisition/fits/surface_fit.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/processed_band.h"
#include "pipeline/formers/range_coupling.h"
#include "pipeline/formers/range_doppler_passes.h"
#include "pipeline/formers/scaled_swath.h"
#include "pipeline/formers/scaling_law.h"

namespace cornerturn {
namespace {

/// The largest of a figure from near range on and over a band about the Doppler centroid.
double largest(const Acquisition& echo, const ImagePlan& image, double last_m, double bandwidth_hz,
               double (ScaledSwath::*figure)(double) const) {
    constexpr int ranges = 16;
    double most = 0;
    for (const double part : {-0.5, 0.0, 0.5}) {
        const ScaledSwath swath(echo, image, image.parameters.doppler_centroid_hz + part * bandwidth_hz);
        for (int i = 0; i <= ranges; ++i)
            most = std::max(
                most,
                std::abs((swath.*figure)(std::lerp(image.swath.nearest_m, last_m, static_cast<double>(i) / ranges))));
    }
    return most;
}

/// What compression takes of a hyperbola.
ScaledPhases hyperbola(const Acquisition& echo, const ImagePlan& image) {
    return {.carrier_hz = echo.carrier_hz,
            .slope_hz_s = echo.chirp.slope_hz_s,
            .duration_s = echo.chirp.duration_s,
            .echo_near_range_m = echo.near_range_m,
            .image_near_range_m = image.grid.near_range_m,
            .image_delay_s = image_delay_lines(echo, image.grid) / echo.prf_hz,
            .reference_range_m = image.swath.middle_m(),
            .reference_velocity_m_s = HyperbolaVelocity(image)(image.swath.middle_m()),
            .range_mean_square_hz2 = plan_range_coupling(echo, image).mean_square_hz2};
}

/// Phase of the track beside that of hyperbolas.
struct BesideHyperbola {
    std::optional<SmoothSurface> cycles;  ///< over absolute Doppler frequency and closest range; where it matters
    double left_cycles = 0;               ///< beside that, at most
};

BesideHyperbola beside_hyperbola(const Acquisition& echo, const ImagePlan& image) {
    constexpr int ranges = 8, frequencies = 12;
    constexpr double least_cycles = 1e-4;
    const ScaledPhases taken = hyperbola(echo, image);
    const auto points_in = [&](double half_band_hz, const auto& places) {
        std::vector<SurfacePoint> points;
        for (const double range_m : places(image.swath.nearest_m, image.swath.farthest_m, ranges)) {
            const double centre_hz = image.histories.middle.centroid_hz(range_m);
            for (const double doppler_hz : places(centre_hz - half_band_hz, centre_hz + half_band_hz, frequencies)) {
                const ScaledSwath swath(echo, image, doppler_hz);
                const double cycles = swath.image_cycles(range_m, taken.image_delay_s, taken.range_mean_square_hz2) -
                                      taken.image_cycles(swath.law(), range_m, HyperbolaVelocity(image)(range_m));
                points.push_back({.x = doppler_hz, .y = range_m, .value = cycles});
            }
        }
        return points;
    };
    const auto largest_beside = [&](const SmoothSurface& surface) {
        double most = 0;
        for (const SurfacePoint& point :
             points_in(0.5 * illuminated_band_hz(echo, image.parameters), [](double from, double to, int count) {
                 std::vector<double> even;
                 for (int i = 0; i < count; ++i) even.push_back(from + (to - from) * i / (count - 1));
                 return even;
             }))
            most = std::max(most, std::abs(point.value - surface(point.x, point.y)));
        return most;
    };
    if (const double all = largest_beside({}); all < least_cycles) return {{}, all};
    const double half_m = 0.5 * (image.swath.farthest_m - image.swath.nearest_m);
    const SmoothSurface frame{.x_centre = image.parameters.doppler_centroid_hz,
                              .x_half = image.histories.middle.half_band_hz(),
                              .y_centre = image.swath.middle_m(),
                              .y_half = half_m > 0 ? half_m : 1};
    const SmoothSurface surface =
        fit_surface(frame, powers_up_to(SmoothSurface::x_powers - 1, SmoothSurface::y_powers - 1),
                    points_in(image.histories.middle.half_band_hz(), chebyshev_points));
    return {surface, largest_beside(surface)};
}

/// The mean of a range's migration that scaling leaves over the beam, in cells, and by which a phase that changes over
/// range moves a chirp that is compressed later.
double shift_left_cells(const Acquisition& echo, const ImagePlan& image) {
    constexpr int ranges = 8, frequencies = 9;
    const double band_hz = illuminated_band_hz(echo, image.parameters);
    double most = 0;
    for (int i = 0; i <= ranges; ++i) {
        const double range_m =
            std::lerp(image.swath.nearest_m, image.swath.farthest_whole_m(echo), static_cast<double>(i) / ranges);
        double mean = 0;
        for (int k = 0; k < frequencies; ++k) {
            const double offset_hz = band_hz * ((k + 0.5) / frequencies - 0.5);
            mean += ScaledSwath(echo, image, image.histories.middle.centroid_hz(range_m) + offset_hz)
                        .migration_left_cells(range_m) /
                    frequencies;
        }
        most = std::max(most, std::abs(mean));
    }
    if (!image.histories.drift) return most;
    const SmoothSurface& phase = image.histories.drift->before_cycles;
    const double step_m = 0.01 * phase.y_half;
    double steepest = 0;  // cycles per m
    for (const double x : {-1.0, -0.5, 0.0, 0.5, 1.0})
        for (const double y : {-1.0, 0.0, 1.0}) {
            const double time_s = phase.x_centre + x * phase.x_half, range_m = phase.y_centre + y * phase.y_half;
            steepest = std::max(
                steepest, std::abs(phase(time_s, range_m + step_m) - phase(time_s, range_m - step_m)) / (2 * step_m));
        }
    const double frequency_hz = steepest * 0.5 * c_m_s;
    return most + frequency_hz / std::abs(echo.chirp.slope_hz_s) * echo.sample_rate_hz();
}

/// Of a range's beam, or of the band where that is narrower, by which it lies outside the band about the one centroid;
/// where that is not known well, may lie.
double band_lost(const Acquisition& echo, const ImagePlan& image) {
    const double beam_hz = echo.azimuth_bandwidth_hz.value_or(illuminated_band_hz(echo, image.parameters)),
                 band_hz = image.parameters.azimuth_bandwidth_hz, wanted_hz = std::min(beam_hz, band_hz);
    double most = 0;
    for (const double range_m : {image.swath.nearest_m, image.swath.middle_m(), image.swath.farthest_whole_m(echo)}) {
        const double off_hz =
            std::abs(image.histories.middle.centroid_hz(range_m) - image.parameters.doppler_centroid_hz);
        // Where all ranges have one centroid, its error is for all algorithms alike (check_centroid_error).
        const double error_hz = off_hz > 0.01 * beam_hz ? image.parameters.centroid_error_hz : 0;
        const double seen_hz = std::min(wanted_hz, 0.5 * (beam_hz + band_hz) - off_hz - error_hz);
        most = std::max(most, 1 - seen_hz / wanted_hz);
    }
    return most;
}

void require_that_scaling_holds(const ScalingErrors& left) {
    constexpr auto way_out = "use --algorithm auto, or narrow the band by --azimuth-bandwidth";
    if (left.band_edge_shift > largest_band_edge_shift)
        throw InputError(fmt::format(
            "chirp scaling moves the edges of a chirp's band by {:.3g} % of it, at most {:.3g} % do no harm (squint "
            "too steep or swath too wide); {}",
            100 * left.band_edge_shift, 100 * largest_band_edge_shift, way_out));
    if (left.coupling_rad > largest_scaled_coupling_left_rad)
        throw InputError(fmt::format(
            "chirp scaling would leave {:.3g} rad of range-azimuth coupling at the edges of the swath, at most {} "
            "do no harm; {}",
            left.coupling_rad, largest_scaled_coupling_left_rad, way_out));
    if (left.migration_cells > largest_migration_left_cells)
        throw InputError(fmt::format(
            "chirp scaling would leave {:.3g} cells of migration, at most {} do no harm (the velocity bends over the "
            "swath); {}",
            left.migration_cells, largest_migration_left_cells, way_out));
    if (left.shift_cells > largest_shift_left_cells)
        throw InputError(fmt::format(
            "chirp scaling would move points by {:.3g} cells of range (the migration bends over the swath, or the "
            "track along it), at most {} do no harm; {}",
            left.shift_cells, largest_shift_left_cells, way_out));
    if (left.phase_cycles > largest_scaled_phase_left_cycles)
        throw InputError(fmt::format(
            "chirp scaling takes range histories as hyperbolas and would leave {:.3g} cycles of phase to those of this "
            "track, at most {} do no harm; {}",
            left.phase_cycles, largest_scaled_phase_left_cycles, way_out));
    if (left.lost_band > largest_band_lost)
        throw InputError(fmt::format(
            "chirp scaling has one Doppler centroid, but over this swath it changes by so much that {:.3g} % of the "
            "beam would be lost, at most {:.3g} % do no harm; use --algorithm auto",
            100 * left.lost_band, 100 * largest_band_lost));
}

/// The laws of compression at each azimuth bin, as polynomials of range frequency and of range.
ScaledLaws scaled_laws(const Acquisition& echo, const ImagePlan& image, const std::vector<double>& weight,
                       const std::optional<SmoothSurface>& beside_hyperbola_cycles) {
    constexpr int terms = ScaledLaws::terms;
    const ScaledPhases phases = hyperbola(echo, image);
    const HyperbolaVelocity velocity(image);
    const PowersThrough powers_through(terms);
    const double fs = echo.sample_rate_hz();
    const double first_middle_s = 2 / c_m_s * echo.near_range_m - echo.chirp.duration_s / 2;  // of sample 0
    const std::vector<double> frequencies = chebyshev_points(-0.5 * fs, 0.5 * fs, terms),
                              ranges = chebyshev_points(image.grid.range_m(0),
                                                        image.grid.range_m(static_cast<double>(image.grid.columns - 1)),
                                                        terms);
    const auto bins = static_cast<std::int64_t>(weight.size());
    ScaledLaws laws;
    laws.scaling.resize(weight.size());
    for (auto* powers : {&laws.filter_cycles, &laws.image_cycles, &laws.image_gain})
        powers->resize(weight.size() * terms);
#pragma omp parallel for
    for (std::int64_t bin = 0; bin < bins; ++bin) {
        const double of_bin = weight[static_cast<std::size_t>(bin)];
        if (!(of_bin > 0)) continue;
        const ScalingLaw law =
            ScaledSwath(echo, image, azimuth_frequency_hz(bin, bins, echo.prf_hz, image.parameters.doppler_centroid_hz))
                .law();
        laws.scaling[static_cast<std::size_t>(bin)] = {.pivot_sample = (law.pivot_s - first_middle_s) * fs,
                                                       .cycles = scaling_cycles_s2(law) / (fs * fs)};
        std::array<double, terms> filter{}, cycles{}, gain{};
        for (std::size_t i = 0; i < terms; ++i) {
            const double range_m = ranges[i], v = velocity(range_m);
            filter[i] = phases.filter_cycles(law, frequencies[i]);
            cycles[i] = phases.image_cycles(law, range_m, v);
            if (beside_hyperbola_cycles) cycles[i] += (*beside_hyperbola_cycles)(law.doppler_hz, range_m);
            // Scaling spreads a chirp's energy over a wider band.
            gain[i] = of_bin * std::sqrt(law.stretch) * phases.image_gain(law, range_m, v);
        }
        powers_through(filter.data(), laws.filter_cycles.data() + bin * terms);
        powers_through(cycles.data(), laws.image_cycles.data() + bin * terms);
        powers_through(gain.data(), laws.image_gain.data() + bin * terms);
    }
    return laws;
}

ScaledCompression compression(const Acquisition& echo, const ImagePlan& image, const FftLengths& fft,
                              const std::optional<SmoothSurface>& beside_hyperbola_cycles) {
    const std::vector<double> weight = azimuth_weight(echo, image, fft.azimuth);
    std::vector<Interval> covered;
    for (const double of_bin : weight)
        covered.push_back({0, of_bin > 0 ? static_cast<std::int32_t>(image.grid.columns) : 0});
    return {.azimuth_bins = fft.azimuth,
            .samples = echo.samples,
            .fft_length = fft.range,
            .columns = image.grid.columns,
            .laws = [=] { return scaled_laws(echo, image, weight, beside_hyperbola_cycles); },
            .covered_columns = covered,
            .filter = matched_filter(echo, image, fft.range, 0)};
}

/// The echo is a chirp long until its last but one pass: what migrates reads that much beyond either end.
FftLengths least_lengths(const Acquisition& echo, const ImagePlan& image) {
    FftLengths least = image.least;
    if (image.parameters.extent == ImageExtent::full)
        least.range += static_cast<std::int64_t>(
            std::ceil(largest(echo, image, image.swath.farthest_m, image.parameters.azimuth_bandwidth_hz,
                              &ScaledSwath::migration_samples)));
    return least;
}

FormerNote note_of(const ScalingErrors& left) {
    return {.name = "chirp scaling",
            .text = fmt::format("moves band edges by {:.2g} % (limit {:.2g}), leaves {:.2g} rad of coupling (limit "
                                "{:.2g}), {:.2g} cells of migration (limit {:.2g}) and {:.2g} cycles of phase (limit "
                                "{:.2g})",
                                100 * left.band_edge_shift, 100 * largest_band_edge_shift, left.coupling_rad,
                                largest_scaled_coupling_left_rad, left.migration_cells, largest_migration_left_cells,
                                left.phase_cycles, largest_scaled_phase_left_cycles),
            .key = "chirp_scaling",
            .values = {{"band_edge_shift", left.band_edge_shift},
                       {"coupling_left_rad", left.coupling_rad},
                       {"migration_left_cells", left.migration_cells},
                       {"phase_left_cycles", left.phase_cycles}}};
}

}  // namespace

ScalingErrors errors_of_chirp_scaling(const Acquisition& echo, const ImagePlan& image) {
    // Where the file knows the beam, there is nothing beyond it that could be harmed.
    const double band_hz =
        std::min(image.parameters.azimuth_bandwidth_hz, echo.azimuth_bandwidth_hz.value_or(echo.prf_hz));
    const double last_m = image.swath.farthest_whole_m(echo);
    return {.band_edge_shift = largest(echo, image, last_m, band_hz, &ScaledSwath::band_edge_shift),
            .coupling_rad = largest(echo, image, last_m, band_hz, &ScaledSwath::coupling_left_rad),
            .migration_cells = largest(echo, image, last_m, band_hz, &ScaledSwath::migration_left_cells),
            .shift_cells = shift_left_cells(echo, image),
            .phase_cycles = beside_hyperbola(echo, image).left_cycles,
            .lost_band = band_lost(echo, image)};
}

/// echo [line][sample]
///     decode (x each line's phase, and where range histories drift along the block)
/// -> corner turn ->  [range][line]
///     azimuth FFT
/// -> corner turn ->  [azimuth frequency][range]
///     chirp scaling, FFT, range compression x secondary range compression x bulk migration correction, inverse FFT,
///     azimuth compression
/// -> corner turn ->  [range][azimuth frequency]
///     inverse FFT
/// -> corner turn ->  image [zero-Doppler time][slant range]
///     (x phase)
Formation chirp_scaling(const Acquisition& echo, const ImagePlan& image) {
    if (echo.chirp.compressed())
        throw InputError("chirp scaling needs chirps, and the pulses of this echo are compressed; use --algorithm rda");
    const ScalingErrors left = errors_of_chirp_scaling(echo, image);
    if (!image.parameters.force) require_that_scaling_holds(left);
    const std::optional<SmoothSurface> beside_cycles = beside_hyperbola(echo, image).cycles;
    const auto steps_at = [=](const FftLengths& fft) {
        const std::int64_t lines = echo.lines, samples = echo.samples, bins = fft.azimuth, rows = image.grid.rows,
                           columns = image.grid.columns;
        Steps steps{{"echo", "line", "range", DecodedEcho{lines, samples, echo.format, echo.decoding}}};
        // A sample of the echo is the middle of a pulse whose leading edge came from nearer.
        if (needs_echo_phase(echo, image.histories))
            steps.push_back({"echo_phase", "line", "range",
                             echo_phase(echo, image.histories, 0.25 * speed_of_light_m_s * echo.chirp.duration_s)});
        const Steps others{
            {"corner_turn", "range", "line", CornerTurn{lines, samples}},
            {"azimuth_spectrum", "range", "azimuth_frequency", AzimuthSpectrum{samples, lines, bins}},
            {"corner_turn_to_range", "azimuth_frequency", "range", CornerTurn{samples, bins}},
            {"compression", "azimuth_frequency", "slant_range", compression(echo, image, fft, beside_cycles)},
            {"corner_turn_to_azimuth", "slant_range", "azimuth_frequency", CornerTurn{bins, columns}},
            {"azimuth_image", "slant_range", "zero_doppler_time",
             AzimuthImage{columns, bins, rows, image.coverage.beam_rows}},
            {"image", "zero_doppler_time", "slant_range", CornerTurn{columns, rows}},
        };
        steps.insert(steps.end(), others.begin(), others.end());
        if (image.histories.drift)
            steps.push_back({"image_phase", "zero_doppler_time", "slant_range", image_phase(image)});
        return steps;
    };
    std::vector<FormerNote> notes{note_of(left)};
    if (image.histories.drift) notes.push_back(note_of(*image.histories.drift));
    return {.image = image, .algorithm = {.least = least_lengths(echo, image), .steps = steps_at}, .notes = notes};
}

}  // namespace cornerturn
