// SPDX-License-Identifier: Apache-2.0
// What halves between the passes cost an image that was written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pipeline/run/focus.h"
#include "pipeline/verify/signal_to_error.h"

namespace cornerturn {

/// Focuses frames once more, with other options, and takes what comes for right: signal-to-error ratio of each image in
/// a file, in dB.
std::vector<double> signal_to_error_db(std::span<Device* const> devices, std::span<EchoSource* const> frames,
                                       const FocusOptions& options, const std::string& images,
                                       const Progress& progress);

}  // namespace cornerturn
