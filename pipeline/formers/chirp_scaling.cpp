// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/chirp_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/errors.h"
#include "kernels/hyperbola.h"
#include "kernels/steps.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/range_coupling.h"
#include "pipeline/formers/range_filter.h"

namespace cornerturn {
namespace {

/// The swath at one azimuth frequency.
class ScaledSwath {
public:
    ScaledSwath(const Acquisition& echo, const ImagePlan& image, double doppler_hz)
        : echo_(echo), image_(image), doppler_hz_(doppler_hz) {
        const double near_m = image.nearest_m, far_m = image.farthest_m, reference_m = image.reference_range_m();
        law_ = {
            .doppler_hz = doppler_hz,
            .rate_hz_s = coupled_fm_rate_hz_s(echo.chirp.slope_hz_s, reference_m, factor(reference_m), echo.carrier_hz),
            // A secant rather than 1 / D: so a velocity that varies over the swath is followed. Scaled to zero Doppler,
            // not to the centroid: delays come to lie on the grid of closest ranges.
            .stretch = far_m > near_m ? (slant_m(far_m) - slant_m(near_m)) / (far_m - near_m) : 1 / factor(reference_m),
            .pivot_s = delay_s(reference_m),
            .reference_s = 2 / c_m_s * reference_m};
    }

    const ScalingLaw& law() const { return law_; }
    double slant_m(double range_m) const { return range_m / factor(range_m); }
    /// Where the pulse's middle frequency comes: a Doppler frequency moves the pulse within itself.
    double delay_s(double range_m) const { return 2 / c_m_s * slant_m(range_m) - doppler_hz_ / echo_.chirp.slope_hz_s; }

    double band_edge_shift(double range_m) const {
        const double bandwidth_hz = echo_.chirp.bandwidth_hz();
        return (std::abs(scaling_shift_hz(law_, delay_s(range_m))) + std::abs(law_.stretch - 1) * bandwidth_hz / 2) /
               bandwidth_hz;
    }
    double coupling_left_rad(double range_m) const {
        double left_cycles = 0;
        for (const double edge : {-0.5, 0.5})
            left_cycles =
                std::max(left_cycles,
                         std::abs(coupling_beyond_mean(range_m, edge * echo_.chirp.bandwidth_hz()) -
                                  coupling_beyond_mean(image_.reference_range_m(), edge * echo_.chirp.bandwidth_hz())));
        return 2 * std::numbers::pi * left_cycles;
    }
    double migration_left_cells(double range_m) const {
        const double pivot_m = image_.reference_range_m();
        return std::abs((slant_m(range_m) - slant_m(pivot_m)) / law_.stretch - (range_m - pivot_m)) /
               echo_.range_spacing_m;
    }
    /// Distance of a leading edge's sample in the echo from its column.
    double migration_samples(double range_m) const {
        return std::abs(slant_m(range_m) - echo_.near_range_m - (range_m - image_.grid.near_range_m)) /
               echo_.range_spacing_m;
    }

private:
    double velocity(double range_m) const { return image_.parameters.velocity(range_m); }
    double factor(double range_m) const {
        return migration_factor(doppler_hz_, velocity(range_m),
                                c_m_s / two_way_carrier_hz(echo_.carrier_hz, doppler_hz_));
    }
    double coupling_beyond_mean(double range_m, double f_tau) const {
        const double bandwidth_hz = echo_.chirp.bandwidth_hz();
        return secondary_range_cycles(range_m, f_tau, doppler_hz_, velocity(range_m), echo_.carrier_hz) -
               mean_secondary_range_cycles(range_m, factor(range_m), bandwidth_hz * bandwidth_hz / 12,
                                           echo_.carrier_hz);
    }

