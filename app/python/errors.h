// SPDX-License-Identifier: Apache-2.0
// How failures and warnings reach Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace cornerturn::python {

/// InputError (a ValueError), DeviceError (a RuntimeError) and CornerturnWarning (a UserWarning); Interrupted becomes
/// KeyboardInterrupt.
void add_errors(nanobind::module_& module);

/// Warns at the line of Python that called. Throws where warnings are to be errors.
void warn(const std::vector<std::string>& warnings);

/// TypeError of what is asked to be copied or pickled, and holds what belongs to this process: devices, open files,
/// memory of others.
[[noreturn]] void refuse_to_leave(const char* what, const char* instead);

}  // namespace cornerturn::python
