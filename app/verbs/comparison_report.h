// SPDX-License-Identifier: Apache-2.0
// How two images agree: as text for people, as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/measure/image_comparison.h"

namespace cornerturn {

std::string comparison_text(const ImageComparison& comparison);
nlohmann::ordered_json comparison_json(const ImageComparison& comparison);

}  // namespace cornerturn
