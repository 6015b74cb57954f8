// SPDX-License-Identifier: Apache-2.0
// A burst without the element pattern of the steered antenna, which darkens its ends.
#pragma once

#include "pipeline/acquisition/element_pattern.h"
#include "pipeline/echo/forwarded_echo.h"

namespace cornerturn {

/// The samples come as they are stored: what forms an image multiplies the lines, each by what the pattern takes away
/// in the middle of its beam. Over the beam's width that is the middle of a nearly straight pattern. The source, which
/// must be a burst, must outlive it.
class DescallopedEcho final : public DescribedEcho {
public:
    DescallopedEcho(EchoSource& source, const ElementPattern& pattern);
};

}  // namespace cornerturn
