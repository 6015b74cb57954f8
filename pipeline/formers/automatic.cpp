// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/automatic.h"

#include <fmt/format.h>

#include "kernels/errors.h"
#include "pipeline/formers/range_coupling.h"

namespace cornerturn {

FormerChoice choose_former(const Acquisition& acquisition, const ImagePlan& image) {
    const double left_rad = left_over_swath_rad(acquisition, image);
    const std::string left = fmt::format(
        "range-Doppler would leave {:.2g} rad of range-azimuth coupling at the edges of the swath", left_rad);
    if (left_rad <= largest_coupling_left_over_swath_rad)
        return {&former_named("rda"),
                fmt::format("{}, at most {} do no harm", left, largest_coupling_left_over_swath_rad)};
    const Former& omega_k = former_named("omegak");
    try {
        omega_k.form(acquisition, image);
        return {&omega_k, fmt::format("{}, more than {}", left, largest_coupling_left_over_swath_rad)};
    } catch (const InputError& refusal) {
        return {&former_named("backprojection"),
                fmt::format("{}, more than {}; {}", left, largest_coupling_left_over_swath_rad, refusal.what())};
    }
}

FormerNote note_of(const FormerChoice& choice) {
    return {.name = "chosen",
            .text = fmt::format("{}: {}", choice.former->name, choice.why),
            .key = "algorithm_choice",
            .values = {{"algorithm", std::string(choice.former->name)}, {"why", choice.why}}};
}

}  // namespace cornerturn
