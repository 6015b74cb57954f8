// SPDX-License-Identifier: Apache-2.0
// Is a matrix product right? Against the definition in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/device/matrix_product_variant.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// Signal-to-error ratio, and what was wrong ("": nothing).
struct ProductVerdict {
    double db = 0;
    std::string wrong;
};

/// Holds both factors; T is float, Complex64 or Complex128.
template <class T>
class ProductCheck {
public:
    ProductCheck(std::vector<T> a, std::vector<T> b, const ProductShape& shape)
        : a_(std::move(a)), b_(std::move(b)), shape_(shape) {
        rows_ = chosen(shape.m, shape.n), columns_ = chosen(shape.n, shape.m);
        for (const std::int64_t row : rows_) row_values_.push_back(product_row(row));
        for (const std::int64_t column : columns_) column_values_.push_back(product_column(column));
        std::vector<Wide> weighted(static_cast<std::size_t>(shape.k));
        for (std::int64_t inner = 0; inner < shape.k; ++inner)
            weighted[at(inner)] = weighted_sum(b_.data() + inner * shape.n);
        for (std::int64_t row = 0; row < shape.m; ++row) row_sums_.push_back(dot(row, weighted.data()));
    }

    ProductVerdict operator()(const std::vector<T>& c) const {
        double error = 0, energy = 0;
        const auto compare = [&](T got, Wide expected) {
            error += std::norm(widen(got) - expected), energy += std::norm(expected);
        };
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (std::int64_t column = 0; column < shape_.n; ++column)
                compare(c[at(rows_[i] * shape_.n + column)], row_values_[i][at(column)]);
        for (std::size_t i = 0; i < columns_.size(); ++i)
            for (std::int64_t row = 0; row < shape_.m; ++row)
                compare(c[at(row * shape_.n + columns_[i])], column_values_[i][at(row)]);
        const double ratio = std::sqrt(error / energy);
        ProductVerdict verdict{.db = error > 0 ? std::min(999.0, -20 * std::log10(ratio)) : 999, .wrong = {}};
        // A running sum of k random terms errs by about sqrt(k) / 2 roundings of its own size. The order of the
        // comparison catches NaN.
        if (!(ratio < tolerance())) verdict.wrong = "the error is " + std::to_string(ratio) + " of the result";
        for (std::int64_t row = 0; row < shape_.m && verdict.wrong.empty(); ++row)
            if (!row_sum_fits(c.data() + row * shape_.n, row_sums_[at(row)]))
                verdict.wrong = "row " + std::to_string(row) + " is wrong";
        return verdict;
    }

private:
    using Wide = std::conditional_t<std::is_same_v<T, float>, double, std::complex<double>>;

    static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
    static double widen(float x) { return x; }
    template <class Real>
    static std::complex<double> widen(Complex<Real> x) {
        return {x.re, x.im};
    }

    double tolerance() const {
        const double epsilon = std::is_same_v<T, Complex128> ? std::numeric_limits<double>::epsilon()
                                                             : double{std::numeric_limits<float>::epsilon()};
        return epsilon * (1 + std::sqrt(static_cast<double>(shape_.k)));
    }

    /// All lines of a small matrix, else the outermost and a few between.
    std::vector<std::int64_t> chosen(std::int64_t lines, std::int64_t others) const {
        constexpr double quick = 3e8;  // multiplications
        constexpr std::int64_t few = 8;
        if (shape_.multiplications() <= quick && lines >= others) {
            std::vector<std::int64_t> all(at(lines));
            for (std::int64_t i = 0; i < lines; ++i) all[at(i)] = i;
            return all;
        }
        std::set<std::int64_t> some;
        for (std::int64_t i = 0; i < few; ++i) some.insert(i * (lines - 1) / (few - 1));
        return {some.begin(), some.end()};
    }

    std::vector<Wide> product_row(std::int64_t row) const {
        std::vector<Wide> sum(at(shape_.n));
        for (std::int64_t inner = 0; inner < shape_.k; ++inner) {
            const Wide factor = widen(a_[at(row * shape_.k + inner)]);
            const T* from = b_.data() + inner * shape_.n;
            for (std::int64_t column = 0; column < shape_.n; ++column) sum[at(column)] += factor * widen(from[column]);
        }
        return sum;
    }

    Wide dot(std::int64_t row, const Wide* vector) const {
        Wide sum{};
        for (std::int64_t inner = 0; inner < shape_.k; ++inner)
            sum += widen(a_[at(row * shape_.k + inner)]) * vector[inner];
        return sum;
    }

    std::vector<Wide> product_column(std::int64_t column) const {
        std::vector<Wide> from(at(shape_.k)), sum(at(shape_.m));
        for (std::int64_t inner = 0; inner < shape_.k; ++inner)
            from[at(inner)] = widen(b_[at(inner * shape_.n + column)]);
        for (std::int64_t row = 0; row < shape_.m; ++row) sum[at(row)] = dot(row, from.data());
        return sum;
    }

    /// Weights between 1/2 and 1 that look random, of either sign.
    static double weight(std::int64_t column) {
        const std::uint64_t mixed = (static_cast<std::uint64_t>(column) + 1) * 0x9E3779B97F4A7C15u;
        const double magnitude = 0.5 + 0.5 * static_cast<double>(mixed >> 40) / double{1 << 24};
        return (mixed >> 39 & 1) != 0 ? magnitude : -magnitude;
    }
    Wide weighted_sum(const T* line) const {
        Wide sum{};
        for (std::int64_t column = 0; column < shape_.n; ++column) sum += weight(column) * widen(line[column]);
        return sum;
    }
    /// Roundings add up like a random walk; a wrong element of the size of its neighbours is far beyond.
    bool row_sum_fits(const T* row, Wide expected) const {
        double energy = 0;
        for (std::int64_t column = 0; column < shape_.n; ++column) energy += std::norm(widen(row[column]));
        return std::abs(weighted_sum(row) - expected) <= 8 * tolerance() * std::sqrt(energy);
    }

    std::vector<T> a_, b_;
    ProductShape shape_;
    std::vector<std::int64_t> rows_, columns_;
    std::vector<std::vector<Wide>> row_values_, column_values_;
    std::vector<Wide> row_sums_;
};

}  // namespace cornerturn
