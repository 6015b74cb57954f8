// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/stream.h"

#include <utility>

#include "kernels/cuda/runtime/check.h"

namespace cornerturn {

Stream::Stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
    handle_.reset(stream);
}

void Stream::synchronize() const { check(cudaStreamSynchronize(get()), "wait for the device"); }

void Stream::record(const Event& event) const { check(cudaEventRecord(event.get(), get()), "record an event"); }

void Stream::wait(const Event& event) const {
    check(cudaStreamWaitEvent(get(), event.get(), 0), "let a stream wait for an event");
}

Event::Event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event");
    handle_.reset(event);
}

void Event::synchronize() const { check(cudaEventSynchronize(get()), "wait for the device"); }

TimingEvent::TimingEvent() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), "create an event");
    handle_.reset(event);
}

void TimingEvent::record(const Stream& stream) const {
    check(cudaEventRecord(handle_.get(), stream.get()), "record an event");
}

void TimingEvent::synchronize() const { check(cudaEventSynchronize(handle_.get()), "wait for the device"); }

double TimingEvent::ms_since(const TimingEvent& start) const {
    float ms = 0;
    synchronize();
    check(cudaEventElapsedTime(&ms, start.handle_.get(), handle_.get()), "read the time between two events");
    return ms;
}

void StreamClock::start(const Stream& stream) {
    if (!origin_) {
        origin_.emplace();
        origin_->record(stream);
        origin_->synchronize();
        origin_time_ = std::chrono::steady_clock::now();
    }
    if (open_ == most_open) seconds();
    if (open_ == spans_.size()) spans_.emplace_back();
    spans_[open_].start.record(stream);
}

void StreamClock::stop(const Stream& stream) { spans_[open_++].end.record(stream); }

BusySpan StreamClock::placed(const Span& span) const {
    const auto at = [&](const TimingEvent& mark) {
        const std::chrono::duration<double, std::milli> since(mark.ms_since(*origin_));
        return origin_time_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(since);
    };
    return {at(span.start), at(span.end)};
}

double StreamClock::seconds() {
    for (std::size_t i = 0; i < open_; ++i) {
        seconds_ += 1e-3 * spans_[i].end.ms_since(spans_[i].start);
        if (passed_.size() < most_kept) passed_.push_back(placed(spans_[i]));
    }
    open_ = 0;
    return seconds_;
}

std::vector<BusySpan> StreamClock::take_spans() {
    seconds();
    return std::exchange(passed_, {});
}

}  // namespace cornerturn
