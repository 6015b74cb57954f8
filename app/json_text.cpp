// SPDX-License-Identifier: Apache-2.0
#include "app/json_text.h"

#include <nlohmann/json.hpp>

namespace cornerturn {
namespace {

template <class Json>
std::string text_of(const Json& report) {
    Json versioned;
    versioned["schema_version"] = schema_version;
    versioned.update(report);
    return versioned.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string report_text(const nlohmann::json& report) { return text_of(report); }
std::string report_text(const nlohmann::ordered_json& report) { return text_of(report); }

}  // namespace cornerturn
