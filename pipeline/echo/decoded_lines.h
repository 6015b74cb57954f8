// SPDX-License-Identifier: Apache-2.0
// Lines of an echo decoded to numbers, in host memory.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/math/complex.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// Reads lines: lines x samples, packed, gain and phases of the lines applied, zeros in gaps and where a sample is not
/// finite.
void read_decoded(EchoSource& source, std::int64_t first_line, std::int64_t lines, int threads,
                  std::span<Complex<float>> to);

}  // namespace cornerturn
