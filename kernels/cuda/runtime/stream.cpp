// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/stream.h"

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

double TimingEvent::ms_since(const TimingEvent& start) const {
    float ms = 0;
    check(cudaEventSynchronize(handle_.get()), "wait for the device");
    check(cudaEventElapsedTime(&ms, start.handle_.get(), handle_.get()), "read the time between two events");
    return ms;
}

void StreamClock::start(const Stream& stream) {
    if (open_ == most_open) seconds();
    if (open_ == spans_.size()) spans_.emplace_back();
    spans_[open_].start.record(stream);
}

void StreamClock::stop(const Stream& stream) { spans_[open_++].end.record(stream); }

double StreamClock::seconds() {
    for (; open_ > 0; --open_) seconds_ += 1e-3 * spans_[open_ - 1].end.ms_since(spans_[open_ - 1].start);
    return seconds_;
}

}  // namespace cornerturn
