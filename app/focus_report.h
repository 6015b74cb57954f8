// SPDX-License-Identifier: Apache-2.0
// What a run of focus says of itself: as text for people, as JSON for programs.
#pragma once

#include <chrono>
#include <string>

#include "pipeline/focus.h"

namespace cornerturn {

/// Seconds since the last lap.
class StageTimer {
public:
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double seconds = std::chrono::duration<double>(now - since_).count();
        since_ = now;
        return seconds;
    }

private:
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// Geometry, lengths, resolution and memory plan, several lines (--dry-run).
std::string setup_text(const Acquisition& acquisition, const FocusSetup& setup, const DeviceInfo& device);

/// One line: what was made, on what, in which time.
std::string summary_line(const std::string& output, const DeviceInfo& device, const FocusReport& report);

/// Writes the JSON report; complete or not at all.
void write_report(const std::string& path, const std::string& input, const std::string& output, const Acquisition& acquisition,
                  const DeviceInfo& device, const FocusReport& report);

}  // namespace cornerturn
