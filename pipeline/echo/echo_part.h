// SPDX-License-Identifier: Apache-2.0
// A rectangle of an echo in host memory: what estimates that focus are made on.
#pragma once

#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// The acquisition of some lines and samples, with their part of its tables. Lines that were recorded beside the orbit
/// count as even ones from it.
Acquisition part_of(const Acquisition& acquisition, const Interval& lines, const Interval& samples);

/// The same with its echo, as stored. Throws what reading throws.
Echo read_part(EchoSource& source, const Interval& lines, const Interval& samples);

}  // namespace cornerturn
