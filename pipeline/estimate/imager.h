// SPDX-License-Identifier: Apache-2.0
// Callback that forms the small images from which estimates are made: estimates know no device.
#pragma once

#include <functional>

#include "pipeline/acquisition/image.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/plan/focus_setup.h"

namespace cornerturn {

struct SmallImage {
    Image image;
    FocusSetup setup;
};

struct Imager {
    /// Throws InputError where options and echo do not go together.
    std::function<SmallImage(const Echo& echo, const FocusOptions& options)> image_of;
    int threads = 0;  ///< for all else; 0: all cores
};

}  // namespace cornerturn
