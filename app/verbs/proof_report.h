// SPDX-License-Identifier: Apache-2.0
// What the reference stage found, for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/verify/reference_stage.h"

namespace cornerturn {

/// Of one algorithm: every check with its limit, and whether it passed.
nlohmann::json proof_json(const ReferenceOutcome& outcome, const std::string& precision, const DeviceInfo& device);

}  // namespace cornerturn
