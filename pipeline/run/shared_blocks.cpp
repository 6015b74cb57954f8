// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/shared_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "kernels/errors.h"
#include "kernels/host/same_job.h"
#include "kernels/interrupt.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/run/block_former.h"
#include "pipeline/run/frame_work.h"
#include "pipeline/run/image_header.h"

namespace cornerturn {
namespace {

/// An echo that several threads read, each in its turn.
class EchoInTurns final : public ForwardedEcho {
public:
    /// `writing` is held by whoever writes what this must not be read beside.
    EchoInTurns(EchoSource& source, std::mutex& writing)
        : ForwardedEcho(source, source.acquisition()), writing_(writing) {}
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        const std::unique_lock beside =
            reads_beside_writing() ? std::unique_lock<std::mutex>() : std::unique_lock(writing_);
        const std::lock_guard turn(reading_);
        try {
            source_.read(first_line, lines, to);
        } catch (...) {
            failed_ = true;
            throw;
        }
    }
    /// What a device then complains of is not its own fault.
    bool failed() const { return failed_; }

private:
    std::mutex& writing_;
    std::mutex reading_;
    std::atomic<bool> failed_{false};
};

/// Ends the work of a thread whose results nobody wants any more.
struct Abandoned {};

class SharedRun {
public:
    SharedRun(std::span<Device* const> devices, std::span<EchoSource* const> frames, const FocusOptions& options,
              ImageSink& sink, const Progress& progress, std::size_t under_way, std::vector<FocusReport>& reports)
        : devices_(devices),
          options_(options),
          sink_(sink),
          progress_(progress),
          reports_(reports),
          slots_(under_way),
          working_(devices.size()) {
        for (EchoSource* frame : frames) frames_.push_back(std::make_unique<EchoInTurns>(*frame, writing_));
        for (const Device* device : devices) shares_.push_back({.device = device->info().name});
    }

    std::vector<DeviceShare> run() {
        list_blocks();
        std::vector<std::thread> threads;
        try {
            for (std::size_t i = 0; i < devices_.size(); ++i) threads.emplace_back(in_same_job([this, i] { work(i); }));
            write_all();
        } catch (...) {
            fail(std::current_exception());
        }
        for (std::thread& thread : threads) thread.join();
        if (failure_) std::rethrow_exception(failure_);
        return std::move(shares_);
    }

private:
    enum class State { waiting, taken, formed };
    struct Unit {
        std::size_t frame = 0, block = 0;
        State state = State::waiting;
    };

    const std::vector<AzimuthBlock>& blocks_of(std::size_t frame) const { return reports_[frame].setup.memory.blocks; }
    std::vector<std::complex<float>>& rows_of(std::size_t unit) { return slots_[unit % slots_.size()]; }

    /// Frames are begun up to the first in which something is to be done: those behind it have nothing yet.
    void list_blocks() {
        for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
            std::size_t block = 0;
            if (units_.empty()) {
                begin(frame);
                first_block_ = block = blocks_there(blocks_of(frame), sink_.rows_there());
            }
            for (; block < blocks_of(frame).size(); ++block) units_.push_back({frame, block});
        }
    }

    void begin(std::size_t frame) {
        StageClock clock;
        sink_.begin(image_header(frames_[frame]->acquisition(), options_, reports_[frame].setup));
        begun_ = frame + 1;
        add_stages(frame, {{"set_up", clock.lap()}});
    }

    void add_stages(std::size_t frame, std::vector<StageTime> stages) {
        const std::lock_guard lock(mutex_);
        for (StageTime& stage : stages) reports_[frame].add(std::move(stage));
    }

    // The calling thread: rows in order.

