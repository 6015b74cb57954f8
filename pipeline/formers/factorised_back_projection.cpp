// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/factorised_back_projection.h"

#include "kernels/steps/steps.h"
#include "pipeline/formers/back_projection.h"
#include "pipeline/formers/back_projection_passes.h"
#include "pipeline/formers/factorised_passes.h"
#include "pipeline/formers/spotlight_factors.h"

namespace cornerturn {

/// echo [line][sample]
///     range compression          FFT, matched filter, inverse FFT that is longer: cells finer than the samples
///     (where lines have phases of their own: x phase)
///     blocks of lines            summed on nodes that are as coarse as their Doppler band allows
///     longer blocks              merged of shorter ones on denser nodes, several times
///     image                      of the longest blocks that the Doppler window of a row does not change over
/// ->  image [zero-Doppler time][slant range], or of a spotlight on a map [y][x]
Formation factorised_back_projection(const Acquisition& echo, const ImagePlan& image) {
    const bool on_map = image.map.has_value();
    if (!on_map) require_one_velocity(image);
    std::string why;
    std::optional<FactorisationPlan> plan = on_map ? spotlight_factorisation(echo, image, why)
                                                   : cheapest_factorisation(factorisation_needs(echo, image), why);
    if (!plan) {
        Formation exact = back_projection(echo, image, cells_per_sample(echo, image.parameters.error_db));
        exact.notes.push_back(note_of_exact_sum(image.parameters, why));
        return exact;
    }
    if (!on_map) plan = with_laws_that_hold(echo, image, *plan);
    const FineLines lines = on_map ? spotlight_lines(echo, image, *plan) : factorised_lines(echo, image, *plan);
    const auto steps_at = [=](const FftLengths& fft) {
        Steps steps{{"range_compression", "line", "range", fine_range_compression(echo, image, fft, lines)}};
        if (!echo.line_phase_cycles.empty())
            steps.push_back({"echo_phase", "line", "range", phase_of_fine_lines(echo, lines)});
        steps.push_back({"accumulation", on_map ? "map_y" : "zero_doppler_time", on_map ? "map_x" : "slant_range",
                         on_map ? spotlight_accumulation(echo, image, *plan, lines)
                                : factorised_accumulation(echo, image, *plan, lines)});
        return steps;
    };
    return {.image = image,
            .algorithm = {.least = least_lengths(echo, image, lines), .steps = steps_at},
            .notes = {note_of_accumulation(echo, image, lines), note_of_factors(image.parameters, *plan)}};
}

}  // namespace cornerturn
