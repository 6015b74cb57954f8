// SPDX-License-Identifier: Apache-2.0
// Numbers on the command line.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/errors.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/number_text.h"

namespace cornerturn {

/// The finite number that an option's text is. Throws InputError naming the option.
inline double parse_number(const std::string& option, const std::string& text) {
    const auto value = finite_number_from(text);
    if (!value) throw InputError(fmt::format("{} {}: not a number", option, text));
    return *value;
}

/// The numbers between the commas; none where one is missing. Throws InputError naming the option.
inline std::vector<double> parse_numbers(const std::string& option, const std::string& text) {
    std::vector<double> numbers;
    std::stringstream list(text);
    for (std::string number; std::getline(list, number, ',');) numbers.push_back(parse_number(option, number));
    return text.ends_with(',') ? std::vector<double>{} : numbers;
}

/// A height above the ellipsoid at which there may be ground, in m. Throws InputError.
inline double parse_height(const std::string& option, const std::string& text) {
    const double height_m = parse_number(option, text);
    if (!(height_m >= -1000 && height_m <= 10000))
        throw InputError(
            fmt::format("{} {}: no ground lies there; give -1000 to 10000 m above the ellipsoid", option, text));
    return height_m;
}

/// Reads "800M", "4G", "0.5T" or a plain number of bytes; a K is 1024. Throws InputError.
inline std::size_t parse_bytes(const std::string& option, const std::string& text) {
    constexpr std::string_view units = "KMGT";
    const auto unit = text.empty() ? std::string_view::npos : units.find(upper(text.back()));
    const bool plain = unit == std::string_view::npos;
    const double bytes = parse_number(option, plain ? text : text.substr(0, text.size() - 1)) *
                         (plain ? 1.0 : std::exp2(10.0 * static_cast<double>(unit + 1)));
    if (!(bytes >= 1 && bytes < 1e18))
        throw InputError(fmt::format("{} {}: give a size such as 800M or 4G", option, text));
    return static_cast<std::size_t>(bytes);
}

}  // namespace cornerturn
