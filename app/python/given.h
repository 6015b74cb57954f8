// SPDX-License-Identifier: Apache-2.0
// What Python hands over: paths, and arrays of samples, which complaints name as Python does.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <string_view>

namespace cornerturn::python {

/// Text, bytes or os.PathLike.
bool is_path(nanobind::handle object);

/// Of text, bytes or os.PathLike. Raises TypeError for anything else, InputError for what no path can be.
std::string path_of(nanobind::handle path_like);

/// Throws InputError for a masked array: what it hides would come in as if it were there. `instead` is what can be
/// passed.
void require_no_mask(nanobind::handle object, const std::string& what, const char* instead);

/// The array that an object is, read only, on whatever device; `what` names it. Throws InputError that says what the
/// object is instead: a list, an array in foreign order of bytes, one with a mask.
nanobind::ndarray<nanobind::ro> array_in(nanobind::handle object, const std::string& what);

/// As Python's str() has it; of bytes, what they hold. Bytes that are no UTF-8, as names of files may have them, are
/// what os.fsencode and os.fsdecode make of them, here and there.
std::string text_of(nanobind::handle object);
nanobind::str string_of(std::string_view text);

/// "Echo"
std::string class_name(nanobind::handle object);

/// "float64 of shape (3, 400)"
std::string description_of(const nanobind::ndarray<nanobind::ro>& array);

}  // namespace cornerturn::python
