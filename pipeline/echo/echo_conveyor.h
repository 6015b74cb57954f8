// SPDX-License-Identifier: Apache-2.0
// Brings an echo to the device block by block: a thread of its own reads the next blocks while the bus carries one and
// the device computes with another. An echo that lies there already goes as one block, and nothing is read.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "kernels/device/device.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/echo/timeline.h"

namespace cornerturn {

/// Lines that go through the conveyor at once: small enough that all its parts have something to do, large enough to
/// keep each busy.
std::int64_t chunk_lines(const EchoSource& source);
/// Largest number of these lines.
std::int64_t most_chunk_lines(const Acquisition& acquisition);
/// Memory that the conveyor takes for an echo, at most.
std::size_t staged_bytes(const Acquisition& acquisition);

class EchoConveyor {
public:
    /// The device, and the timeline in whose lane it notes when it reads, must outlive the conveyor.
    explicit EchoConveyor(Device& device, Timeline* timeline = nullptr, std::string lane = std::string(lane::input))
        : device_(device), timeline_(timeline), lane_(std::move(lane)) {}
    ~EchoConveyor() { stop(); }
    EchoConveyor(const EchoConveyor&) = delete;
    EchoConveyor& operator=(const EchoConveyor&) = delete;

    /// Starts to read; the source must live until carry has returned, or until stop(). Memory of an earlier echo of the
    /// same shape is used again. `lines` go at once; 0: chunk_lines(source).
    void start(EchoSource& source, std::int64_t lines = 0);

    /// The rows of `lines` on the device are those of the echo from first_line on.
    struct Chunk {
        Matrix lines;
        std::int64_t first_line;
    };
    /// Passes every block in order, on the calling thread. What was asked of the device with a block is done when
    /// the block's memory is used again. Throws what reading threw, and Interrupted.
    void carry(const std::function<void(const Chunk&)>& take);
    /// The same with blocks that become part of `whole`, lines x samples, and stay there.
    void carry_into(Matrix& whole, const std::function<void(const Chunk&)>& take);

    /// Ends the reading thread, at the latest when it has finished its block.
    void stop();
    /// Frees its memory until the next start.
    void release();

    /// Whether all lines lie on the device already, where they stay.
    bool lines_stay() const { return there_.has_value(); }
    std::int64_t lines_at_once() const { return there_ ? there_->rows : lines_; }
    /// How long the reading thread was busy reading the last echo; after carry.
    double read_s() const { return read_s_; }

private:
    struct Slot {
        std::unique_ptr<StagedLines> staged;
        std::int64_t first_line = 0;
        std::int64_t lines = 0;
        std::span<std::byte> host;
    };
    void prepare(const Acquisition& acquisition, std::int64_t lines);
    void read_all(EchoSource& source);
    void carry(Matrix* whole, const std::function<void(const Chunk&)>& take);
    Slot* wait_for(std::deque<Slot*>& queue);
    void pass_on(Slot* slot, std::deque<Slot*>& queue);

    Device& device_;
    Timeline* timeline_;
    std::string lane_;
    SampleFormat format_{};
    std::int64_t lines_ = 0, samples_ = 0, total_lines_ = 0;
    std::optional<Matrix> there_;  // all lines, of an echo that lies on the device
    std::array<Slot, 3> slots_;    // one being read, one on the bus, one being computed with

    std::thread reader_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Slot*> free_, filled_;
    std::exception_ptr failure_;
    bool stopping_ = false;
    double read_s_ = 0;
};

}  // namespace cornerturn
