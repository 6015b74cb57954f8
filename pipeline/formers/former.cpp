// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/former.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <mutex>
#include <stdexcept>

#include "kernels/errors.h"
#include "pipeline/formers/back_projection.h"
#include "pipeline/formers/chirp_scaling.h"
#include "pipeline/formers/factorised_back_projection.h"
#include "pipeline/formers/omega_k.h"
#include "pipeline/formers/range_doppler.h"

namespace cornerturn {
namespace {

constexpr std::array formers{
    Former{.name = "rda",
           .title = "range-Doppler",
           .holds_for = "follows any track and squint",
           .form = range_doppler,
           .takes_delays = true},
    Former{.name = "csa",
           .title = "chirp scaling",
           .holds_for = "needs no interpolation, but a moderate squint, swath and change of the Doppler centroid",
           .form = chirp_scaling,
           .one_band = true},
    Former{.name = "omegak",
           .title = "omega-K",
           .holds_for = "is exact at wide bands, apertures and squints, on any track",
           .form = omega_k,
           .takes_delays = true},
    Former{.name = "backprojection",
           .title = "back-projection",
           .holds_for = "sums each pixel over its pulses: exact on any track, at any squint and aperture, but its work "
                        "is pixels times pulses",
           .form = back_projection,
           .follows_rows = true,
           .takes_delays = true,
           .sums_pixels = true,
           .weighs_pulses = true},
    Former{.name = "ffbp",
           .title = "factorised back-projection",
           .holds_for = "does so in blocks of pulses, with an error below --error-db, at a fraction of that work where "
                        "apertures are long",
           .form = factorised_back_projection,
           .follows_rows = true,
           .takes_delays = true,
           .weighs_pulses = true},
};

/// Of host programs. Entries stay where they are.
std::list<Former> added;
std::mutex adding;

}  // namespace

const Former* find_former(std::string_view name) {
    const auto is_it = [=](const Former& former) { return former.name == name; };
    if (const auto found = std::find_if(formers.begin(), formers.end(), is_it); found != formers.end()) return &*found;
    const std::lock_guard lock(adding);
    const auto found = std::find_if(added.begin(), added.end(), is_it);
    return found == added.end() ? nullptr : &*found;
}

void add_former(const Former& former) {
    if (find_former(former.name) != nullptr)
        throw std::logic_error(fmt::format("algorithm '{}': there is one of that name", former.name));
    const std::lock_guard lock(adding);
    added.push_back(former);
}

const Former& former_named(std::string_view name) {
    if (const Former* former = find_former(name)) return *former;
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
