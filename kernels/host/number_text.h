// SPDX-License-Identifier: Apache-2.0
// Numbers that people and other programs write.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

namespace cornerturn {

/// The number that the whole of a text is, without blanks or a "+"; nothing where it is none, or does not fit.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

/// Likewise one that is finite; a "+" before it is taken off.
inline std::optional<double> finite_number_from(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const std::optional<double> value = number_from<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace cornerturn
