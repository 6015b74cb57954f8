// SPDX-License-Identifier: Apache-2.0
// Interpolation of the heights of a digital elevation model.
#pragma once

#include <vector>

#include "pipeline/acquisition/ground/terrain.h"

namespace cornerturn {

/// Bilinear between the cells' centres, held beyond the outermost ones. Gaps are filled from their rims inwards. At
/// least one height has to be known.
class HeightSurface {
public:
    explicit HeightSurface(HeightGrid grid);

    /// Whether the model itself tells the height.
    bool known(double latitude_deg, double longitude_deg) const;
    double height_m(double latitude_deg, double longitude_deg) const;
    double lowest_m() const { return lowest_m_; }
    double highest_m() const { return highest_m_; }

private:
    struct Position {
        double row, column;
    };
    Position cells(double latitude_deg, double longitude_deg) const;

    HeightGrid grid_;
    double middle_longitude_deg_ = 0, rows_per_deg_ = 0, columns_per_deg_ = 0;
    std::vector<bool> known_;  // of its cells
    double lowest_m_ = 0, highest_m_ = 0;
};

}  // namespace cornerturn
