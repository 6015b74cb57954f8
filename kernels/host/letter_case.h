// SPDX-License-Identifier: Apache-2.0
// ASCII letters in one case, for comparing names in files and on the command line.
#pragma once

#include <cctype>
#include <string>

namespace cornerturn {

inline char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }
inline char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }

inline std::string lower(std::string text) {
    for (char& letter : text) letter = lower(letter);
    return text;
}
inline std::string upper(std::string text) {
    for (char& letter : text) letter = upper(letter);
    return text;
}

}  // namespace cornerturn
