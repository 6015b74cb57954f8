// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/fits/surface_fit.h"

#include <cmath>
#include <utility>

namespace cornerturn {

std::vector<Power> powers_up_to(int most_i, int most_j) {
    std::vector<Power> powers;
    for (int i = 0; i <= most_i; ++i)
        for (int j = 0; j <= most_j; ++j) powers.push_back({i, j});
    return powers;
}

SmoothSurface with_powers(SmoothSurface surface, const std::vector<Power>& powers, const std::vector<double>& values) {
    for (std::size_t k = 0; k < powers.size(); ++k) surface.powers[powers[k].i][powers[k].j] = values[k];
    return surface;
}

/// By the normal equations, which a handful of well scaled unknowns allows, and Gauss and Jordan.
LeastSquares least_squares(const std::vector<std::vector<double>>& rows, const std::vector<double>& right) {
    const std::size_t n = rows.empty() ? 0 : rows[0].size();
    std::vector<std::vector<double>> a(n,
                                       std::vector<double>(2 * n + 1, 0.0));  // normal matrix, right side, unit matrix
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) a[i][k] += rows[r][i] * rows[r][k];
            a[i][n] += rows[r][i] * right[r];
        }
    for (std::size_t i = 0; i < n; ++i) a[i][n + 1 + i] = 1;
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t pivot = i;
        for (std::size_t k = i + 1; k < n; ++k)
            if (std::abs(a[k][i]) > std::abs(a[pivot][i])) pivot = k;
        std::swap(a[i], a[pivot]);
        if (a[i][i] == 0) continue;
        for (std::size_t k = 0; k < n; ++k) {
            const double factor = k == i ? 0.0 : a[k][i] / a[i][i];
            for (std::size_t c = i; c < a[k].size(); ++c) a[k][c] -= factor * a[i][c];
        }
    }
    LeastSquares found;
    for (std::size_t i = 0; i < n; ++i) {
        const bool told = a[i][i] != 0;
        found.solution.push_back(told ? a[i][n] / a[i][i] : 0.0);
        found.deviation.push_back(told ? std::sqrt(std::abs(a[i][n + 1 + i] / a[i][i])) : 0.0);
    }
    return found;
}

std::vector<std::vector<double>> rows_of(const SmoothSurface& frame, const std::vector<Power>& powers,
                                         const std::vector<SurfacePoint>& points) {
    std::vector<std::vector<double>> rows;
    for (const SurfacePoint& point : points) {
        const double u = (point.x - frame.x_centre) / frame.x_half, v = (point.y - frame.y_centre) / frame.y_half;
        rows.emplace_back();
        for (const Power& power : powers)
            rows.back().push_back(std::sqrt(point.weight) * std::pow(u, power.i) * std::pow(v, power.j));
    }
    return rows;
}

SmoothSurface fit_surface(const SmoothSurface& frame, const std::vector<Power>& powers,
                          const std::vector<SurfacePoint>& points) {
    std::vector<double> right;
    for (const SurfacePoint& point : points) right.push_back(std::sqrt(point.weight) * point.value);
    return with_powers(frame, powers, least_squares(rows_of(frame, powers, points), right).solution);
}

}  // namespace cornerturn
