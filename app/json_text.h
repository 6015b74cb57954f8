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

}  // namespace cornerturn
