// SPDX-License-Identifier: Apache-2.0
// Checks of what is said: words in a text, words in an error.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/errors.h"

namespace cornerturn {

/// Parts of a text, one or several.
struct TextParts : std::vector<std::string> {
    TextParts(const char* part) : vector{part} {}
    TextParts(const std::string& part) : vector{part} {}
    TextParts(std::initializer_list<std::string> parts) : vector(parts) {}
    TextParts(std::vector<std::string> parts) : vector(std::move(parts)) {}
};

/// Expects each of these parts in a text.
inline void expect_in(std::string_view text, const TextParts& parts,
                      std::source_location at = std::source_location::current()) {
    for (const std::string& part : parts)
        if (text.find(part) == std::string_view::npos)
            ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line())) << "'" << part << "' is not in: " << text;
}

/// What an error says; "" where nothing is thrown.
template <class Error = InputError, class Action>
std::string error_of(const Action& action) try {
    action();
    return {};
} catch (const Error& error) {
    return error.what();
}

/// Expects an error of one line with each of these parts.
template <class Error, class Action>
void expect_error(const Action& action, const TextParts& parts,
                  std::source_location at = std::source_location::current()) {
    const std::string text = error_of<Error>(action);
    if (text.empty() || text.find('\n') != std::string::npos)
        ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line())) << "not an error of one line: '" << text << "'";
    expect_in(text, parts, at);
}

/// Expects bad input to be refused so.
template <class Action>
void expect_refused(const Action& action, const TextParts& parts,
                    std::source_location at = std::source_location::current()) {
    expect_error<InputError>(action, parts, at);
}

}  // namespace cornerturn
