// SPDX-License-Identifier: Apache-2.0
// The phase error over slow time that autofocus found in an echo and removed.
#pragma once

#include <string_view>
#include <vector>

namespace cornerturn {

/// How the phase error of an echo's lines is found in its image.
enum class Autofocus { none, phase_gradient, minimum_entropy };

/// As on the command line: none, pga, entropy.
std::string_view name_of(Autofocus method);
/// "phase gradient (PGA)"
std::string_view title_of(Autofocus method);
/// Throws InputError listing the names.
Autofocus autofocus_named(std::string_view name);

/// Positive where the echo's phase is too large: each line was multiplied with exp(-j phase). Without constant and
/// linear part, which move no focus: the linear one would be a shift.
struct AutofocusRecord {
    Autofocus method = Autofocus::none;
    double first_time_s = 0;  ///< of the first line's transmission, since the epoch
    double time_spacing_s = 0;
    std::vector<double> times_s = {};  ///< of each line, where they are not in equal steps
    std::vector<double> phase_rad;     ///< of each line
    friend bool operator==(const AutofocusRecord&, const AutofocusRecord&) = default;
};

}  // namespace cornerturn
