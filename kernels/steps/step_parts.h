// SPDX-License-Identifier: Apache-2.0
// The steps of one frame cut for several devices: the passes before the corner turn by echo lines, those behind it by
// columns of the image. Each device then needs its range cells of all lines: what the devices send each other between
// the two.
#pragma once

#include <string>

#include "kernels/passes/decoding.h"
#include "kernels/steps/algorithm.h"

namespace cornerturn {

/// "" where the steps can be cut like that, else the reason.
std::string why_not_in_parts(const Steps& steps);

/// The decoding of some of the lines.
EchoDecoding lines_of(const EchoDecoding& decoding, Interval lines);

/// The steps before the corner turn, of some of the lines; it reads and leaves as many rows.
Steps part_of_lines(const Steps& steps, Interval lines);

struct ColumnPart {
    Interval cells;  ///< of the range lines: those that the columns are made of, those beside them that interpolation
                     ///< reads included
    Steps steps;     ///< from lines x cells on
};
/// The steps from the corner turn on, of some columns of the image.
ColumnPart part_of_columns(const Steps& steps, Interval columns);
/// `columns` that do not begin with a multiple of this cannot be had.
std::int64_t unit_of_columns(const Steps& steps);

}  // namespace cornerturn
