// SPDX-License-Identifier: Apache-2.0
// Owners of a CUDA stream and of CUDA events.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/device/busy_span.h"

namespace cornerturn {

class Event;

/// Work in order. Does not wait for, nor hold up, the default stream.
class Stream {
public:
    Stream();
    cudaStream_t get() const { return handle_.get(); }
    void synchronize() const;
    /// Marks the work asked for so far.
    void record(const Event& event) const;
    /// Work asked for from now on waits for the event; at once if it was never recorded.
    void wait(const Event& event) const;

private:
    struct Destroy {
        void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy> handle_;
};

/// A mark in a stream that the host can wait for; does not take times.
class Event {
public:
    Event();
    cudaEvent_t get() const { return handle_.get(); }
    /// Returns at once if the event was never recorded.
    void synchronize() const;

private:
    struct Destroy {
        void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> handle_;
};

/// A mark that remembers when it was passed.
class TimingEvent {
public:
    TimingEvent();
    void record(const Stream& stream) const;
    /// Waits until it is passed.
    void synchronize() const;
    /// Waits until both are passed.
    double ms_since(const TimingEvent& start) const;

private:
    struct Destroy {
        void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> handle_;
};

/// Adds up the times between start() and stop() in a stream, and places them on the host's clock: by a mark that the
/// host waits for at the first start.
class StreamClock {
public:
    void start(const Stream& stream);
    void stop(const Stream& stream);
    /// Waits until all of it has passed.
    double seconds();
    /// Each of them since this was last asked, but no more than the first 4096. Waits likewise.
    std::vector<BusySpan> take_spans();

private:
    static constexpr std::size_t most_open = 1024, most_kept = 4096;
    struct Span {
        TimingEvent start, end;
    };
    BusySpan placed(const Span& span) const;

    std::optional<TimingEvent> origin_;
    std::chrono::steady_clock::time_point origin_time_;
    std::vector<Span> spans_;  // of which `open_` are not added up yet
    std::size_t open_ = 0;
    double seconds_ = 0;
    std::vector<BusySpan> passed_;  // since somebody asked
};

}  // namespace cornerturn
