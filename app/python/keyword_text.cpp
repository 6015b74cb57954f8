// SPDX-License-Identifier: Apache-2.0
#include "app/python/keyword_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "app/verb.h"
#include "app/verbs/verbs.h"
#include "kernels/host/number_text.h"
#include "pipeline/formers/former.h"

namespace cornerturn::python {
namespace {

bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_of_name(char c) { return is_lower(c) || is_digit(c) || c == '-'; }

/// Values that messages advise, as words among others.
bool is_known_value(std::string_view word) {
    static const std::set<std::string> words = words_of_values([](Verb& program) {
        add_focus(program);
        add_multilook(program);
    });
    return words.contains(std::string(word)) || find_former(word) != nullptr;
}

/// HZ, M/S and FILE stand for what somebody has to put there.
bool is_placeholder(std::string_view word) {
    const auto is_upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
    return std::none_of(word.begin(), word.end(), is_lower) && std::any_of(word.begin(), word.end(), is_upper);
}

/// "int16:A", of which A is to be put there.
bool is_half_placeholder(std::string_view word) {
    const std::size_t colon = word.find(':');
    return colon != std::string_view::npos && colon > 0 &&
           std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(colon), is_of_name) &&
           is_placeholder(word.substr(colon + 1));
}

std::string literal(const std::string& value) {
    if (finite_number_from(value) || is_placeholder(value)) return value;
    return fmt::format("\"{}\"", value);
}

/// Of the word that follows an option, how many letters are its value: what a complaint begins with goes to its colon.
std::size_t value_length(std::string_view rest) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    const std::size_t end = word.find_last_not_of(",;:.)") + 1;  // 0 where there is nothing else
    const std::string_view value = word.substr(0, end);
    const bool complaint = word.ends_with(':') && word.size() > 1;
    return complaint || finite_number_from(value) || is_placeholder(value) || is_known_value(value) ||
                   is_half_placeholder(value)
               ? end
               : 0;
}

}  // namespace

std::string in_keywords(const std::string& message) {
    std::string text;
    bool of_a_command = false;
    for (std::size_t at = 0; at < message.size();) {
        const bool begins = !of_a_command && message.compare(at, 2, "--") == 0 && at + 2 < message.size() &&
                            is_lower(message[at + 2]) &&
                            (at == 0 || std::isalnum(static_cast<unsigned char>(message[at - 1])) == 0);
        if (!begins) {
            if (message[at] == '`') of_a_command = !of_a_command;
            text += message[at++];
            continue;
        }
        const std::size_t end =
            std::find_if_not(message.begin() + static_cast<std::ptrdiff_t>(at) + 2, message.end(), is_of_name) -
            message.begin();
        std::string name = message.substr(at + 2, end - at - 2);
        std::replace(name.begin(), name.end(), '-', '_');
        text += name;
        at = end;
        if (message.compare(at, 1, ":") == 0 || message.compare(at, 3, " = ") == 0) continue;
        text += '=';
        if (at >= message.size() || (message[at] != ' ' && message[at] != '=')) continue;
        if (message[at] == '=') ++at;
        const std::size_t blank = message[at] == ' ' ? 1 : 0;
        if (const std::size_t length = value_length(std::string_view(message).substr(at + blank)); length > 0) {
            text += literal(message.substr(at + blank, length));
            at += blank + length;
        }
    }
    return text;
}

}  // namespace cornerturn::python
