// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/uniform_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornerturn {
namespace {

/// How far rounding to a type moves a number: half a unit in its last place.
template <class Real>
double rounding_of(double number) {
    const Real magnitude = static_cast<Real>(std::abs(number));
    return (std::nextafter(magnitude, std::numeric_limits<Real>::infinity()) - magnitude) / 2;
}

/// True of values that went through float32. Those that never did have bits which it lacks.
bool went_through_float32(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](double value) { return static_cast<double>(static_cast<float>(value)) == value; });
}

/// The line of least squares through values that were rounded each for itself; of the given slope if there is one.
UniformAxis fitted(const std::vector<double>& values, std::optional<double> spacing) {
    const double middle = (static_cast<double>(values.size()) - 1) / 2;
    double sum = 0, moment = 0, inertia = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double arm = static_cast<double>(i) - middle, value = values[i] - values.front();
        sum += value, moment += arm * value, inertia += arm * arm;
    }
    const double step = spacing.value_or(moment / inertia);
    return {.first = values.front() + (sum / static_cast<double>(values.size()) - middle * step), .spacing = step};
}

}  // namespace

void check_increasing(const h5::Reader& file, const std::string& path, const std::vector<double>& values,
                      const std::string& unit) {
    for (std::size_t i = 1; i < values.size(); ++i)
        if (values[i] <= values[i - 1])
            file.refuse(path, fmt::format("does not increase at index {} ({} {} after {} {})", i, values[i], unit,
                                          values[i - 1], unit));
}

void check_positive(const h5::Reader& file, const std::string& path, double value, const std::string& unit) {
    if (!(value > 0)) file.refuse(path, fmt::format("is {} {}, expected a positive number", value, unit));
}

Deviation deviation_from_line(const std::vector<double>& values) {
    Deviation worst;
    const double step =
        (values.back() - values.front()) / static_cast<double>(std::max<std::size_t>(values.size() - 1, 1));
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const double d = std::abs(values[i] - values.front() - static_cast<double>(i) * step); d > worst.value)
            worst = {i, d};
    return worst;
}

MapAxis map_axis(const h5::Reader& file, const std::string& path, const std::vector<double>& values) {
    constexpr double tolerance_steps = 0.01;
    const double step = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
    const Deviation off = deviation_from_line(values);
    if (!(step != 0) || off.value > tolerance_steps * std::abs(step))
        file.refuse(path,
                    fmt::format("does not go in equal steps: value {} lies {:.3g} off, at most {:.3g} are allowed; "
                                "resample it",
                                off.index, off.value, tolerance_steps * std::abs(step)));
    return {values.front(), step, std::ssize(values)};
}

UniformAxis read_uniform_axis(const h5::Reader& file, const AxisPaths& paths, std::int64_t count) {
    const std::vector<double> values =
        file.numbers(paths.values, {.rows = count, .columns = {}, .meaning = paths.meaning});
    check_increasing(file, paths.values, values, paths.unit);
    const auto stored = file.optional_number(paths.spacing);
    if (stored) check_positive(file, paths.spacing, *stored, paths.unit);
    if (values.size() < 2) {
        if (!stored)
            file.refuse(paths.spacing,
                        fmt::format("is missing, expected the step of {}, which holds a single value", paths.values));
        return {values.front(), *stored};
    }
    const double span = values.back() - values.front(), mean = span / static_cast<double>(values.size() - 1);
    const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
    const double exact = 2 * rounding_of<double>(largest);
    // A value and the ends of the line through the first and the last are off by one rounding each.
    const double rounding = went_through_float32(values) ? 2 * rounding_of<float>(largest) : exact;
    const double allowed = std::max(0.01 * mean, rounding);
    const Deviation worst = deviation_from_line(values);
    if (worst.value > allowed)
        file.refuse(
            paths.values,
            fmt::format("is not uniform: index {} lies {:.3g} {} beside a straight line; expected less than {:.3g} {}",
                        worst.index, worst.value, paths.unit, allowed, paths.unit));
    if (stored && std::abs(mean / *stored - 1) > 1e-4 + rounding / span)
        file.refuse(paths.spacing,
                    fmt::format("is {:.9g} {}, but {} rises by {:.9g} {} per step; expected agreement within 0.01 %",
                                *stored, paths.unit, paths.values, mean, paths.unit));
    if (rounding > exact && worst.value > exact) return fitted(values, stored);
    return {values.front(), stored.value_or(mean)};
}

}  // namespace cornerturn
