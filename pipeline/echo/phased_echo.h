// SPDX-License-Identifier: Apache-2.0
// An echo with a phase error of its lines removed.
#pragma once

#include <span>

#include "pipeline/echo/forwarded_echo.h"

namespace cornerturn {

/// The samples come as they are stored: what forms an image multiplies the lines. The source must outlive it.
class PhasedEcho final : public DescribedEcho {
public:
    /// `phase_rad`: error of each line.
    PhasedEcho(EchoSource& source, std::span<const double> phase_rad);
};

}  // namespace cornerturn
