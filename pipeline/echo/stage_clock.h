// SPDX-License-Identifier: Apache-2.0
// Wall-clock time from one stage to the next.
#pragma once

#include <chrono>

namespace cornerturn {

class StageClock {
public:
    /// Seconds since the last lap.
    double lap() {
        const auto now = Clock::now();
        const double seconds = std::chrono::duration<double>(now - since_).count();
        since_ = now;
        return seconds;
    }
    /// Seconds since the beginning.
    double total() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now(), since_ = start_;
};

}  // namespace cornerturn
