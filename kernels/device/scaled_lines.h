// SPDX-License-Identifier: Apache-2.0
// Complex numbers in half the memory, for what lies between two passes: pairs of IEEE halves with a scale per line,
// sample = scale x half.
//
// A scale is made before the line is: from the largest number that goes into it and a bound on what the step can make
// of that, so that no result has to be looked at twice and none overflows. A half keeps its 11 bits over 30 octaves;
// bounds are off by far fewer. What a linear step adds to the bound (the sum of the moduli of its factors) is added to
// the scale.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/device/matrix.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {

using HalfPair = Stored<Half>;

/// Modulus that a line's bound is scaled to; halves reach twice as far.
inline constexpr float largest_scaled_half = 32768.0f;

/// Samples of 4 bytes that a matrix of scaled lines takes: the scales lie behind the halves.
constexpr std::int64_t scaled_lines_samples(std::int64_t lines, std::int64_t samples) {
    return lines * samples + lines;
}

/// The scales of a float16 matrix of that kind, one float per line.
inline float* line_scales(const Matrix& halves) { return halves.data<float>() + halves.rows * halves.columns; }

/// Throws std::logic_error where a matrix has no room for the scales behind its halves; `what` it is, for the text.
void require_scales(const Matrix& halves, std::string_view what);

}  // namespace cornerturn
