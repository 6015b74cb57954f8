// SPDX-License-Identifier: Apache-2.0
// Lines of an image file of ALOS PALSAR level 1.0: where they lie in the file, and when they were sent.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "data/files/binary_file.h"

namespace cornerturn {

/// What its head tells of a line.
struct PalsarLineHead {
    std::uint64_t samples_at = 0;
    double time_s = 0;    ///< when its receive window opens, since the first line's midnight
    bool coarse = false;  ///< which is known to milliseconds alone
    double near_m = 0;
    double prf_hz = 0;
    std::chrono::sys_days day;
};

/// Lines of an image file that are taken, in their order.
struct PalsarLines {
    std::int64_t samples = 0;
    std::vector<PalsarLineHead> heads;
    std::vector<std::int64_t> number;  ///< in steps of the PRF from the first one on
    std::vector<std::int64_t> shift;   ///< samples by which a line begins behind the nearest
    double prf_hz = 0, near_m = 0;
};

/// Numbered by their times; what is missing and what repeats is told in `warnings`. Throws InputError for what is no
/// such file, and for lines that do not go together.
PalsarLines palsar_lines_of(const BinaryFile& file, double sample_spacing_m, std::vector<std::string>& warnings);

}  // namespace cornerturn
