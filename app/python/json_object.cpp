// SPDX-License-Identifier: Apache-2.0
#include "app/python/json_object.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/python/given.h"
#include "kernels/errors.h"

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
    if (json.is_string()) return string_of(json.template get_ref<const std::string&>());
    if (json.is_boolean()) return nb::bool_(json.template get<bool>());
    if (json.is_number_unsigned()) return nb::int_(json.template get<std::uint64_t>());
    if (json.is_number_integer()) return nb::int_(json.template get<std::int64_t>());
    if (json.is_number()) return nb::float_(json.template get<double>());
    return nb::none();
}

/// What a word of the command line can be made of: text, a path or a real number, of NumPy, too.
bool is_plain(nb::handle value) {
    return is_path(value) || nb::isinstance<nb::bool_>(value) || nb::hasattr(value, "__float__") ||
           nb::hasattr(value, "__index__");
}

[[noreturn]] void refuse_value(const std::string& key, nb::handle value) {
    throw InputError(fmt::format("{}: is of type {}, expected a text, a path, a number, a tuple of numbers or a slice",
                                 key, class_name(value)));
}

/// Of a slice A:B, of a tuple, list or array of one dimension A,B,C; an end that is left out, as it is.
std::string value_of(const std::string& key, nb::handle value) {
    if (nb::hasattr(value, "ndim") && nb::hasattr(value, "tolist")) {
        if (nb::cast<int>(value.attr("ndim")) > 1) refuse_value(key, value);
        const nb::object plain = value.attr("tolist")();
        if (!nb::hasattr(plain, "ndim")) return value_of(key, plain);
    }
    const auto end = [&](const char* name) {
        const nb::object at = value.attr(name);
        return at.is_none() ? std::string() : text_of(at);
    };
    if (nb::isinstance<nb::slice>(value)) {
        const nb::object step = value.attr("step");
        return fmt::format("{}:{}{}", end("start"), end("stop"), step.is_none() ? "" : ":" + text_of(step));
    }
    if (!nb::isinstance<nb::tuple>(value) && !nb::isinstance<nb::list>(value)) {
        if (!is_plain(value)) refuse_value(key, value);
        return text_of(nb::hasattr(value, "__fspath__") ? nb::object(value.attr("__fspath__")()) : nb::borrow(value));
    }
    std::string all;
    for (const nb::handle one : value) {
        if (!is_plain(one)) refuse_value(key, one);
        all += (all.empty() ? "" : ",") + text_of(one);
    }
    return all;
}

}  // namespace

nb::object object_of(const nlohmann::json& json) { return converted(json); }
nb::object object_of(const nlohmann::ordered_json& json) { return converted(json); }

std::vector<std::string> words_of(const nb::kwargs& options) {
    std::vector<std::string> words;
    for (const auto& [key, value] : options) {
        const std::string name = text_of(key);
        std::string word = name;
        std::replace(word.begin(), word.end(), '_', '-');
        word = "--" + word;
        const nb::handle given = value;
        if (given.is_none() || given.ptr() == Py_False) continue;
        if (given.ptr() != Py_True) word += "=" + value_of(name, given);
        words.push_back(std::move(word));
    }
    return words;
}

}  // namespace cornerturn::python
