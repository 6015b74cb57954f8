// SPDX-License-Identifier: Apache-2.0
// A PROJ context that neither logs nor uses the network, and finds the data installed with this library.
#pragma once

#include <proj.h>

namespace cornerturn {

/// proj_context_destroy frees it. A folder proj/ beside the library (of a wheel) comes first, then PROJ_DATA, the
/// user's folder of PROJ's and the system's: grids may lie there.
PJ_CONTEXT* new_proj_context();

/// Whether PROJ finds proj.db, its list of maps. Zones of UTM and degrees need none.
bool proj_has_maps();

}  // namespace cornerturn
