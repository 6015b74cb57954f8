// SPDX-License-Identifier: Apache-2.0
// Spotlights in memory, as they come back from CPHD.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/cphd/writer.h"

namespace cornerturn {

inline Echo simulated_spotlight(const Scene& scene) {
    std::vector<std::string> warnings;
    const auto source = simulated_cphd(scene, {.threads = 2}, warnings);
    Echo echo{source->acquisition(), {}};
    echo.samples.resize(echo.acquisition.sample_bytes());
    source->read(0, echo.acquisition.lines, echo.samples);
    return echo;
}

/// Without some pulses that follow each other, as where a radar does something else meanwhile.
inline Echo with_gap(Echo echo, std::int64_t first, std::int64_t count) {
    Acquisition& acquisition = echo.acquisition;
    PhaseHistory history = *acquisition.phase_history;
    std::vector<double> sent_s;
    for (std::int64_t line = 0; line < acquisition.lines; ++line)
        sent_s.push_back(acquisition.pulse_time_s(static_cast<double>(line)));
    const auto erase = [&](auto& values, std::int64_t each = 1) {
        values.erase(values.begin() + first * each, values.begin() + (first + count) * each);
    };
    erase(sent_s), erase(history.antenna_m), erase(history.velocity_m_s), erase(history.opens_s);
    erase(echo.samples, acquisition.samples * static_cast<std::int64_t>(bytes_per_sample(acquisition.format)));
    acquisition.lines -= count;
    acquisition.pulse_times_s = sent_s;
    acquisition.phase_history = std::make_shared<const PhaseHistory>(std::move(history));
    return echo;
}

}  // namespace cornerturn
