// SPDX-License-Identifier: Apache-2.0
// What is known of an image before its first row is made.
#pragma once

#include "pipeline/plan/focus_setup.h"

namespace cornerturn {

/// The image but for its samples.
Image image_header(const Acquisition& frame, const FocusOptions& options, const FocusSetup& setup);

}  // namespace cornerturn
