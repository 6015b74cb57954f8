// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/back_projection.h"

#include "kernels/steps/steps.h"
#include "pipeline/formers/back_projection_passes.h"

namespace cornerturn {

/// echo [line][sample]
///     range compression          FFT, matched filter, inverse FFT that is longer: cells finer than the samples
///     (where lines have phases of their own: x phase)
///     accumulation               sum over the lines of what each holds at a pixel's delay
/// ->  image [zero-Doppler time][slant range], or on a map [y][x]
Formation back_projection(const Acquisition& echo, const ImagePlan& image) {
    return back_projection(echo, image, cells_per_sample(echo, image));
}

Formation back_projection(const Acquisition& echo, const ImagePlan& image, std::int64_t cells) {
    if (!image.map) require_one_velocity(image);
    const bool on_map = image.map.has_value();
    const FineLines lines = beyond_the_swath({.cells = cells, .straight = true}, echo, image);
    const auto steps_at = [=](const FftLengths& fft) {
        Steps steps{{"range_compression", "line", "range", fine_range_compression(echo, image, fft, lines)}};
        if (!echo.line_phase_cycles.empty())
            steps.push_back({"echo_phase", "line", "range", phase_of_fine_lines(echo, lines)});
        steps.push_back({"accumulation", on_map ? "map_y" : "zero_doppler_time", on_map ? "map_x" : "slant_range",
                         accumulation(echo, image, lines)});
        return steps;
    };
    return {.image = image,
            .algorithm = {.least = least_lengths(echo, image, lines), .steps = steps_at},
            .notes = {note_of_accumulation(echo, image, lines)}};
}

}  // namespace cornerturn
