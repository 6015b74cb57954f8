// SPDX-License-Identifier: Apache-2.0
// Lines of an echo read for estimates before it is focused.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// Groups of neighbouring lines, spread evenly over an echo; packed samples as stored.
struct SampledLines {
    struct Group {
        std::int64_t first_line = 0, lines = 0;
        std::vector<std::byte> samples;
    };
    Acquisition acquisition;
    std::vector<Group> groups;  ///< in order, without overlap
};

/// Up to 32 groups of up to 256 lines; of fewer, where they would take more than 256 MiB. Throws what reading throws.
SampledLines sample_lines(EchoSource& source);

}  // namespace cornerturn
