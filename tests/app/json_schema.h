// SPDX-License-Identifier: Apache-2.0
// JSON that the program prints or writes, against what docs/schemas says of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cornerturn {

/// What breaks docs/schemas/NAME.json (JSON Schema, draft 7), a line each; nothing where all is as it says.
std::string breaches_of_schema(const nlohmann::json& json, const std::string& name);

}  // namespace cornerturn
