// SPDX-License-Identifier: Apache-2.0
// Which pixels are made of echo alone where the record has gaps: transmissions between receptions, lines that are
// missing.
#pragma once

#include <vector>

#include "pipeline/acquisition/acquisition.h"

namespace cornerturn {

/// What the pixels of one column are made of.
struct ColumnNeed {
    double first_line = 0,
           last_line = 0;                      ///< of its aperture, of row 0
    double lines_per_row = 1;                  ///< by which they move on from row to row
    double first_sample = 0, last_sample = 0;  ///< all chirps on the way
    Interval rows;                             ///< those whose apertures lie within the record
};

/// [row * intervals_per_row + k], in order, to sixteen columns.
struct ValidColumns {
    std::vector<Interval> intervals;
    int intervals_per_row = 1;

    bool holds(std::int64_t row, std::int64_t column) const;
    ValidColumns of_rows(std::int64_t first_row, std::int64_t count) const;
    friend bool operator==(const ValidColumns&, const ValidColumns&) = default;
};

/// A pixel is valid if every line of its aperture that was recorded holds all samples it needs, and less than one line
/// in fifty is missing altogether, which costs it less than 0.2 dB.
ValidColumns columns_between_gaps(const Acquisition& acquisition, const std::vector<ColumnNeed>& columns,
                                  std::int64_t rows);

}  // namespace cornerturn
