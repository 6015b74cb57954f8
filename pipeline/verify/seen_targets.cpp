// SPDX-License-Identifier: Apache-2.0
#include "pipeline/verify/seen_targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/proof/exact_pixels.h"

namespace cornerturn {
namespace {

/// Pulses are told with half an interval more at either end.
constexpr double beside_lines = 0.75;

bool holds_lines(const Acquisition& echo, const TimeSpan& seen_s) {
    return echo.line_at(seen_s.first_s) >= -beside_lines &&
           echo.line_at(seen_s.last_s) <= static_cast<double>(echo.lines - 1) + beside_lines;
}

/// Ranges change smoothly along an aperture: some of its pulses tell of all.
bool holds_samples(const Acquisition& echo, const PointTarget& target, const TimeSpan& seen_s) {
    constexpr int looks = 17;
    const RadarGeometry geometry = recorded_geometry(echo, echo.effective_velocity_m_s.value_or(0));
    const Place place =
        to_place(geometry.zero_doppler_place({target.zero_doppler_time_s, target.range_m}, target.height_m));
    const double first = echo.line_at(seen_s.first_s), last = echo.line_at(seen_s.last_s);
    for (int look = 0; look < looks; ++look) {
        const double line =
            std::clamp(first + (last - first) * look / (looks - 1), 0.0, static_cast<double>(echo.lines - 1));
        const IndexRange samples = pulse_echo(geometry.timing(), geometry.path(line), place).samples;
        if (samples.first < 0 || samples.last > echo.samples) return false;
    }
    return true;
}

bool holds(const Acquisition& echo, const PointTarget& target) {
    if (echo.sums_all_pulses() || !target.illuminated_s) return true;
    if (!holds_lines(echo, *target.illuminated_s)) return false;
    return !(echo.orbit || echo.effective_velocity_m_s) || holds_samples(echo, target, *target.illuminated_s);
}

}  // namespace

bool SeenTargets::any() const {
    return std::any_of(whole.begin(), whole.end(), [](bool is_whole) { return is_whole; });
}

std::string SeenTargets::remark() const {
    const auto cut = std::count(whole.begin(), whole.end(), false);
    if (cut == 0) return "";
    return fmt::format("{} of {} targets {} not judged: the echo does not hold all lines and samples that see {}", cut,
                       whole.size(), cut == 1 ? "is" : "are", cut == 1 ? "it" : "them");
}

SeenTargets seen_targets(const Acquisition& echo) {
    SeenTargets seen;
    for (const PointTarget& target : echo.truth) seen.whole.push_back(holds(echo, target));
    return seen;
}

}  // namespace cornerturn
