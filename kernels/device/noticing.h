// SPDX-License-Identifier: Apache-2.0
// What plans may do beside their work: look for numbers that are not finite, so that nobody has to go through all of
// them once more.
#pragma once

#include <cstdint>

namespace cornerturn {

enum class Noticed : std::uint8_t {
    nothing,
    echo,   ///< the samples that the first step reads, gaps and all
    result  ///< what a step writes
};

/// A StepPlan that looks is one of these, too.
class Noticing {
public:
    virtual ~Noticing() = default;
    /// At what it looks now.
    virtual Noticed notices() const = 0;
    /// Whether one of these may not have been finite in the runs since this was last asked, which have ended. False is
    /// certain; true may be a sum that overflowed, or a number that is not stored.
    virtual bool noticed() = 0;
};

}  // namespace cornerturn
