// SPDX-License-Identifier: Apache-2.0
// Which known targets an echo can prove an image by: a part of a longer echo cuts the apertures of some.
#pragma once

#include <string>
#include <vector>

#include "pipeline/acquisition/acquisition.h"

namespace cornerturn {

struct SeenTargets {
    /// For each known target whether the echo holds all samples of all pulses that see it. Where nothing tells which
    /// pulses these are, it counts as seen; so do the targets of spotlights, which are summed over the pulses there
    /// are.
    std::vector<bool> whole;

    bool any() const;
    /// "2 of 9 targets are not judged: ..."; "" where all are seen whole.
    std::string remark() const;
};

SeenTargets seen_targets(const Acquisition& echo);

}  // namespace cornerturn
