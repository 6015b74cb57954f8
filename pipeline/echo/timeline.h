// SPDX-License-Identifier: Apache-2.0
// Timeline of a job: spans of work, noted by the parts that do it and reported at the end.
#pragma once

#include <chrono>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/busy_span.h"

namespace cornerturn {

/// The parts of a job that run beside each other. Of several devices, those behind the first have lanes of their own
/// (lane_of_device).
namespace lane {
inline constexpr std::string_view device = "device set-up", input = "input", plan = "plan",
                                  to_device = "copy to device", compute = "compute", to_host = "copy to host",
                                  gather = "gather rows", output = "output", deflate = "deflate";
}
/// "compute", "compute 2", ...; `number` begins with 0.
std::string lane_of_device(std::string_view lane, std::size_t number);

/// The timeline of one job. Any thread may add spans; jobs hand it on by FocusOptions::timeline.
class Timeline {
public:
    using Clock = std::chrono::steady_clock;
    /// In s since the job began.
    struct Span {
        std::string name;
        double begin_s = 0, end_s = 0;
    };
    struct Lane {
        std::string name;
        std::vector<Span> spans;  ///< in order of time
    };

    Timeline() = default;
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    /// Seconds since the job began.
    double now_s() const { return seconds(Clock::now()); }
    /// A span that goes on with the one noted before in its lane, or after less than a thousandth of the time so far,
    /// makes that one longer: a job of many lines notes no more than can be told apart. A lane is for one thread at a
    /// time.
    void note(std::string_view lane, std::string_view name, Clock::time_point begin, Clock::time_point end);
    void note(std::string_view lane, std::string_view name, std::span<const BusySpan> spans);

    /// The lanes so far, in the order in which they began.
    std::vector<Lane> lanes() const;

private:
    double seconds(Clock::time_point at) const { return std::chrono::duration<double>(at - start_).count(); }

    const Clock::time_point start_ = Clock::now();
    mutable std::mutex mutex_;
    std::vector<Lane> lanes_;
};

/// Adds a span for its own lifetime. Without a timeline it does nothing.
class TimelineSpan {
public:
    /// The timeline must outlive it.
    TimelineSpan(Timeline* timeline, std::string_view lane, std::string_view name)
        : timeline_(timeline), lane_(lane), name_(name), begin_(Timeline::Clock::now()) {}
    ~TimelineSpan();
    TimelineSpan(const TimelineSpan&) = delete;
    TimelineSpan& operator=(const TimelineSpan&) = delete;

private:
    Timeline* timeline_;
    std::string lane_, name_;
    Timeline::Clock::time_point begin_;
};

/// The longest work of all lanes: spans of one name in one lane together.
struct LongestWork {
    std::string lane, name;
    double seconds = 0;
};
LongestWork longest_work(std::span<const Timeline::Lane> lanes);
/// Time in which at least one lane was busy.
double busy_s(std::span<const Timeline::Lane> lanes);

}  // namespace cornerturn
