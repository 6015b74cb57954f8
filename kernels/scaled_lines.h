// SPDX-License-Identifier: Apache-2.0
// Complex numbers in half the memory, for what lies between two passes: pairs of IEEE halves with a scale per line, sample = scale x half.
//
// The scale of a line follows from a bound on its modulus, not from what the line holds, so that no number has to be looked at twice:
// a half keeps its 11 bits over 30 octaves, and bounds are off by far fewer. What a linear step adds to the bound (sum of the moduli of
// its factors) is added to the scale.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/matrix.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {

using HalfPair = Stored<Half>;

/// Modulus that a line's bound is scaled to; halves reach twice as far.
inline constexpr float largest_scaled_half = 32768.0f;

/// Samples of 4 bytes that a matrix of scaled lines takes: the scales lie behind the halves.
constexpr std::int64_t scaled_lines_samples(std::int64_t lines, std::int64_t samples) { return lines * samples + lines; }

/// The scales of a float16 matrix of that kind, one float per line.
inline float* line_scales(const Matrix& halves) { return halves.data<float>() + halves.rows * halves.columns; }

/// Throws std::logic_error where a matrix has no room for the scales behind its halves; `what` it is, for the text.
void require_scales(const Matrix& halves, std::string_view what);

}  // namespace cornerturn
