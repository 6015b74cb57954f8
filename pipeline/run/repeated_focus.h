// SPDX-License-Identifier: Apache-2.0
// Focusing of frames one after the other, as the host program has them.
#pragma once

#include <memory>

#include "pipeline/run/focus.h"

namespace cornerturn {

/// Frames on one device. Plans and memory stay from one to the next where both are of the same kind. Like the device,
/// for one thread at a time.
class RepeatedFocus {
public:
    /// The device must outlive it. `options`: with_estimates.
    RepeatedFocus(Device& device, const FocusOptions& options);
    ~RepeatedFocus();
    /// A frame that was set up for this device and these options. Throws what focus() throws.
    FocusReport run(EchoSource& frame, FocusSetup setup, ImageSink& sink, const Progress& progress = {});
    /// Frees the memory of the last frame.
    void release();

private:
    struct Run;
    std::unique_ptr<Run> run_;
};

}  // namespace cornerturn
