// SPDX-License-Identifier: Apache-2.0
#include "app/python/bindings.h"
namespace cornerturn::python {
void add_backprojection(nanobind::module_& module) { (void)module; }
}  // namespace cornerturn::python
