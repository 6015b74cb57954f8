// SPDX-License-Identifier: Apache-2.0
// The reference stage: proves an image right by means that share as little with the chain as possible.
//
//   (a) the whole image against the same chain in double precision on the CPU: arithmetic, device, memory. Where that
//       sums every pixel by itself, at the targets and at random pixels
//   (b) a patch around each target against time-domain back-projection straight from the echo: no FFT, no filter, no
//       interpolation
//   (c) position, width, sidelobes and phase of each target against the truth and the theory of the processed band
#pragma once

#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/echo/progress.h"
#include "pipeline/estimate/imager.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// Of an image to the same one in double precision. Three roundings to the 11 bits of halves leave 69 dB.
constexpr double least_signal_to_error_db(Precision precision) { return precision == Precision::full ? 100 : 65; }

/// One number against one limit. A value that is no number fails.
struct ReferenceCheck {
    std::string name;
    double value = 0;
    double limit = 0;
    bool at_least = false;  ///< else at most
    std::string unit;
    std::string remark;  ///< such as which target was the worst
    bool passed() const { return at_least ? value >= limit : value <= limit; }
};

/// Of an echo that holds nothing by which an image could be judged.
struct NothingToJudge : InputError {
    using InputError::InputError;
};

struct ReferenceOutcome {
    std::vector<ReferenceCheck> checks;
    std::vector<std::string> remarks;  ///< what could not be judged, and why
    FocusReport report;                ///< of the device under test
    bool passed() const;
};

/// Focuses the echo on `device` and checks the image against that of `in_double`, the same chain in double precision.
/// Without known targets in the acquisition only (a) can be checked; `remarks` says so. Where echo and images do not
/// fit into memory (options.memory), both chains go through the same azimuth blocks in turn; the echo is read for each
/// of them, and once more about the targets. `keep`, if there is one, gets the image, too.
/// Throws NothingToJudge where both images are zero.
ReferenceOutcome run_reference_stage(Device& device, Device& in_double, EchoSource& echo, const FocusOptions& options,
                                     const Imager& imager, const Progress& progress = {}, ImageSink* keep = nullptr);

}  // namespace cornerturn
