// SPDX-License-Identifier: Apache-2.0
// The parts of the module that no other one needs.
#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

void add_plan(nanobind::module_& module);
void add_measures(nanobind::module_& module);
void add_backprojection(nanobind::module_& module);

}  // namespace cornerturn::python
