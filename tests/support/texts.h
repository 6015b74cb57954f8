// SPDX-License-Identifier: Apache-2.0
// Checks of what is said: words in a text, words in an error.
#pragma once

#include <gtest/gtest.h>

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/errors.h"

namespace cornerturn {

/// Expects each of these words in a text.
inline void expect_in(std::string_view text, const std::vector<std::string>& words,
                      std::source_location at = std::source_location::current()) {
    for (const std::string& word : words)
        if (text.find(word) == std::string_view::npos)
            ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line())) << "'" << word << "' is not in: " << text;
}
inline void expect_in(std::string_view text, const std::string& word,
                      std::source_location at = std::source_location::current()) {
    expect_in(text, std::vector{word}, at);
}

/// Expects an error whose text has each of these words.
template <class Error = InputError, class Action>
void expect_error(const Action& action, const std::vector<std::string>& words,
                  std::source_location at = std::source_location::current()) try {
    action();
    ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line())) << "nothing was thrown";
} catch (const Error& error) {
    expect_in(error.what(), words, at);
}
template <class Error = InputError, class Action>
void expect_error(const Action& action, const std::string& word,
                  std::source_location at = std::source_location::current()) {
    expect_error<Error>(action, std::vector{word}, at);
}

}  // namespace cornerturn
