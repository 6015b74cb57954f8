// SPDX-License-Identifier: Apache-2.0
// A context of PROJ's that neither logs nor asks the network, and finds the data that came along with this library.
#pragma once

#include <proj.h>

namespace cornerturn {

/// proj_context_destroy frees it. A folder proj/ beside the library (of a wheel) comes first, then PROJ_DATA, the
/// user's folder of PROJ's and the system's: grids may lie there.
PJ_CONTEXT* new_proj_context();

}  // namespace cornerturn
