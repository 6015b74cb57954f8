// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/phased_echo.h"

#include <numbers>
#include <stdexcept>

namespace cornerturn {

PhasedEcho::PhasedEcho(EchoSource& source, std::span<const double> phase_rad)
    : DescribedEcho(source, source.acquisition()) {
    if (std::ssize(phase_rad) != acquisition_.lines)
        throw std::logic_error("as many phases are wanted as the echo has lines");
    acquisition_.line_phase_cycles.resize(phase_rad.size());
    for (std::size_t line = 0; line < phase_rad.size(); ++line)
        acquisition_.line_phase_cycles[line] -= phase_rad[line] / (2 * std::numbers::pi);
}

}  // namespace cornerturn
