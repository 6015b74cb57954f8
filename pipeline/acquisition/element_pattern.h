// SPDX-License-Identifier: Apache-2.0
// Element pattern of a phased array: the gain that every steered beam has in the direction it points to.
#pragma once

#include <vector>

namespace cornerturn {

/// Along the track, of two ways, in amplitude, 1 broadside.
class ElementPattern {
public:
    /// Of an evenly lit aperture: sinc²(length sin(angle) / wavelength).
    static ElementPattern of_aperture(double length_m, double wavelength_m);
    /// As it was measured: in dB, an odd number of values in equal steps about broadside. Throws std::logic_error for
    /// others.
    ElementPattern(double step_rad, std::vector<double> gain_db);

    /// Off broadside, ahead. Beyond what was measured that at its end.
    double gain(double angle_rad) const;

private:
    ElementPattern() = default;
    double lengths_ = 0;  ///< of an aperture, in wavelengths
    double step_rad_ = 0;
    std::vector<double> gain_db_;
};

}  // namespace cornerturn
