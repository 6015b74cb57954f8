// SPDX-License-Identifier: Apache-2.0
// Axes of products: numbers that rise in equal steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/hdf5/hdf5_reader.h"

namespace cornerturn {

struct UniformAxis {
    double first = 0;
    double spacing = 0;
};

/// Where an axis is stored and how to speak of it.
struct AxisPaths {
    std::string values;
    std::string spacing;  ///< dataset of the step; need not exist
    std::string unit;
    std::string meaning;  ///< "one for each sample of ..."
};

/// Reads an axis of `count` values and its spacing (the stored one, else that of the values). Throws InputError unless
/// the values increase uniformly, within 1 % of a step or, where all of them are float32 numbers, what rounding to
/// float32 explains, and the stored spacing agrees within 0.01 %. The first value of an axis that was rounded to
/// float32 is that of the line through all of them: it is more exact than the one stored.
UniformAxis read_uniform_axis(const h5::Reader& file, const AxisPaths& paths, std::int64_t count);

/// Throws InputError naming the first index at which values do not increase.
void check_increasing(const h5::Reader& file, const std::string& path, const std::vector<double>& values,
                      const std::string& unit);

/// Throws InputError unless a value is above zero.
void check_positive(const h5::Reader& file, const std::string& path, double value, const std::string& unit);

struct Deviation {
    std::size_t index = 0;
    double value = 0;
};
/// Largest distance of values from the straight line through the first and the last.
Deviation deviation_from_line(const std::vector<double>& values);

/// An axis of a map, which may fall, too.
struct MapAxis {
    double first = 0, step = 0;
    std::int64_t count = 0;
};

/// The axis on which two values or more lie. Throws InputError unless they go in equal steps, within a hundredth of
/// one.
MapAxis map_axis(const h5::Reader& file, const std::string& path, const std::vector<double>& values);

}  // namespace cornerturn
