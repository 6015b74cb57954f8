// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <optional>
#include <utility>

#include "kernels/errors.h"
#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/echo/echo_part.h"
#include "pipeline/plan/frame_cut.h"

namespace cornerturn {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr std::size_t program_bytes = std::size_t{128}
                                      << 20;  // the program itself, libraries, buffers of files and of the disk's rows
constexpr std::int64_t fewest_pulses = 64;    // of a part; fewer would be read and planned for over and over
constexpr std::int64_t most_times_read = 2;   // are the lines of a spotlight, each time for other rows
constexpr double usable = 0.95;               // of what is free: others want some, too

/// Memory of the device that the steps may have.
std::size_t budget_bytes(const Device& device, const Acquisition& acquisition, const MemoryWish& wish) {
    const DeviceInfo info = device.info();
    auto free = static_cast<std::size_t>(usable * wish.share * static_cast<double>(info.memory_free_bytes));
    if (!info.shares_host_memory) return wish.most_bytes ? std::min(free, *wish.most_bytes) : free;
    free /= static_cast<std::size_t>(wish.devices);
    if (wish.most_bytes) free = std::min(free, *wish.most_bytes - std::min(program_bytes, *wish.most_bytes));
    const std::size_t staged = staged_bytes(acquisition);
    return free - std::min(free, staged);
}

/// The largest number that fits, to one part in so many, where `low` does and `high` does not.
template <class Fits>
std::int64_t most_between(std::int64_t low, std::int64_t high, std::int64_t parts, const Fits& fits) {
    while (high - low > std::max<std::int64_t>(1, low / parts)) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

class Planner {
public:
    Planner(Device& device, const Acquisition& acquisition, const ImagePlan& image, const Former& former,
            const LoweringHints& hints, const MemoryWish& wish)
        : device_(device),
          acquisition_(acquisition),
          image_(image),
          former_(former),
          hints_(hints),
          parts_(wish.parts) {
        plan_.budget_bytes = budget_bytes(device, acquisition, wish);
        if (wish.most_bytes && device.info().shares_host_memory)
            beside_ = fmt::format(" beside {:.0f} MiB for the program itself and lines on their way",
                                  static_cast<double>(program_bytes + staged_bytes(acquisition)) / mebibyte);
        // Where a user says how much each device may have, blocks are the same for any number of devices.
        if (!wish.most_bytes) devices_ = wish.devices;
        if (devices_ > 1 && device.info().shares_host_memory)
            waiting_bytes_of_row_ =
                blocks_under_way * static_cast<std::size_t>(image.grid.columns) * sizeof(std::complex<float>);
        most_rows_ = std::clamp<std::int64_t>(wish.most_rows.value_or(image.grid.rows), 1, image.grid.rows);
        if (wish.part_pulses)
            use_parts(std::clamp<std::int64_t>(*wish.part_pulses, 1, acquisition.lines));
        else if (wish.block_rows)
            use(std::clamp<std::int64_t>(*wish.block_rows, 1, most_rows_));
        else
            search();
    }

    MemoryPlan take() {
        plan_.largest = formed_;
        return std::move(plan_);
    }

private:
    static const AzimuthBlock& largest(const std::vector<AzimuthBlock>& blocks) {
        const auto larger = [](const AzimuthBlock& a, const AzimuthBlock& b) { return a.lines < b.lines; };
        return *std::max_element(blocks.begin(), blocks.end(), larger);
    }
    const Algorithm& algorithm_of(const AzimuthBlock& block) {
        if (!formed_ || formed_->block() != block)
            formed_ = formation_of(former_, slice_of(acquisition_, block.first_line, block.lines), image_, block);
        return formed_->algorithm();
    }
    const LoweringReport& probe(const std::vector<AzimuthBlock>& blocks) {
        const AzimuthBlock& block = largest(blocks);
        if (!probed_ || probed_->first != block) probed_.emplace(block, device_.probe(algorithm_of(block), hints_));
        return probed_->second;
    }

    /// Of the largest block, as often as all lines and rows have what it has.
    WorkCost cost(const std::vector<AzimuthBlock>& blocks, const LoweringReport& report) {
        WorkCost of_block = cost_of(algorithm_of(largest(blocks)), report.fft_lengths);
        of_block.bytes_moved = report.bytes_moved;
        const double times = static_cast<double>(lines_of(blocks)) / static_cast<double>(largest(blocks).lines);
        return times * of_block;
    }

    bool fits(const LoweringReport& report, std::int64_t rows) const {
        return report.memory_bytes + static_cast<std::size_t>(rows) * waiting_bytes_of_row_ <= plan_.budget_bytes;
    }
    bool fits(std::int64_t rows) { return fits(probe(azimuth_blocks(acquisition_, image_, rows)), rows); }

    /// All rows as one block in parts; none, and why, where that does not go.
    std::optional<MemoryPlan> in_parts() {
        if (parts_ < 2 || most_rows_ < image_.grid.rows) return std::nullopt;
        MemoryPlan plan = plan_;
        plan.blocks = azimuth_blocks(acquisition_, image_, most_rows_);
        const Algorithm& algorithm = algorithm_of(plan.blocks.front());
        plan_.why_no_slabs = FrameCut::why_not(device_, algorithm, hints_);
        if (!plan_.why_no_slabs.empty()) return std::nullopt;
        const FrameCut cut(device_, algorithm, hints_, static_cast<std::size_t>(parts_), narrow_strips);
        plan.lowering = cut.report();
        plan.cost = cost(plan.blocks, plan.lowering);
        plan.slabs = parts_;
        plan.needed_bytes = strip_by_strip_bytes(device_, cut, most_chunk_lines(acquisition_));
        return plan;
    }

    void use(std::int64_t rows) {
        if (auto plan = rows == image_.grid.rows ? in_parts() : std::nullopt) {
            plan_ = std::move(*plan);
            if (plan_.needed_bytes > plan_.budget_bytes)
                refuse(fmt::format("blocks of {} rows, each in {} parts, one of them,", rows, parts_));
            return;
        }
        use_blocks(rows);
    }

    void use_blocks(std::int64_t rows) {
        plan_.blocks = azimuth_blocks(acquisition_, image_, rows);
        plan_.lowering = probe(plan_.blocks);
        plan_.cost = cost(plan_.blocks, plan_.lowering);
        plan_.needed_bytes = plan_.lowering.memory_bytes;
        if (!fits(plan_.lowering, rows)) refuse(fmt::format("blocks of {} rows", rows));
    }

    void search() {
        const std::optional<std::int64_t> rows = most_that_fit();
        if (parts_ > 1 && (!rows || overlap_too_much(std::min(*rows, (image_.grid.rows + parts_ - 1) / parts_))))
            if (auto plan = in_parts(); plan && plan->needed_bytes <= plan_.budget_bytes) {
                plan_ = std::move(*plan);
                return;
            }
        if (acquisition_.phase_history && !(rows && most_rows_ <= most_times_read * *rows))
            if (const std::optional<std::int64_t> pulses = most_pulses_that_fit()) return use_parts(*pulses);
        use_blocks(rows.value_or(fewest_rows()));
    }

    /// Of this device's share of the host's memory.
    std::size_t bytes_of_sum() const {
        if (!device_.info().shares_host_memory) return 0;
        return image_.grid.pixels() * sizeof(std::complex<float>) / static_cast<std::size_t>(devices_) +
               static_cast<std::size_t>(image_.grid.rows) * waiting_bytes_of_row_;
    }
    bool parts_fit(std::int64_t pulses) {
        return probe(parts_of_pulses(acquisition_, image_, pulses)).memory_bytes + bytes_of_sum() <= plan_.budget_bytes;
    }
    /// As many parts for each device or rank.
    std::optional<std::int64_t> most_pulses_that_fit() {
        const std::int64_t all = acquisition_.lines, fewest = std::min(fewest_pulses, all);
        if (!parts_fit(fewest)) return std::nullopt;
        const std::int64_t most = most_between(fewest, all, 16, [&](std::int64_t pulses) { return parts_fit(pulses); });
        const std::int64_t hands = std::max(devices_, parts_), rounds = (all + most * hands - 1) / (most * hands);
        return std::max((all + rounds * hands - 1) / (rounds * hands), fewest);
    }
    void use_parts(std::int64_t pulses) {
        plan_.blocks = parts_of_pulses(acquisition_, image_, pulses);
        plan_.lowering = probe(plan_.blocks);
        plan_.cost = cost(plan_.blocks, plan_.lowering);
        plan_.needed_bytes = plan_.lowering.memory_bytes + bytes_of_sum();
        if (plan_.needed_bytes > plan_.budget_bytes) refuse(fmt::format("parts of {} pulses", pulses));
    }

    bool overlap_too_much(std::int64_t rows) const {
        return static_cast<double>(lines_of(azimuth_blocks(acquisition_, image_, rows))) >
               most_lines_of_shared_blocks * static_cast<double>(acquisition_.lines);
    }

    std::int64_t fewest_rows() const { return std::min(most_rows_, fewest_block_rows(overlap())); }
    std::int64_t overlap() const { return image_.lines.overlap(); }

    std::optional<std::int64_t> most_that_fit() {
        if (fits(most_rows_)) return most_rows_;
        if (!fits(fewest_rows())) return std::nullopt;
        const std::int64_t low =
            most_between(fewest_rows(), most_rows_, 64, [&](std::int64_t rows) { return fits(rows); });
        // Transforms come in certain lengths only: lines that fill one cost nothing more.
        const std::int64_t filled = probe(azimuth_blocks(acquisition_, image_, low)).fft_lengths.azimuth - overlap();
        return filled > low && filled <= most_rows_ && fits(filled) ? filled : low;
    }

    [[noreturn]] void refuse(const std::string& cut) const {
        const char* less = acquisition_.sums_all_pulses() ? "sum fewer pulses by --lines A:B"
                                                          : "narrow the aperture by --azimuth-bandwidth";
        throw InputError(
            fmt::format("focusing {} samples a line in {} needs {:.0f} MiB on {}, but {:.0f} MiB are to be had{}; give "
                        "more by --max-memory, {}, or use another --device",
                        acquisition_.samples, cut, static_cast<double>(plan_.needed_bytes) / mebibyte,
                        device_.info().name, static_cast<double>(plan_.budget_bytes) / mebibyte, beside_, less));
    }

    Device& device_;
    const Acquisition& acquisition_;
    const ImagePlan& image_;
    const Former& former_;
    const LoweringHints& hints_;
    MemoryPlan plan_;
    std::shared_ptr<const BlockFormation> formed_;                   // of the block that was looked at last
    std::optional<std::pair<AzimuthBlock, LoweringReport>> probed_;  // likewise
    const int parts_;
    int devices_ = 1;  // that blocks are made for
    std::int64_t most_rows_ = 0;
    std::size_t waiting_bytes_of_row_ = 0;  // where they come out of the same memory
    std::string beside_;                    // what else a limit of memory is for, in words
};

}  // namespace

std::size_t memory_share(std::size_t most_bytes, double share) {
    const std::size_t rest = most_bytes - std::min(program_bytes, most_bytes);
    return program_bytes + static_cast<std::size_t>(share * static_cast<double>(rest));
}

MemoryPlan plan_memory(Device& device, const Acquisition& acquisition, const ImagePlan& image, const Former& former,
                       const LoweringHints& hints, const MemoryWish& wish) {
    return Planner(device, acquisition, image, former, hints, wish).take();
}

}  // namespace cornerturn
