// SPDX-License-Identifier: Apache-2.0
// Tracks as HDF5: one dataset for each column, in the root of the file.
#include <fmt/format.h>

#include "data/hdf5/hdf5_reader.h"
#include "data/navigation/track_file.h"
#include "data/nisar/product_parts.h"

namespace cornerturn {

TrackColumns read_hdf5_track(const std::string& path) {
    const h5::Reader file(path);
    TrackColumns columns;
    for (const std::string& name : file.children("/")) {
        if (is_track_column(name))
            columns.numbers[name] = file.numbers("/" + name, {});
        else
            columns.others.push_back(name);
    }
    const auto times = columns.numbers.find(track_time_column);
    if (times == columns.numbers.end()) return columns;
    for (const auto& [name, values] : columns.numbers)
        if (values.size() != times->second.size())
            file.refuse("/" + name, fmt::format("holds {} numbers, expected {}, one for each of time_s", values.size(),
                                                times->second.size()));
    columns.epoch = read_axis_epoch(file, fmt::format("/{}", track_time_column));
    return columns;
}

}  // namespace cornerturn
