// SPDX-License-Identifier: Apache-2.0
// Smooth functions of one or two variables as Chebyshev series (Trefethen 2013, ch. 2 to 4 and 8).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace cornerturn {

/// The points of an interval at which a series of `count` terms is taken.
std::vector<double> chebyshev_points(double from, double to, int count);

/// sum c_k T_k over an interval; a polynomial, so it goes on a little way outside.
class ChebyshevSeries {
public:
    ChebyshevSeries() = default;
    ChebyshevSeries(double from, double to, std::vector<double> coefficients)
        : centre_(0.5 * (from + to)), half_(0.5 * (to - from)), coefficients_(std::move(coefficients)) {}
    /// Through the values at chebyshev_points(from, to, values.size()).
    static ChebyshevSeries through(double from, double to, const std::vector<double>& values);
    /// Of a function, with as many terms as it takes until the last ones lie below `tolerance`, at most `most`.
    template <class Function>
    static ChebyshevSeries of(double from, double to, double tolerance, int most, const Function& function) {
        for (int count = std::min(8, most);; count = std::min(count * 3 / 2, most)) {
            std::vector<double> values;
            for (const double x : chebyshev_points(from, to, count)) values.push_back(function(x));
            ChebyshevSeries series = through(from, to, values);
            if (count >= most || series.tail() < tolerance) return series;
        }
    }

    double operator()(double x) const;
    ChebyshevSeries derivative() const;
    const std::vector<double>& coefficients() const { return coefficients_; }
    double from() const { return centre_ - half_; }
    double to() const { return centre_ + half_; }
    /// The largest of the last two coefficients: what the terms behind them may amount to.
    double tail() const;
    /// Coefficients of the powers of (x - centre) / half.
    std::vector<double> powers() const;
    friend bool operator==(const ChebyshevSeries&, const ChebyshevSeries&) = default;

private:
    double centre_ = 0, half_ = 1;
    std::vector<double> coefficients_;
};

/// From the values at chebyshev_points of an interval to the coefficients of the powers of (x - centre) / half, in one
/// matrix.
class PowersThrough {
public:
    explicit PowersThrough(int count);
    /// `values` and `powers` hold as many numbers as there are points.
    void operator()(const double* values, double* powers) const;

private:
    std::size_t count_;
    std::vector<double> matrix_;  // [power][point]
};

/// A function of (x, y) that is a Chebyshev series in y, whose coefficients are Chebyshev series in x.
class ChebyshevSurface {
public:
    ChebyshevSurface() = default;
    /// Through series in y, over the same interval each, at chebyshev_points(from_x, to_x, series.size()).
    ChebyshevSurface(double from_x, double to_x, const std::vector<ChebyshevSeries>& series);

    ChebyshevSeries at(double x) const;
    /// Over x.
    ChebyshevSeries along_x(double y) const;
    double operator()(double x, double y) const;
    friend bool operator==(const ChebyshevSurface&, const ChebyshevSurface&) = default;

private:
    double coefficient(std::size_t term, const double* basis) const;

    double from_x_ = 0, to_x_ = 1, from_y_ = 0, to_y_ = 1;
    std::size_t x_terms_ = 0, y_terms_ = 0;
    std::vector<double> coefficients_;  // [term in y][term in x]
};

}  // namespace cornerturn
