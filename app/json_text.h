// SPDX-License-Identifier: Apache-2.0
// Reports as JSON text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cornerturn {

/// Of docs/schemas: another number once a key goes or means something else, the same where one is added.
inline constexpr int schema_version = 1;

/// A whole report, with the version of its schema and the end of the last line. What is not UTF-8 is replaced: names of
/// files and texts of damaged ones may be anything.
std::string report_text(const nlohmann::json& report);
std::string report_text(const nlohmann::ordered_json& report);

}  // namespace cornerturn
