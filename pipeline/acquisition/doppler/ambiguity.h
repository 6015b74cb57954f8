// SPDX-License-Identifier: Apache-2.0
// Decision of the multiple of the PRF from several uncertain measurements of an absolute Doppler frequency, with its
// confidence.
#pragma once

#include <span>

namespace cornerturn {

/// A measured absolute frequency less the one that is assumed, in PRF.
struct AmbiguityVote {
    double off_prf = 0;
    double error_prf = 0;  ///< standard deviation as it was estimated
};

struct Ambiguity {
    int multiple = 0;       ///< to be added to what is assumed
    double confidence = 0;  ///< 0 to 1: the share of this multiple in the likelihood of all
};

/// From this on a multiple is called certain.
inline constexpr double certain_confidence = 0.99;

/// The product of the votes' likelihoods over all multiples. Each vote is a Gaussian whose deviation has 0.1 PRF added
/// in the square, for what stays unnoticed (an antenna whose beam points elsewhere at other frequencies, a range walk
/// of moving targets), and in one of 300 cases means nothing at all, so that one alone is never quite sure and two that
/// contradict each other are not at all. Without votes nothing is known: multiple 0, confidence 0.
Ambiguity ambiguity_of(std::span<const AmbiguityVote> votes);

}  // namespace cornerturn
