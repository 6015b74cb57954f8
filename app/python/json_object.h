// SPDX-License-Identifier: Apache-2.0
// Between reports and objects of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace cornerturn::python {

/// Dictionaries, lists, numbers and texts.
nanobind::object object_of(const nlohmann::json& json);
nanobind::object object_of(const nlohmann::ordered_json& json);

/// Keywords as the words of the command line: doppler_centroid=-6900 is "--doppler-centroid=-6900", force=True is
/// "--force", bbox=(11, 47, 12, 48) is "--bbox=11,47,12,48", lines=slice(10, 20) is "--lines=10:20"; what is None or
/// False is left out.
std::vector<std::string> words_of(const nanobind::kwargs& options);

}  // namespace cornerturn::python
