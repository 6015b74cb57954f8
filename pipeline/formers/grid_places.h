// SPDX-License-Identifier: Apache-2.0
// Where the pixels of a map lie on the zero-Doppler grid that covers it.
#pragma once

#include "pipeline/acquisition/ground/map_nodes.h"
#include "pipeline/acquisition/track/track.h"
#include "pipeline/acquisition/track/zero_doppler.h"
#include "pipeline/formers/map_view.h"

namespace cornerturn {

/// Row and column of the zero-Doppler grid.
struct GridPlace {
    double row = 0, column = 0;
};

/// Known at the nodes of a coarser grid, and straight between.
class GridPlaces {
public:
    GridPlaces(const MapView& map, const Track& track);
    GridPlace operator()(std::int64_t row, std::int64_t column) const {
        return {nodes_(row, column, &GridPlace::row), nodes_(row, column, &GridPlace::column)};
    }

private:
    MapNodes<GridPlace> nodes_;
};

}  // namespace cornerturn
