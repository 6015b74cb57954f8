// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/former_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// Whether an algorithm of the frequency domain reads most lines once: what it costs is then within a factor of two of
/// what any would.
bool is_hard_to_beat(const PlannedFormer& planned, const Former& former) {
    constexpr double little_overlap = 1.5;
    const FormerOffer& offer = planned.offer;
    if (!offer.holds() || former.sums_pixels || former.follows_rows) return false;
    const double of_echo =
        static_cast<double>(planned.memory.blocks.back().first_line + planned.memory.blocks.back().lines -
                            planned.memory.blocks.front().first_line);
    return static_cast<double>(offer.lines) <= little_overlap * of_echo;
}

std::vector<PlannedFormer>::iterator cheapest_of(std::vector<PlannedFormer>& planned) {
    return std::min_element(planned.begin(), planned.end(), [](const PlannedFormer& a, const PlannedFormer& b) {
        return a.offer.seconds < b.offer.seconds;
    });
}

[[noreturn]] void refuse(const std::vector<FormerOffer>& offers) {
    std::string why;
    for (const FormerOffer& offer : offers)
        why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", offer.algorithm, offer.refusal);
    throw InputError(fmt::format("no algorithm holds for this scene: {}", why));
}

}  // namespace

FormerChoice cheapest_that_holds(const FormerQuestions& ask, bool all) {
    FormerChoice choice;
    std::vector<PlannedFormer> held;
    bool enough = false;
    for (const Former& former : all_formers()) {
        PlannedFormer planned = ask.plan(former);
        choice.offers.push_back(planned.offer);
        if (enough || !planned.offer.holds()) continue;
        enough = is_hard_to_beat(planned, former);
        held.push_back(std::move(planned));
        if (enough && !all) break;
    }
    if (held.empty()) refuse(choice.offers);
    auto taken = cheapest_of(held);
    if (held.size() > 1 && former_named(taken->offer.algorithm).sums_pixels) {
        taken->offer.seconds = ask.seconds_looked_at(*taken);
        for (FormerOffer& offer : choice.offers)
            if (offer.algorithm == taken->offer.algorithm) offer.seconds = taken->offer.seconds;
        taken = cheapest_of(held);
    }
    choice.taken = std::move(*taken);
    return choice;
}

std::string text_of(const FormerOffer& offer) {
    if (!offer.holds()) return fmt::format("{} does not hold: {}", offer.algorithm, offer.refusal);
    constexpr double giga = 1e9;
    const auto sums = offer.cost.pixel_pulses > 0
                          ? fmt::format(", {:.3g} G pixel pulses", offer.cost.pixel_pulses / giga)
                          : std::string();
    std::string errors;
    if (offer.predicted) errors = fmt::format("; off by at most {} by track and beam", text_of(*offer.predicted));
    if (offer.sums_error_db) errors += fmt::format(", by {:.0f} dB in its sums", *offer.sums_error_db);
    return fmt::format("{} about {:.2g} s: {:.3g} GB, {:.3g} G operations{}, {} block{}{}", offer.algorithm,
                       offer.seconds, offer.cost.bytes_moved / giga, offer.cost.operations / giga, sums, offer.blocks,
                       offer.blocks == 1 ? "" : "s", errors);
}

}  // namespace cornerturn
