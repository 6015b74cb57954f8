// SPDX-License-Identifier: Apache-2.0
// The grid of a map over what a phase history is about, as fine as its pulses resolve.
#pragma once

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/map_grid.h"
#include "pipeline/formers/map_view.h"

namespace cornerturn {

/// Without a projection the UTM zone of the scene; without a spacing, of each axis its own, by the wavenumbers that all
/// pulses span along it, with a quarter to spare. Of ground at a height (MapGround). Needs a scene and a phase history.
MapGrid grid_over_scene(const Acquisition& acquisition, const MapRequest& request, double height_m);

}  // namespace cornerturn
