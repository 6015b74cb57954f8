// SPDX-License-Identifier: Apache-2.0
// Numbers on the command line.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>

#include "kernels/errors.h"

namespace cornerturn {

/// The finite number that an option's text is. Throws InputError naming the option.
inline double parse_number(const std::string& option, const std::string& text) {
    double value = 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || rest != end || !std::isfinite(value)) throw InputError(fmt::format("{} {}: not a number", option, text));
    return value;
}

}  // namespace cornerturn
