// SPDX-License-Identifier: Apache-2.0
// Files of ALOS PALSAR level 1.0, made for tests: small, with a track that is nearly straight.
#pragma once

#include <string>
#include <vector>

namespace cornerturn {

inline constexpr double palsar_prf_hz = 2000;

struct PalsarLine {
    int number;  ///< in steps of the PRF
    int near_m = 850000;
    double prf = palsar_prf_hz;
    int fine_shift = 4;  ///< of the twenty bits with its microseconds; negative: none
};

std::string palsar_leader();
/// Sample k of line n holds 10 n + k and 20 + k.
std::string palsar_image(const std::vector<PalsarLine>& lines, int samples);

}  // namespace cornerturn
