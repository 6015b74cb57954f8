// SPDX-License-Identifier: Apache-2.0
// The header of an image, complete before its first row is made.
#pragma once

#include "pipeline/plan/focus_setup.h"

namespace cornerturn {

/// The image without its samples.
Image image_header(const Acquisition& frame, const FocusOptions& options, const FocusSetup& setup);

}  // namespace cornerturn
