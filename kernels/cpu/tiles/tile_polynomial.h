// SPDX-License-Identifier: Apache-2.0
// A smooth function over a tile of pixels and their heights: a polynomial through its values at Chebyshev nodes.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "kernels/math/host_device.h"

namespace cornerturn {

/// Powers of x, y and height, each as a part of its half extent.
struct TilePolynomial {
    static constexpr std::size_t in_x = 6, in_y = 6, in_height = 3;
    double per_x = 0, per_y = 0, per_height = 0;
    std::array<std::array<std::array<double, in_height>, in_y>, in_x> of = {};

    CT_HOST_DEVICE double at(double x, double y, double height) const {
        const double w = height * per_height;
        return sum(x, y,
                   [&](std::size_t i, std::size_t k) { return of[i][k][0] + w * (of[i][k][1] + w * of[i][k][2]); });
    }
    /// At no height.
    CT_HOST_DEVICE double at(double x, double y) const {
        return sum(x, y, [&](std::size_t i, std::size_t k) { return of[i][k][0]; });
    }
    /// Likewise, at x: powers of y as a part of its half extent.
    CT_HOST_DEVICE std::array<double, in_y> of_y_at(double x) const {
        const double u = x * per_x;
        std::array<double, in_y> powers = {};
        for (std::size_t i = in_x; i-- > 0;)
            for (std::size_t k = 0; k < in_y; ++k) powers[k] = powers[k] * u + of[i][k][0];
        return powers;
    }

    /// Of the same tile.
    TilePolynomial& operator-=(const TilePolynomial& b) {
        return with_each(b, [](double& a, double of_b) { a -= of_b; });
    }
    TilePolynomial& operator*=(double factor) {
        return with_each(*this, [factor](double& a, double) { a *= factor; });
    }
    void round_to_floats() {
        with_each(*this, [](double& a, double) { a = static_cast<float>(a); });
    }
    /// What it is at most in its tile, or more.
    double most() const {
        double sum = 0;
        for (const auto& of_x : of)
            for (const auto& of_y : of_x)
                for (const double a : of_y) sum += std::fabs(a);
        return sum;
    }

private:
    template <class Change>
    TilePolynomial& with_each(const TilePolynomial& b, const Change& change) {
        for (std::size_t i = 0; i < in_x; ++i)
            for (std::size_t k = 0; k < in_y; ++k)
                for (std::size_t h = 0; h < in_height; ++h) change(of[i][k][h], b.of[i][k][h]);
        return *this;
    }
    template <class Factor>
    CT_HOST_DEVICE double sum(double x, double y, const Factor& factor) const {
        const double u = x * per_x, v = y * per_y;
        double sum = 0;
        for (std::size_t i = in_x; i-- > 0;) {
            double along = 0;
            for (std::size_t k = in_y; k-- > 0;) along = along * v + factor(i, k);
            sum = sum * u + along;
        }
        return sum;
    }
};

/// The powers of the polynomial of least degree that is 1 at a Chebyshev node and 0 at the others.
template <std::size_t Count>
struct NodePolynomials {
    std::array<double, Count> node;
    std::array<std::array<double, Count>, Count> powers = {};  ///< [node][power]

    NodePolynomials() {
        for (std::size_t i = 0; i < Count; ++i)
            node[i] = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(Count));
        for (std::size_t i = 0; i < Count; ++i) {
            powers[i][0] = 1;
            for (std::size_t other = 0; other < Count; ++other) {
                if (other == i) continue;
                const double per = 1 / (node[i] - node[other]);
                for (std::size_t p = Count; p-- > 0;)
                    powers[i][p] = per * ((p > 0 ? powers[i][p - 1] : 0) - node[other] * powers[i][p]);
            }
        }
    }
};

/// Polynomials over a tile of so many pixels either way from its centre, and metres of height. 0 m: all pixels lie
/// level.
class TileFit {
public:
    TileFit(double half_x, double half_y, double half_height)
        : half_x_(half_x), half_y_(half_y), half_height_(half_height) {}

    std::size_t heights() const { return half_height_ > 0 ? TilePolynomial::in_height : 1; }

    /// Value of (x, y, height); asked for in the same order whatever it is.
    template <class Value>
    TilePolynomial operator()(Value value) const {
        constexpr std::size_t in_x = TilePolynomial::in_x, in_y = TilePolynomial::in_y;
        TilePolynomial sum{1 / half_x_, 1 / half_y_, half_height_ > 0 ? 1 / half_height_ : 0};
        // One direction after the other.
        auto of_x = decltype(sum.of){};
        for (std::size_t i = 0; i < in_x; ++i) {
            auto of_y = typename decltype(sum.of)::value_type{};
            for (std::size_t k = 0; k < in_y; ++k) {
                std::array<double, TilePolynomial::in_height> of_height = {};
                for (std::size_t h = 0; h < heights(); ++h) {
                    const double height = half_height_ > 0 ? half_height_ * in_height_.node[h] : 0;
                    const double at_node = value(half_x_ * in_x_.node[i], half_y_ * in_y_.node[k], height);
                    for (std::size_t c = 0; c < heights(); ++c)
                        of_height[c] += at_node * (heights() > 1 ? in_height_.powers[h][c] : 1);
                }
                for (std::size_t b = 0; b < in_y; ++b)
                    for (std::size_t c = 0; c < heights(); ++c) of_y[b][c] += of_height[c] * in_y_.powers[k][b];
            }
            of_x[i] = of_y;
        }
        for (std::size_t i = 0; i < in_x; ++i)
            for (std::size_t a = 0; a < in_x; ++a)
                for (std::size_t b = 0; b < in_y; ++b)
                    for (std::size_t c = 0; c < heights(); ++c) sum.of[a][b][c] += of_x[i][b][c] * in_x_.powers[i][a];
        return sum;
    }

private:
    double half_x_, half_y_, half_height_;
    NodePolynomials<TilePolynomial::in_x> in_x_;
    NodePolynomials<TilePolynomial::in_y> in_y_;
    NodePolynomials<TilePolynomial::in_height> in_height_;
};

}  // namespace cornerturn
