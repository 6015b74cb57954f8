// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/descalloped_echo.h"

#include <stdexcept>

namespace cornerturn {

DescallopedEcho::DescallopedEcho(EchoSource& source, const ElementPattern& pattern)
    : DescribedEcho(source, source.acquisition()) {
    if (!acquisition_.burst) throw std::logic_error("no burst, whose beam is steered");
    const Burst& burst = *acquisition_.burst;
    std::vector<float>& gain = acquisition_.decoding.line_gain;
    gain.resize(static_cast<std::size_t>(acquisition_.lines), 1.0f);
    // Half way between emission and reception.
    const double later_s = acquisition_.range_m(0.5 * static_cast<double>(acquisition_.samples)) / c_m_s;
    for (std::size_t line = 0; line < gain.size(); ++line) {
        const double time_s = acquisition_.pulse_time_s(static_cast<double>(line)) + later_s;
        gain[line] /= static_cast<float>(pattern.gain(burst.steering_rad_s * (time_s - burst.broadside_time_s)));
    }
}

}  // namespace cornerturn
