// SPDX-License-Identifier: Apache-2.0
// Arrivals of nodes and pixels in lines and blocks, cell and phase: smooth functions of row and column, as
// polynomials through values at Chebyshev points.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/math/chebyshev.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// Nodes that a CPU takes together: the cell of their arrivals is a parabola, the phase of third degree. Rows of nodes
/// are whole groups.
inline constexpr int nodes_at_a_time = 16;

/// Rows and columns, or cells, over which a law is known.
struct LawArea {
    double from_row = 0, to_row = 0, from_column = 0, to_column = 0;

    CT_HOST_DEVICE double row_part(double row) const { return part(row, from_row, to_row); }
    CT_HOST_DEVICE double column_part(double column) const { return part(column, from_column, to_column); }
    double column_half() const { return 0.5 * (to_column - from_column); }

private:
    CT_HOST_DEVICE static double part(double at, double from, double to) {
        return to > from ? (2 * at - from - to) / (to - from) : 0.0;
    }
};

/// A polynomial of a part, which goes from -1 to 1.
CT_HOST_DEVICE double polynomial(const double* power, int terms, double part) {
    double sum = 0;
    for (int i = terms - 1; i >= 0; --i) sum = sum * part + power[i];
    return sum;
}

/// A polynomial near a part: its value, its slope, half its second derivative and a sixth of its third.
template <class Value>
struct LocalCubic {
    Value value, slope, bend, cube;
};
/// `Value`: double, or a vector of them.
template <class Value>
CT_HOST_DEVICE LocalCubic<Value> cubic_about(const double* power, int terms, const Value& part) {
    LocalCubic<Value> at{};
    for (int i = terms - 1; i >= 0; --i)
        at = {at.value * part + power[i], at.slope * part + at.value, at.bend * part + at.slope,
              at.cube * part + at.bend};
    return at;
}

/// A law along a row: powers of the part of the columns, which goes from -1 to 1.
struct LawAlongRow {
    static constexpr int most_terms = 24;
    LawArea area;
    int terms = 0;
    double power[most_terms];

    double at(double column) const { return polynomial(power, terms, area.column_part(column)); }
};

/// How many terms laws have, each way, and what goes through their values.
class LawFit {
public:
    LawFit(int row_terms, int column_terms)
        : row_terms_(row_terms),
          column_terms_(column_terms),
          through_rows_(row_terms),
          through_columns_(column_terms) {}

    std::size_t points() const { return static_cast<std::size_t>(row_terms_ * column_terms_); }
    /// Calls at(number, row, column) for each point.
    template <class At>
    void for_points(const LawArea& area, const At& at) const {
        std::size_t number = 0;
        const std::vector<double> rows = chebyshev_points(area.from_row, area.to_row, row_terms_);
        for (const double column : chebyshev_points(area.from_column, area.to_column, column_terms_))
            for (const double row : rows) at(number++, row, column);
    }
    /// From values at the points, in their order, to what `along` takes.
    void fit(const double* values, double* coefficients) const {
        const auto rows = static_cast<std::size_t>(row_terms_), columns = static_cast<std::size_t>(column_terms_);
        double of_rows[LawAlongRow::most_terms * LawAlongRow::most_terms], of_row[LawAlongRow::most_terms],
            powers[LawAlongRow::most_terms];
        for (std::size_t k = 0; k < columns; ++k) through_rows_(values + k * rows, of_rows + k * rows);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t k = 0; k < columns; ++k) of_row[k] = of_rows[k * rows + i];
            through_columns_(of_row, powers);
            for (std::size_t k = 0; k < columns; ++k) coefficients[k * rows + i] = powers[k];
        }
    }
    LawAlongRow along(const LawArea& area, const double* coefficients, double row) const {
        LawAlongRow law{area, column_terms_, {}};
        const double part = area.row_part(row);
        for (int k = 0; k < column_terms_; ++k)
            law.power[k] = polynomial(coefficients + k * row_terms_, row_terms_, part);
        return law;
    }

private:
    int row_terms_, column_terms_;
    PowersThrough through_rows_, through_columns_;
};

/// A law in the middles of groups of columns: its value, its slope, half its second derivative and a sixth of its
/// third.
struct LawOfGroups {
    double *value, *slope, *bend, *cube;
};
void along_groups(const LawAlongRow& law, double first_middle, double step, std::size_t groups, const LawOfGroups& to);

/// A series at `count` places from `first` on, `step` apart, in vector code.
void values_along(const ChebyshevSeries& series, double first, double step, std::size_t count, double* to);

}  // namespace cornerturn
