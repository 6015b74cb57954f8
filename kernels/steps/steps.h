// SPDX-License-Identifier: Apache-2.0
// An algorithm as a list of steps over matrices that stay on a device. It defines what is computed at every (line,
// bin), and nothing of how.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/passes/pass.h"
#include "kernels/steps/algorithm.h"
#include "kernels/steps/corner_turn.h"

namespace cornerturn {

using Work = std::variant<RangeCompression, AzimuthSpectrum, SecondaryRangeCompression, AzimuthCompression, DecodedEcho,
                          ScaledCompression, AzimuthImage, PhaseCorrection, StoltInterpolation, CornerTurn,
                          Accumulation, FactorisedAccumulation>;

/// A step reads the matrix that the step before has left, the first one the echo as stored.
struct Step {
    std::string_view name;           ///< of the step
    std::string_view rows, columns;  ///< what the rows and columns of its result are
    Work work;
};

/// Rows x columns of what a step reads and of its result.
struct WorkShape {
    std::int64_t in_rows, in_columns, out_rows, out_columns;
    std::int64_t in_samples() const { return in_rows * in_columns; }
    std::int64_t out_samples() const { return out_rows * out_columns; }
};
WorkShape shape_of(const Work& work);
/// "range compression", "corner turn" ...
std::string_view title_of(const Work& work);
/// Of what the first step reads: an echo as stored, or native samples.
SampleFormat input_format(const Steps& steps, SampleFormat native);

}  // namespace cornerturn
