// SPDX-License-Identifier: Apache-2.0
// Texts out of files.
#pragma once

#include <string_view>

namespace cornerturn {

/// Without the blanks before and behind it.
inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace cornerturn