    const Acquisition& echo_;
    const ImagePlan& image_;
    double doppler_hz_;
    ScalingLaw law_;
};

/// The largest of a figure over the swath and a band about the Doppler centroid.
double largest(const Acquisition& echo, const ImagePlan& image, double bandwidth_hz,
               double (ScaledSwath::*figure)(double) const) {
    constexpr int ranges = 16;
    double most = 0;
    for (const double part : {-0.5, 0.0, 0.5}) {
        const ScaledSwath swath(echo, image, image.parameters.doppler_centroid_hz + part * bandwidth_hz);
        for (int i = 0; i <= ranges; ++i)
            most = std::max(most, (swath.*figure)(image.nearest_m + (image.farthest_m - image.nearest_m) * i / ranges));
    }
    return most;
}

/// Its hyperbolas know no curved orbit.
void require_straight_flight(const ImagePlan& image) {
    if (image.drift && image.drift->largest_cycles > largest_scaled_drift_cycles)
        throw InputError(
            fmt::format("chirp scaling takes the flight as straight, but along this scene the orbit's curvature turns "
                        "phases by {:.3g} cycles, "
                        "at most {} do no harm; use --algorithm rda",
                        image.drift->largest_cycles, largest_scaled_drift_cycles));
}

void require_that_scaling_holds(const ScalingLeft& left) {
    constexpr auto way_out = "use --algorithm rda, or narrow the band by --azimuth-bandwidth";
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
}

/// One per bin. Where nothing is processed that of the centroid does: its own need not exist.
std::vector<ScalingLaw> scaling_laws(const Acquisition& echo, const ImagePlan& image,
                                     const std::vector<double>& weight) {
    const auto bins = static_cast<std::int64_t>(weight.size());
    const double centroid_hz = image.parameters.doppler_centroid_hz;
    std::vector<ScalingLaw> laws;
    laws.reserve(weight.size());
    for (std::int64_t bin = 0; bin < bins; ++bin) {
        const bool processed = weight[static_cast<std::size_t>(bin)] > 0;
        laws.push_back(ScaledSwath(echo, image,
                                   processed ? azimuth_frequency_hz(bin, bins, echo.prf_hz, centroid_hz) : centroid_hz)
                           .law());
    }
    return laws;
}

ChirpScaling scaling(const Acquisition& echo, const std::vector<ScalingLaw>& laws) {
    return {.samples = echo.samples,
            .lines = echo.lines,
            .fft_length = static_cast<std::int64_t>(laws.size()),
            .first_middle_s = 2 / c_m_s * echo.near_range_m - echo.chirp.duration_s / 2,
            .sample_rate_hz = echo.sample_rate_hz(),
            .laws = laws};
}

ScaledCompression compression(const Acquisition& echo, const ImagePlan& image, const std::vector<ScalingLaw>& laws,
                              const std::vector<double>& weight, std::int64_t fft_length) {
    const auto filter = [chirp = echo.chirp, fs = echo.sample_rate_hz(), fft_length, reach = image.reach.range_samples,
                         window = image.parameters.range_window] {
        return range_filter(chirp, fs, fft_length, reach, window, [](double) { return 1.0; });
    };
    return {.azimuth_bins = static_cast<std::int64_t>(laws.size()),
            .samples = echo.samples,
            .fft_length = fft_length,
            .columns = image.grid.columns,
            .carrier_hz = echo.carrier_hz,
            .sample_rate_hz = echo.sample_rate_hz(),
            .slope_hz_s = echo.chirp.slope_hz_s,
            .duration_s = echo.chirp.duration_s,
            .echo_near_range_m = echo.near_range_m,
            .image_near_range_m = image.grid.near_range_m,
            .image_delay_s = image_delay_lines(echo, image) / echo.prf_hz,
            .reference_range_m = image.reference_range_m(),
            .reference_velocity_m_s = image.parameters.velocity(image.reference_range_m()),
            .range_mean_square_hz2 = plan_range_coupling(echo, image).mean_square_hz2,
            .velocity_m_s = image.velocity_m_s,
            .weight = weight,
            .laws = laws,
            .filter = filter};
}

/// The echo is a chirp long until its last but one pass: what migrates reads that much beyond either end.
FftLengths least_lengths(const Acquisition& echo, const ImagePlan& image) {
    FftLengths least = image.least;
    if (image.parameters.extent == ImageExtent::full)
        least.range += static_cast<std::int64_t>(
            std::ceil(largest(echo, image, image.parameters.azimuth_bandwidth_hz, &ScaledSwath::migration_samples)));
    return least;
}

FormerNote note_of(const ScalingLeft& left) {
    return {.name = "chirp scaling",
            .text = fmt::format("moves band edges by {:.2g} % (limit {:.2g}), leaves {:.2g} rad of coupling (limit "
                                "{:.2g}) and {:.2g} cells of "
                                "migration (limit {:.2g})",
                                100 * left.band_edge_shift, 100 * largest_band_edge_shift, left.coupling_rad,
                                largest_scaled_coupling_left_rad, left.migration_cells, largest_migration_left_cells),
            .key = "chirp_scaling",
            .values = {{"band_edge_shift", left.band_edge_shift},
                       {"coupling_left_rad", left.coupling_rad},
                       {"migration_left_cells", left.migration_cells}}};
}

}  // namespace

ScalingLeft left_by_chirp_scaling(const Acquisition& echo, const ImagePlan& image) {
    // Where the file knows the beam, there is nothing beyond it that could be harmed.
    const double band_hz =
        std::min(image.parameters.azimuth_bandwidth_hz, echo.azimuth_bandwidth_hz.value_or(echo.prf_hz));
    return {.band_edge_shift = largest(echo, image, band_hz, &ScaledSwath::band_edge_shift),
            .coupling_rad = largest(echo, image, band_hz, &ScaledSwath::coupling_left_rad),
            .migration_cells = largest(echo, image, band_hz, &ScaledSwath::migration_left_cells)};
}

/// echo [line][sample]
///     decode (x each line's phase)
/// -> corner turn ->  [range][line]
///     azimuth FFT, chirp scaling
/// -> corner turn ->  [azimuth frequency][range]
///     FFT, range compression x secondary range compression x bulk migration correction, inverse FFT,
///     azimuth compression
/// -> corner turn ->  [range][azimuth frequency]
///     inverse FFT
/// -> corner turn ->  image [zero-Doppler time][slant range]
Formation chirp_scaling(const Acquisition& echo, const ImagePlan& image) {
    require_straight_flight(image);
    const ScalingLeft left = left_by_chirp_scaling(echo, image);
    require_that_scaling_holds(left);
    const auto steps_at = [=](const FftLengths& fft) {
        const std::int64_t lines = echo.lines, samples = echo.samples, bins = fft.azimuth, rows = image.grid.rows,
                           columns = image.grid.columns;
        const std::vector<double> weight = azimuth_weight(echo, image, bins);
        const std::vector<ScalingLaw> laws = scaling_laws(echo, image, weight);
        Steps steps{{"echo", "line", "range", DecodedEcho{lines, samples, echo.format, echo.decoding}}};
        if (!echo.line_phase_cycles.empty())
            steps.push_back(
                {"echo_phase", "line", "range", PhaseCorrection{lines, samples, {}, echo.line_phase_cycles}});
        const Steps others{
            {"corner_turn", "range", "line", CornerTurn{lines, samples}},
            {"chirp_scaling", "range", "azimuth_frequency", scaling(echo, laws)},
            {"corner_turn_to_range", "azimuth_frequency", "range", CornerTurn{samples, bins}},
            {"compression", "azimuth_frequency", "slant_range", compression(echo, image, laws, weight, fft.range)},
            {"corner_turn_to_azimuth", "slant_range", "azimuth_frequency", CornerTurn{bins, columns}},
            {"azimuth_image", "slant_range", "zero_doppler_time",
             AzimuthImage{columns, bins, rows, image.covered_rows}},
            {"image", "zero_doppler_time", "slant_range", CornerTurn{columns, rows}},
        };
        steps.insert(steps.end(), others.begin(), others.end());
        return steps;
    };
    return {.image = image,
            .algorithm = {.least = least_lengths(echo, image), .steps = steps_at},
            .notes = {note_of(left)}};
}

}  // namespace cornerturn
