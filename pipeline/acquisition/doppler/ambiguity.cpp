// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/doppler/ambiguity.h"

#include <cmath>
#include <numbers>

namespace cornerturn {
namespace {

constexpr int most_multiples = 64;
constexpr double unnoticed_prf = 0.1, meaningless_part = 1.0 / 300;
constexpr double widening = 1.3;  // of deviations that come from a dozen parts of a scene

double likelihood(const AmbiguityVote& vote, int multiple) {
    const double deviation = std::hypot(widening * vote.error_prf, unnoticed_prf),
                 off = (vote.off_prf - multiple) / deviation;
    const double gaussian = std::exp(-0.5 * off * off) / (deviation * std::sqrt(2 * std::numbers::pi));
    return (1 - meaningless_part) * gaussian + meaningless_part / (2 * most_multiples + 1);
}

}  // namespace

Ambiguity ambiguity_of(std::span<const AmbiguityVote> votes) {
    if (votes.empty()) return {};
    Ambiguity best;
    double all = 0, highest = 0;
    for (int multiple = -most_multiples; multiple <= most_multiples; ++multiple) {
        double product = 1;
        for (const AmbiguityVote& vote : votes) product *= likelihood(vote, multiple);
        all += product;
        if (product > highest) {
            highest = product;
            best.multiple = multiple;
        }
    }
    best.confidence = all > 0 ? highest / all : 0;
    return best;
}

}  // namespace cornerturn
