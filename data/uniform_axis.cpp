// SPDX-License-Identifier: Apache-2.0
#include "data/uniform_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornerturn {

void check_increasing(const h5::Reader& file, const std::string& path, const std::vector<double>& values, const std::string& unit) {
    for (std::size_t i = 1; i < values.size(); ++i)
        if (values[i] <= values[i - 1])
            file.refuse(path, fmt::format("does not increase at index {} ({} {} after {} {})", i, values[i], unit, values[i - 1], unit));
}

void check_positive(const h5::Reader& file, const std::string& path, double value, const std::string& unit) {
    if (!(value > 0)) file.refuse(path, fmt::format("is {} {}, expected a positive number", value, unit));
}

Deviation deviation_from_line(const std::vector<double>& values) {
    Deviation worst;
    const double step = (values.back() - values.front()) / static_cast<double>(std::max<std::size_t>(values.size() - 1, 1));
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const double d = std::abs(values[i] - values.front() - static_cast<double>(i) * step); d > worst.value) worst = {i, d};
    return worst;
}

UniformAxis read_uniform_axis(const h5::Reader& file, const AxisPaths& paths, std::int64_t count) {
    const std::vector<double> values = file.numbers(paths.values, {.rows = count, .columns = {}, .meaning = paths.meaning});
    check_increasing(file, paths.values, values, paths.unit);
    const auto stored = file.optional_number(paths.spacing);
    if (stored) check_positive(file, paths.spacing, *stored, paths.unit);
    if (values.size() < 2) {
        if (!stored)
            file.refuse(paths.spacing, fmt::format("is missing, expected the step of {}, which holds a single value", paths.values));
        return {values.front(), *stored};
    }
    const double span = values.back() - values.front();
    const double mean = span / static_cast<double>(values.size() - 1);
    const double float_rounding = std::max(std::abs(values.front()), std::abs(values.back())) * std::numeric_limits<float>::epsilon() / 2;
    const double rounding = std::min(float_rounding, 0.1 * mean), allowed = std::max(0.01 * mean, rounding);
    if (const Deviation worst = deviation_from_line(values); worst.value > allowed)
        file.refuse(paths.values,
                    fmt::format("is not uniform: index {} lies {:.3g} {} beside a straight line; expected less than {:.3g} {}", worst.index,
                                worst.value, paths.unit, allowed, paths.unit));
    if (stored && std::abs(mean / *stored - 1) > 1e-4 + 2 * rounding / span)
        file.refuse(paths.spacing, fmt::format("is {:.9g} {}, but {} rises by {:.9g} {} per step; expected agreement within 0.01 %",
                                               *stored, paths.unit, paths.values, mean, paths.unit));
    return {values.front(), stored.value_or(mean)};
}

}  // namespace cornerturn