    void write_all() {
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            const std::size_t frame = units_[unit].frame, block = units_[unit].block;
            if (frame >= begun_) begin(frame);
            if (!wait_for(unit)) return;
            write(unit);
            {
                const std::lock_guard lock(mutex_);
                ++written_;
            }
            changed_.notify_all();
            FocusReport& report = reports_[frame];
            ++report.blocks_formed;
            if (block + 1 < blocks_of(frame).size()) continue;
            report.stored_bytes = frames_[frame]->stored_bytes();
            report.wall_s += clock_.lap();
        }
    }

    bool wait_for(std::size_t unit) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return units_[unit].state == State::formed || failure_; });
        return !failure_;
    }

    void write(std::size_t unit) {
        const std::size_t frame = units_[unit].frame, block = units_[unit].block;
        const std::vector<AzimuthBlock>& blocks = blocks_of(frame);
        const std::span<const std::complex<float>> rows(
            rows_of(unit).data(),
            static_cast<std::size_t>(blocks[block].rows * reports_[frame].setup.image.grid.columns));
        StageClock clock;
        if (are_added_up(blocks))
            add(frame, block, rows);
        else
            write_rows(frame, block, rows);
        sink_.block_done();
        const double seconds = clock.lap();
        add_stages(frame, {{"write", seconds, {{"write", seconds}}}});
    }

    void write_rows(std::size_t frame, std::size_t block, std::span<const std::complex<float>> rows) {
        const AzimuthBlock& there = blocks_of(frame)[block];
        const std::int64_t columns = reports_[frame].setup.image.grid.columns;
        const std::int64_t at_once = std::max<std::int64_t>(1, samples_at_once / columns);
        for (std::int64_t row = 0; row < there.rows; row += at_once) {
            throw_if_interrupted();
            const std::int64_t count = std::min(at_once, there.rows - row);
            const std::unique_lock alone =
                frames_[frame]->reads_beside_writing() ? std::unique_lock<std::mutex>() : std::unique_lock(writing_);
            sink_.write(there.first_row + row, rows.subspan(static_cast<std::size_t>(row * columns),
                                                            static_cast<std::size_t>(count * columns)));
            tell_written(frame, block, static_cast<double>(row + count) / static_cast<double>(there.rows));
        }
    }

    /// Images of parts come in the order of pulses, too, so that sums do not depend on who was the first.
    void add(std::size_t frame, std::size_t part, std::span<const std::complex<float>> rows) {
        throw_if_interrupted();
        if (part == 0) sum_.assign(rows.size(), {0, 0});
        add_to(sum_.data(), rows);
        if (part + 1 < blocks_of(frame).size()) return tell_written(frame, part, 1);
        check_finite(sum_, 0, reports_[frame].setup.image.grid.columns, reports_[frame].acquisition);
        write_rows(frame, part, sum_);
        sum_ = {};
    }

    void tell_written(std::size_t frame, std::size_t block, double part) {
        if (progress_)
            progress_("write", (static_cast<double>(block) + part) / static_cast<double>(blocks_of(frame).size()));
    }

    // The threads of devices.

    void work(std::size_t number) try {
        Device& device = *devices_[number];
        DeviceShare& share = shares_[number];
        BlockFormer former(device, options_, number);
        while (const auto unit = take()) {
            StageClock clock;
            if (!form(*unit, device, former, share)) return;
            const Unit& done = units_[*unit];
            const ImageGrid& grid = reports_[done.frame].setup.image.grid;
            const AzimuthBlock& block = blocks_of(done.frame)[done.block];
            check_finite(std::span(rows_of(*unit)).first(static_cast<std::size_t>(block.rows * grid.columns)),
                         block.first_row, grid.columns, reports_[done.frame].acquisition);
            note_copies(device, options_.timeline.get(), number);
            hand_over(*unit, clock.lap(), share);
        }
    } catch (const Abandoned&) {  // whoever failed has said so
    } catch (...) {
        fail(std::current_exception());
    }

    /// The first block that nobody has, none too far ahead of what is written; waits for one as long as there may be
    /// one.
    std::optional<std::size_t> take() {
        std::unique_lock lock(mutex_);
        while (!failure_ && formed_ < units_.size()) {
            const std::size_t end = std::min(units_.size(), written_ + slots_.size());
            for (std::size_t i = written_; i < end; ++i) {
                if (units_[i].state != State::waiting) continue;
                units_[i].state = State::taken;
                return i;
            }
            changed_.wait(lock);
        }
        return std::nullopt;
    }

    void hand_over(std::size_t unit, double busy_s, DeviceShare& share) {
        {
            const std::lock_guard lock(mutex_);
            units_[unit].state = State::formed;
            ++formed_;
            ++share.blocks;
            share.busy_s += busy_s;
        }
        changed_.notify_all();
    }

    /// False where the device is lost.
    bool form(std::size_t unit, Device& device, BlockFormer& former, DeviceShare& share) try {
        form_on(unit, device, former);
        return true;
    } catch (const MemoryError&) {
        throw;
    } catch (const DeviceError& error) {
        if (frames_[units_[unit].frame]->failed()) throw;
        leave_out(share, error.what(), unit);
        return false;
    }

    void form_on(std::size_t number, Device& device, BlockFormer& former) {
        const Unit unit = units_[number];
        EchoInTurns& frame = *frames_[unit.frame];
        FocusReport& report = reports_[unit.frame];
        const std::vector<AzimuthBlock>& blocks = blocks_of(unit.frame);
        const std::size_t first = unit.frame == units_.front().frame ? first_block_ : 0;
        StageClock clock;
        std::vector<StageTime> stages;
        const TransferCount before = device.transferred();
        former.start(frame, blocks[unit.block]);
        const FormedBlock formed =
            former.form(frame.acquisition(), report.setup, unit.block, lines_counted(blocks, unit.block, first),
                        {.ended =
                             [&](std::string_view name, double, std::vector<BusyTime> busy) {
                                 stages.push_back({std::string(name), clock.lap(), std::move(busy)});
                                 throw_if_abandoned();
                             },
                         .within = [&](std::string_view, double) { throw_if_abandoned(); },
                         .observer = {},
                         .lines_taken = {}});
        download(formed.rows, device, rows_of(number));
        const TransferCount transferred = device.transferred() - before;
        stages.push_back({"write", clock.lap(), {{"download", transferred.download_s}}});
        add_stages(unit.frame, std::move(stages));
        const std::lock_guard lock(mutex_);
        report.transferred += transferred;
        if (!formed.given_up.empty()) report.warnings.push_back(formed.given_up);
        if (formed.non_finite_samples)
            report.non_finite_samples = report.non_finite_samples.value_or(0) + *formed.non_finite_samples;
        if (unit.block > first) return;
        report.plans_reused = formed.plans_reused;
        report.setup.memory.lowering = former.lowering();
    }

    void download(const Matrix& image, Device& device, std::vector<std::complex<float>>& to) {
        const auto samples = static_cast<std::size_t>(image.rows * image.columns);
        if (to.size() < samples) to.resize(samples);
        device.download_rows(image, [&](std::int64_t row, std::span<const std::complex<float>> rows) {
            throw_if_abandoned();
            std::memcpy(to.data() + row * image.columns, rows.data(), rows.size_bytes());
        });
    }

    // How it may end early.

    void throw_if_abandoned() {
        const std::lock_guard lock(mutex_);
        if (failure_) throw Abandoned();
    }

    void fail(const std::exception_ptr& failure) {
        {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = failure;
        }
        changed_.notify_all();
    }

    void leave_out(DeviceShare& share, const std::string& why, std::size_t unit) {
        {
            const std::lock_guard lock(mutex_);
            share.lost = why;
            units_[unit].state = State::waiting;
            --working_;
            if (working_ == 0 && !failure_)
                failure_ = std::make_exception_ptr(
                    DeviceError(fmt::format("no device is left to go on with; {} failed: {}", share.device, why)));
            reports_[units_[unit].frame].warnings.push_back(
                fmt::format("{} failed and is left out: {}; its block goes to another device ({} left)", share.device,
                            why, working_));
        }
        changed_.notify_all();
    }

    static constexpr std::int64_t samples_at_once = std::int64_t{1}
                                                    << 20;  // written between two looks at interruptions

    std::span<Device* const> devices_;
    const FocusOptions& options_;
    ImageSink& sink_;
    const Progress& progress_;
    std::vector<FocusReport>& reports_;
    std::mutex writing_;  // before mutex_
    std::vector<std::unique_ptr<EchoInTurns>> frames_;
    std::vector<DeviceShare> shares_;
    StageClock clock_;
    std::size_t begun_ = 0, first_block_ = 0;  // frames; of the first frame in which something is to be done
    std::vector<std::vector<std::complex<float>>>
        slots_;                             // rows of the blocks from the first that is not written on, around
    std::vector<std::complex<float>> sum_;  // of parts, where these are added up

    std::mutex mutex_;  // for all below, for shares_ and for what the threads say in reports_
    std::condition_variable changed_;
    std::vector<Unit> units_;  // in the order of rows
    std::size_t written_ = 0, formed_ = 0;
    std::size_t working_;
    std::exception_ptr failure_;
};

}  // namespace

std::vector<DeviceShare> form_shared_blocks(std::span<Device* const> devices, std::span<EchoSource* const> frames,
                                            const FocusOptions& options, ImageSink& sink, const Progress& progress,
                                            std::size_t under_way, std::vector<FocusReport>& reports) {
    return SharedRun(devices, frames, options, sink, progress, under_way, reports).run();
}

}  // namespace cornerturn
