// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/former.h"

#include <fmt/format.h>

#include <array>

#include "kernels/errors.h"
#include "pipeline/formers/back_projection.h"
#include "pipeline/formers/chirp_scaling.h"
#include "pipeline/formers/factorised_back_projection.h"
#include "pipeline/formers/omega_k.h"
#include "pipeline/formers/range_doppler.h"

namespace cornerturn {
namespace {

constexpr std::array formers{
    Former{.name = "rda", .title = "range-Doppler", .form = range_doppler, .takes_delays = true},
    Former{.name = "csa", .title = "chirp scaling", .form = chirp_scaling},
    Former{.name = "omegak", .title = "omega-K", .form = omega_k, .takes_delays = true},
    Former{.name = "backprojection",
           .title = "back-projection",
           .form = back_projection,
           .follows_rows = true,
           .takes_delays = true,
           .sums_pixels = true},
    Former{.name = "ffbp",
           .title = "factorised back-projection",
           .form = factorised_back_projection,
           .follows_rows = true,
           .takes_delays = true},
};

}  // namespace

const Former& former_named(std::string_view name) {
    for (const Former& former : formers)
        if (former.name == name) return former;
    throw InputError(fmt::format("algorithm '{}': unknown; choose {}", name, former_names()));
}

std::string former_names() {
    std::string names;
    for (const Former& former : formers)
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", former.name, former.title);
    return names;
}

std::span<const Former> all_formers() { return formers; }

}  // namespace cornerturn
