// SPDX-License-Identifier: Apache-2.0
// What a run of focus is made of, so that another can tell whether it may go on where that one stopped.
#pragma once

#include <span>
#include <string>

#include "data/files/resume.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// What the samples of the images follow from, as the user gave it: model of the devices, input file and parameters.
RunFacts run_facts(const std::string& input, std::span<const DeviceInfo> devices, const RunFacts& parameters);

/// Of the latter the program and most options.
RunFacts parameter_facts(int compression, const FocusOptions& options);

/// The same of what was decided for each frame.
void add_plan_facts(std::span<EchoSource* const> frames, std::span<const FocusSetup> setups, RunFacts& facts);

}  // namespace cornerturn
