// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

namespace cornerturn {
namespace {

constexpr double told_apart = 1e-3;  // of the time so far

}  // namespace

std::string lane_of_device(std::string_view lane, std::size_t number) {
    return number == 0 ? std::string(lane) : fmt::format("{} {}", lane, number + 1);
}

void Timeline::note(std::string_view lane, std::string_view name, Clock::time_point begin, Clock::time_point end) {
    const Span span{std::string(name), seconds(begin), seconds(end)};
    const std::lock_guard lock(mutex_);
    auto there = std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& known) { return known.name == lane; });
    if (there == lanes_.end()) there = lanes_.insert(lanes_.end(), {std::string(lane), {}});
    std::vector<Span>& spans = there->spans;
    if (!spans.empty() && spans.back().name == name && span.begin_s - spans.back().end_s <= told_apart * span.begin_s)
        spans.back().end_s = std::max(spans.back().end_s, span.end_s);
    else
        spans.push_back(span);
}

void Timeline::note(std::string_view lane, std::string_view name, std::span<const BusySpan> spans) {
    const Clock::time_point now = Clock::now();  // what a GPU has done by now may be placed a little later
    for (const BusySpan& span : spans) note(lane, name, std::min(span.begin, now), std::min(span.end, now));
}

std::vector<Timeline::Lane> Timeline::lanes() const {
    std::vector<Lane> lanes;
    {
        const std::lock_guard lock(mutex_);
        lanes = lanes_;
    }
    std::stable_sort(lanes.begin(), lanes.end(),
                     [](const Lane& a, const Lane& b) { return a.spans.front().begin_s < b.spans.front().begin_s; });
    return lanes;
}

/// What is told of a job is no reason to end it.
TimelineSpan::~TimelineSpan() {
    if (timeline_ == nullptr) return;
    try {
        timeline_->note(lane_, name_, begin_, Timeline::Clock::now());
    } catch (const std::exception&) {
    }
}

LongestWork longest_work(std::span<const Timeline::Lane> lanes) {
    LongestWork longest;
    for (const Timeline::Lane& lane : lanes) {
        std::map<std::string, double> sums;
        for (const Timeline::Span& span : lane.spans) sums[span.name] += span.end_s - span.begin_s;
        for (const auto& [name, seconds] : sums)
            if (seconds > longest.seconds) longest = {lane.name, name, seconds};
    }
    return longest;
}

double busy_s(std::span<const Timeline::Lane> lanes) {
    std::vector<std::pair<double, double>> all;
    for (const Timeline::Lane& lane : lanes)
        for (const Timeline::Span& span : lane.spans) all.emplace_back(span.begin_s, span.end_s);
    std::sort(all.begin(), all.end());
    double sum = 0, until = 0;
    for (const auto& [begin, end] : all) {
        sum += std::max(0.0, end - std::max(begin, until));
        until = std::max(until, end);
    }
    return sum;
}

}  // namespace cornerturn
