// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cornerturn {

/// As it is printed and written. What is not UTF-8 is replaced: names of files and texts of damaged ones may be
/// anything.
template <class Json>
std::string json_text(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// Of docs/schemas: another number once a key goes or means something else, the same where one is added.
inline constexpr int schema_version = 1;

/// A whole report: with the version of its schema and the end of the last line.
template <class Json>
std::string report_text(const Json& report) {
    Json versioned;
    versioned["schema_version"] = schema_version;
    versioned.update(report);
    return json_text(versioned) + '\n';
}

}  // namespace cornerturn
