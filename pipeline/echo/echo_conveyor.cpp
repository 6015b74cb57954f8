// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/echo_conveyor.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/device/device_bench.h"
#include "kernels/host/same_job.h"
#include "kernels/interrupt.h"
#include "pipeline/echo/stage_clock.h"

namespace cornerturn {
namespace {

constexpr std::int64_t smallest_block = 1 << 20, largest_block = 16 << 20, largest_unit = 32 << 20;  // bytes
constexpr std::int64_t blocks_wanted = 16;

std::int64_t line_bytes(const Acquisition& acquisition) {
    return acquisition.samples * static_cast<std::int64_t>(bytes_per_sample(acquisition.format));
}

}  // namespace

std::int64_t chunk_lines(const EchoSource& source) {
    const Acquisition& acquisition = source.acquisition();
    const std::int64_t line = line_bytes(acquisition), unit = source.line_unit();
    const std::int64_t bytes = std::clamp(acquisition.lines * line / blocks_wanted, smallest_block, largest_block);
    std::int64_t lines = std::max<std::int64_t>(1, bytes / line);
    if (unit > 1 && unit * line <= largest_unit) lines = (lines + unit - 1) / unit * unit;
    return std::min(lines, acquisition.lines);
}

std::int64_t most_chunk_lines(const Acquisition& acquisition) {
    const std::int64_t line = line_bytes(acquisition), share = acquisition.lines * line / blocks_wanted;
    return std::max<std::int64_t>(1, std::clamp(share, smallest_block, largest_unit) / line);
}

std::size_t staged_bytes(const Acquisition& acquisition) {
    const std::int64_t line = line_bytes(acquisition), share = acquisition.lines * line / blocks_wanted;
    return 3 * static_cast<std::size_t>(std::max(line, std::clamp(share, smallest_block, largest_unit)));
}

void EchoConveyor::prepare(const Acquisition& acquisition, std::int64_t lines) {
    total_lines_ = acquisition.lines;
    if (slots_[0].staged && format_ == acquisition.format && lines_ == lines && samples_ == acquisition.samples) return;
    format_ = acquisition.format;
    lines_ = lines;
    samples_ = acquisition.samples;
    for (Slot& slot : slots_) slot = {};
    for (Slot& slot : slots_) slot.staged = device_.stage(format_, lines_, samples_);
}

void EchoConveyor::start(EchoSource& source, std::int64_t lines) {
    stop();
    read_s_ = 0;
    if (lines == 0) there_ = source.lines_on(device_);
    if (there_) return;
    prepare(source.acquisition(), lines > 0 ? lines : chunk_lines(source));
    filled_.clear();
    free_.clear();
    for (Slot& slot : slots_) free_.push_back(&slot);
    failure_ = nullptr;
    stopping_ = false;
    reader_ = std::thread(in_same_job([this, &source] { read_all(source); }));
}

void EchoConveyor::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (reader_.joinable()) reader_.join();
    there_.reset();
}

void EchoConveyor::release() {
    stop();
    for (Slot& slot : slots_) slot = {};
}

EchoConveyor::Slot* EchoConveyor::wait_for(std::deque<Slot*>& queue) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !queue.empty() || failure_ || stopping_; });
    if (queue.empty()) return nullptr;
    Slot* slot = queue.front();
    queue.pop_front();
    return slot;
}

void EchoConveyor::pass_on(Slot* slot, std::deque<Slot*>& queue) {
    {
        const std::lock_guard lock(mutex_);
        queue.push_back(slot);
    }
    changed_.notify_all();
}

void EchoConveyor::read_all(EchoSource& source) try {
    for (std::int64_t first = 0; first < total_lines_; first += lines_) {
        Slot* slot = wait_for(free_);
        if (!slot) return;
        slot->first_line = first;
        slot->lines = std::min(lines_, total_lines_ - first);
        slot->host =
            slot->staged->host().first(static_cast<std::size_t>(slot->lines * line_bytes(source.acquisition())));
        StageClock clock;
        const auto begin = Timeline::Clock::now();
        source.read(first, slot->lines, slot->host);
        read_s_ += clock.lap();
        if (timeline_) timeline_->note(lane_, "read lines", begin, Timeline::Clock::now());
        pass_on(slot, filled_);
    }
} catch (...) {
    {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
    }
    changed_.notify_all();
}

void EchoConveyor::carry(const std::function<void(const Chunk&)>& take) { carry(nullptr, take); }
void EchoConveyor::carry_into(Matrix& whole, const std::function<void(const Chunk&)>& take) { carry(&whole, take); }

void EchoConveyor::carry(Matrix* whole, const std::function<void(const Chunk&)>& take) try {
    if (there_) {
        throw_if_interrupted();
        if (whole) device_.bench().copy(*there_, *whole);
        take({whole ? *whole : *there_, 0});
        return stop();
    }
    for (std::int64_t done = 0; done < total_lines_;) {
        throw_if_interrupted();
        Slot* slot = wait_for(filled_);
        if (!slot) {
            if (failure_) std::rethrow_exception(failure_);
            throw std::logic_error("the conveyor was stopped before the echo was complete");
        }
        const Matrix lines =
            whole ? slot->staged->send_into(*whole, slot->first_line, slot->lines) : slot->staged->send(slot->lines);
        take({lines, slot->first_line});
        slot->staged->release();
        done += slot->lines;
        pass_on(slot, free_);
    }
    stop();
} catch (...) {
    stop();
    throw;
}

}  // namespace cornerturn
