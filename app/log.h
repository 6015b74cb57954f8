// SPDX-License-Identifier: Apache-2.0
// What is said on standard error beside results. spdlog stands behind it, in console.cpp alone: its templates cost each
// source that includes them some two seconds to compile.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace cornerturn {

enum class LogLevel { debug, info, warning, error };
void log_text(LogLevel level, const std::string& text);

template <class... Values>
void log_debug(fmt::format_string<Values...> text, Values&&... values) {
    log_text(LogLevel::debug, fmt::format(text, std::forward<Values>(values)...));
}
template <class... Values>
void log_info(fmt::format_string<Values...> text, Values&&... values) {
    log_text(LogLevel::info, fmt::format(text, std::forward<Values>(values)...));
}
template <class... Values>
void log_warning(fmt::format_string<Values...> text, Values&&... values) {
    log_text(LogLevel::warning, fmt::format(text, std::forward<Values>(values)...));
}
template <class... Values>
void log_error(fmt::format_string<Values...> text, Values&&... values) {
    log_text(LogLevel::error, fmt::format(text, std::forward<Values>(values)...));
}

}  // namespace cornerturn
