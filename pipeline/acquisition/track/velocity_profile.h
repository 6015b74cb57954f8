// SPDX-License-Identifier: Apache-2.0
// The effective velocity over closest range, as plain data.
#pragma once

#include <vector>

namespace cornerturn {

/// The polynomial through values at Chebyshev points of an interval of ranges (barycentric formula), held outside it.
class VelocityProfile {
public:
    VelocityProfile() : VelocityProfile(0) {}
    /// The same everywhere.
    explicit VelocityProfile(double velocity_m_s) : VelocityProfile(0, 0, 1, [=](double) { return velocity_m_s; }) {}
    /// Through `points` values of `velocity_m_s(range_m)`.
    template <class Function>
    VelocityProfile(double from_m, double to_m, int points, Function velocity_m_s)
        : centre_m_(0.5 * (from_m + to_m)), half_m_(0.5 * (to_m - from_m)) {
        for (int k = 0; k < points; ++k) {
            nodes_.push_back(node(k, points));
            weights_.push_back(weight(k, points));
            values_m_s_.push_back(velocity_m_s(centre_m_ + half_m_ * nodes_.back()));
        }
    }

    double operator()(double range_m) const;
    friend bool operator==(const VelocityProfile&, const VelocityProfile&) = default;

private:
    static double node(int k, int points);
    static double weight(int k, int points);

    double centre_m_, half_m_;
    std::vector<double> nodes_, weights_, values_m_s_;
};

}  // namespace cornerturn
