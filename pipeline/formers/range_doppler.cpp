// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/range_doppler.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "kernels/errors.h"
#include "kernels/steps/steps.h"
#include "pipeline/formers/migration_table.h"
#include "pipeline/formers/range_coupling.h"
#include "pipeline/formers/range_doppler_passes.h"

namespace cornerturn {
namespace {

void require_that_coupling_is_shared(const Acquisition& echo, const ImagePlan& image, const RangeCoupling& coupling) {
    if (image.parameters.force) return;
    if (coupling.place == CouplingPlace::two_dimensional) {
        const double part = part_at_aliases(echo, image);
        const bool over_chirp = part > largest_part_at_aliases;
        const double jump_rad = jump_at_aliases_rad(echo, image, over_chirp);
        if (!(jump_rad <= largest_jump_at_aliases_rad))
            throw InputError(fmt::format(
                "range-Doppler takes range-azimuth coupling away at one Doppler frequency a bin, but the centroid "
                "changes over the swath so much that {:.2g} rad would be left, at most {} do no harm{}; use "
                "--algorithm auto or omegak",
                jump_rad, largest_jump_at_aliases_rad,
                over_chirp ? fmt::format(", for {:.2g} % of a point's spectrum, at the ends of the chirp", 100 * part)
                           : ""));
    }
    const double left_rad = left_over_swath_rad(echo, image);
    if (left_rad <= largest_coupling_left_over_swath_rad) return;
    throw InputError(fmt::format(
        "range-Doppler would leave {:.2g} rad of range-azimuth coupling at the edges of the swath, at most {} do no "
        "harm; use --algorithm auto or omegak, or narrow the band by --azimuth-bandwidth",
        left_rad, largest_coupling_left_over_swath_rad));
}

void require_that_points_stay_in_the_swath(const Acquisition& echo, const ImagePlan& image) {
    if (image.parameters.force) return;
    const LossAtEdges loss = loss_at_edges(echo, image);
    if (loss.part <= largest_loss_at_edges || loss.cells <= fewest_cells_of_loss) return;
    throw InputError(fmt::format(
        "range-Doppler would lose up to {:.2g} % of a point's spectrum, at the ends of the chirp, over {:.0f} columns "
        "at the near and the far edge, at most {:.2g} % do no harm; use --algorithm auto or omegak, or narrow the "
        "band by --azimuth-bandwidth",
        100 * loss.part, loss.cells, 100 * largest_loss_at_edges));
}

}  // namespace

/// echo [line][sample]
///     range compression          FFT, matched filter (x secondary range compression at f_dc), inverse FFT
///     (where range histories drift along the block, or lines have phases of their own: x phase)
/// -> corner turn ->  [range][line]
///     azimuth FFT
/// (-> corner turn ->  [azimuth frequency][range]
///     secondary range compression in the 2-D frequency domain
/// -> corner turn ->)
///     range cell migration correction, azimuth compression, inverse FFT
/// -> corner turn ->  image [zero-Doppler time][slant range]
///     (x phase)
Formation range_doppler(const Acquisition& echo, const ImagePlan& image) {
    const RangeCoupling coupling = plan_range_coupling(echo, image);
    require_that_coupling_is_shared(echo, image, coupling);
    require_that_points_stay_in_the_swath(echo, image);
    const SincKernel kernel = migration_kernel(echo, image.parameters);
    // The laws are the same for transforms of any length: made once, when steps are first asked for.
    const auto laws = [=, made = std::make_shared<std::optional<MigrationTable>>()]() -> const MigrationTable& {
        return *made ? **made : made->emplace(migration_table(echo, image, coupling));
    };
    const auto steps_at = [=](const FftLengths& fft) {
        const std::int64_t lines = echo.lines, samples = echo.samples, rows = image.grid.rows,
                           columns = image.grid.columns;
        Steps steps{{"range_compression", "line", "range", range_compression(echo, image, coupling, kernel, fft)}};
        if (needs_echo_phase(echo, image.histories))
            steps.push_back({"echo_phase", "line", "range", echo_phase(echo, image.histories)});
        steps.push_back({"corner_turn", "range", "line", CornerTurn{lines, samples}});
        steps.push_back(
            {"azimuth_spectrum", "range", "azimuth_frequency", AzimuthSpectrum{samples, lines, fft.azimuth}});
        if (coupling.place == CouplingPlace::two_dimensional) {
            steps.push_back({"corner_turn_to_range", "azimuth_frequency", "range", CornerTurn{samples, fft.azimuth}});
            steps.push_back({"secondary_range_compression", "azimuth_frequency", "range",
                             secondary_range_compression(echo, image, fft)});
            steps.push_back({"corner_turn_to_azimuth", "range", "azimuth_frequency", CornerTurn{fft.azimuth, samples}});
        }
        steps.push_back({"azimuth_compression", "slant_range", "zero_doppler_time",
                         azimuth_compression(echo, image, laws(), kernel, fft)});
        steps.push_back({"image", "zero_doppler_time", "slant_range", CornerTurn{columns, rows}});
        if (image.histories.drift)
            steps.push_back({"image_phase", "zero_doppler_time", "slant_range", image_phase(image)});
        return steps;
    };
    std::vector<FormerNote> notes{note_of(kernel), note_of(coupling)};
    if (image.histories.drift) notes.push_back(note_of(*image.histories.drift));
    return {.image = image, .algorithm = {.least = image.least, .steps = steps_at}, .notes = notes};
}

}  // namespace cornerturn
