// SPDX-License-Identifier: Apache-2.0
// Names of the values of an enumeration, as files and options have them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/errors.h"

namespace cornerturn {

template <class Value>
struct Named {
    Value value;
    std::string_view name;
};

/// "" where it has none.
template <class Value, std::size_t Count>
constexpr std::string_view name_in(const Named<Value> (&names)[Count], Value value) {
    for (const Named<Value>& known : names)
        if (known.value == value) return known.name;
    return "";
}

template <class Value, std::size_t Count>
constexpr std::optional<Value> find_in(const Named<Value> (&names)[Count], std::string_view name) {
    for (const Named<Value>& known : names)
        if (known.name == name) return known.value;
    return std::nullopt;
}

/// Throws InputError, "--tiff photo: unknown; choose complex, amplitude or db". `first`: a name that stands for no
/// value, to be listed, too.
template <class Value, std::size_t Count>
Value choose_in(const Named<Value> (&names)[Count], std::string_view of, std::string_view name,
                std::string_view first = "") {
    if (const auto value = find_in(names, name)) return *value;
    std::string choices(first);
    for (std::size_t i = 0; i < Count; ++i)
        choices += fmt::format("{}{}", choices.empty() ? "" : i + 1 < Count ? ", " : " or ", names[i].name);
    throw InputError(fmt::format("{} {}: unknown; choose {}", of, name, choices));
}

}  // namespace cornerturn
