// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/omega_k.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>

#include "kernels/errors.h"
#include "kernels/steps/steps.h"
#include "pipeline/formers/omega_k_passes.h"
#include "pipeline/formers/processed_band.h"
#include "pipeline/formers/range_doppler_passes.h"
#include "pipeline/formers/wavenumber.h"

namespace cornerturn {
namespace {

void require_that_stolt_holds(const Acquisition& echo, const StoltErrors& left) {
    constexpr auto way_out = "use --algorithm rda, or narrow the band by --azimuth-bandwidth";
    if (left.centroid_change_hz >= echo.prf_hz)
        throw InputError(
            fmt::format("omega-K takes a bin for two Doppler frequencies at most, but over the swath the centroid "
                        "changes by {:.6g} Hz, the "
                        "PRF is {:.6g} Hz; use --algorithm rda",
                        left.centroid_change_hz, echo.prf_hz));
    if (!(left.phase_rad <= largest_stolt_phase_left_rad))
        throw InputError(
            fmt::format("omega-K would leave {:.3g} rad of range-azimuth coupling at the edges of the swath, at most "
                        "{} do no harm (range histories change too much over it); {}",
                        left.phase_rad, largest_stolt_phase_left_rad, way_out));
    if (!(left.cells <= largest_stolt_move_cells))
        throw InputError(
            fmt::format("omega-K would leave {:.3g} cells of migration at the edges of the swath, at most {} do no "
                        "harm (range histories change "
                        "too much over it); {}",
                        left.cells, largest_stolt_move_cells, way_out));
}

FormerNote note_of(const StoltErrors& left) {
    return {.name = "omega-K",
            .text = fmt::format("away from mid swath leaves {:.2g} rad over the band (limit {}), and {:.2g} cells of "
                                "migration (limit {}) that "
                                "azimuth compression takes away",
                                left.phase_rad, largest_stolt_phase_left_rad, left.cells, largest_stolt_move_cells),
            .key = "omega_k",
            .values = {{"phase_left_rad", left.phase_rad}, {"migration_left_cells", left.cells}}};
}

}  // namespace

StoltErrors errors_of_stolt(const Acquisition& echo, const ImagePlan& image) {
    constexpr int ranges = 8;
    const AwayFromReference away(echo, image);
    StoltErrors left{.centroid_change_hz = doppler_union(echo, image).centroid_change_hz};
    for (int i = 0; i <= ranges; ++i) {
        const double range_m = image.grid.range_m(static_cast<double>((image.grid.columns - 1) * i) / ranges);
        const RangeHistory::Column column = image.histories.middle.column(range_m);
        for (const double part : {-0.5, 0.0, 0.5}) {
            const AwayFromReference::Rest rest =
                away.at(column, range_m, column.centroid_hz + part * illuminated_band_hz(echo, image.parameters));
            const double phase_rad = 2 * std::numbers::pi * rest.left_cycles;
            const double cells = std::abs(rest.delay_s * 0.5 * speed_of_light_m_s -
                                          (range_m - image.histories.middle.middle_range_m())) /
                                 image.grid.range_spacing_m;
            if (phase_rad > left.phase_rad || std::isnan(phase_rad)) left.phase_rad = phase_rad;
            if (cells > left.cells || std::isnan(cells)) left.cells = cells;
        }
    }
    return left;
}

/// echo [line][sample]
///     range compression          FFT, matched filter, inverse FFT
///     (where range histories drift along the block, or lines have phases of their own: x phase)
/// -> corner turn ->  [range][line]
///     azimuth FFT
/// -> corner turn ->  [azimuth frequency][range]
///     FFT, reference function, Stolt interpolation, inverse FFT
/// -> corner turn ->  [range][azimuth frequency]
///     azimuth compression (x what the reference function left at the range, also between columns on an orbit),
///     inverse FFT
/// -> corner turn ->  image [zero-Doppler time][slant range]
///     (x phase)
Formation omega_k(const Acquisition& echo, const ImagePlan& image) {
    const StoltErrors left = errors_of_stolt(echo, image);
    if (!image.parameters.force) require_that_stolt_holds(echo, left);
    const SincKernel kernel = migration_kernel(echo, image.parameters);
    // What the kernel lets droop belongs to the laws: one table for each length of the range FFT, made when its steps
    // are first asked for.
    const auto laws = [=, made = std::make_shared<std::map<std::int64_t, MigrationTable>>()](
                          const StoltInterpolation& stolt) {
        const auto found = made->find(stolt.fft_length);
        return found != made->end() ? found->second : (*made)[stolt.fft_length] = laws_after_stolt(echo, image, stolt);
    };
    const auto steps_at = [=](const FftLengths& fft) {
        const std::int64_t lines = echo.lines, samples = echo.samples, rows = image.grid.rows,
                           columns = image.grid.columns;
        const StoltInterpolation stolt = stolt_interpolation(echo, image, fft);
        Steps steps{{"range_compression", "line", "range", matched_range_compression(echo, image, fft)}};
        if (needs_echo_phase(echo, image.histories))
            steps.push_back({"echo_phase", "line", "range", echo_phase(echo, image.histories)});
        const Steps others{
            {"corner_turn", "range", "line", CornerTurn{lines, samples}},
            {"azimuth_spectrum", "range", "azimuth_frequency", AzimuthSpectrum{samples, lines, fft.azimuth}},
            {"corner_turn_to_range", "azimuth_frequency", "range", CornerTurn{samples, fft.azimuth}},
            {"stolt_interpolation", "azimuth_frequency", "slant_range", stolt},
            {"corner_turn_to_azimuth", "slant_range", "azimuth_frequency", CornerTurn{fft.azimuth, stolt.columns}},
            {"azimuth_compression", "slant_range", "zero_doppler_time",
             compression_after_stolt(echo, image, stolt, laws(stolt))},
            {"image", "zero_doppler_time", "slant_range", CornerTurn{columns, rows}},
        };
        steps.insert(steps.end(), others.begin(), others.end());
        if (image.histories.drift)
            steps.push_back({"image_phase", "zero_doppler_time", "slant_range", image_phase(image)});
        return steps;
    };
    FftLengths least = image.least;
    least.range = std::max(least.range, least_stolt_length(echo, image));
    std::vector<FormerNote> notes{note_of(kernel), note_of(left)};
    if (image.histories.drift) notes.push_back(note_of(*image.histories.drift));
    return {.image = image, .algorithm = {.least = least, .steps = steps_at}, .notes = notes};
}

}  // namespace cornerturn
