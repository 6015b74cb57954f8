// SPDX-License-Identifier: Apache-2.0
#include "app/python/json_object.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/python/given.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;

template <class Json>
nb::object converted(const Json& json) {
    if (json.is_object()) {
        nb::dict dict;
        for (const auto& [key, value] : json.items()) dict[key.c_str()] = converted(value);
        return dict;
    }
    if (json.is_array()) {
        nb::list list;
        for (const auto& value : json) list.append(converted(value));
        return list;
    }
    if (json.is_string()) {
        const auto& text = json.template get_ref<const std::string&>();
        return nb::str(text.data(), text.size());
    }
    if (json.is_boolean()) return nb::bool_(json.template get<bool>());
    if (json.is_number_unsigned()) return nb::int_(json.template get<std::uint64_t>());
    if (json.is_number_integer()) return nb::int_(json.template get<std::int64_t>());
    if (json.is_number()) return nb::float_(json.template get<double>());
    return nb::none();
}

/// Of a slice A:B, of a tuple or list A,B,C; an end that is left out, as it is.
std::string value_of(nb::handle value) {
    const auto end = [&](const char* name) {
        const nb::object at = value.attr(name);
        return at.is_none() ? std::string() : text_of(at);
    };
    if (nb::isinstance<nb::slice>(value)) {
        const nb::object step = value.attr("step");
        return fmt::format("{}:{}{}", end("start"), end("stop"), step.is_none() ? "" : ":" + text_of(step));
    }
    if (!nb::isinstance<nb::tuple>(value) && !nb::isinstance<nb::list>(value)) return text_of(value);
    std::string all;
    for (const nb::handle one : value) all += (all.empty() ? "" : ",") + text_of(one);
    return all;
}

}  // namespace

nb::object object_of(const nlohmann::json& json) { return converted(json); }
nb::object object_of(const nlohmann::ordered_json& json) { return converted(json); }

std::vector<std::string> words_of(const nb::kwargs& options) {
    std::vector<std::string> words;
    for (const auto& [key, value] : options) {
        std::string word = nb::cast<std::string>(nb::str(key));
        std::replace(word.begin(), word.end(), '_', '-');
        word = "--" + word;
        const nb::handle given = value;
        if (given.is_none() || given.ptr() == Py_False) continue;
        if (given.ptr() != Py_True) word += "=" + value_of(given);
        words.push_back(std::move(word));
    }
    return words;
}

}  // namespace cornerturn::python
