// SPDX-License-Identifier: Apache-2.0
// Which samples of each line, or columns of each row, are valid: validSamplesSubSwath1, 2, ... of a group.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/hdf5_writer.h"

namespace cornerturn {

/// The datasets that are there, at most as many as numberOfSubSwaths says where it says something.
std::vector<std::string> sub_swath_paths(const h5::Reader& file, const std::string& group);

/// The intervals of row 0, of row 1, ..., one of each dataset, cut to the columns there are. `each`: "row of PATH".
std::vector<Interval> read_valid_intervals(const h5::Reader& file, const std::vector<std::string>& paths,
                                           std::int64_t rows, std::int64_t columns, const std::string& each);

/// Writes them and their number; none: all columns of each row are valid.
struct ValidIntervals {
    std::span<const Interval> intervals;
    int per_row = 1;
    std::int64_t rows = 0, columns = 0;
};
void write_valid_intervals(h5::Writer& file, const std::string& group, const ValidIntervals& valid,
                           const std::string& description);

}  // namespace cornerturn
