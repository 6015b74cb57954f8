// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/stream.h"

#include "kernels/cuda/check.h"

namespace cornerturn {

Stream::Stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
    handle_.reset(stream);
}

void Stream::synchronize() const { check(cudaStreamSynchronize(get()), "wait for the device"); }

void Stream::record(const Event& event) const { check(cudaEventRecord(event.get(), get()), "record an event"); }

Event::Event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event");
    handle_.reset(event);
}

void Event::synchronize() const { check(cudaEventSynchronize(get()), "wait for the device"); }

}  // namespace cornerturn
