// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/device_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "kernels/errors.h"
#include "kernels/host/available_memory.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/plan/frame_cut.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/frame_in_slabs.h"
#include "pipeline/run/frame_run.h"
#include "pipeline/run/frame_work.h"
#include "pipeline/run/shared_blocks.h"

namespace cornerturn {
namespace {

/// Which block goes to which device is decided as they go: rows must not depend on it.
void require_alike(std::span<Device* const> devices) {
    if (devices.empty()) throw std::logic_error("no device to share the work");
    const DeviceInfo first = devices.front()->info();
    for (const Device* device : devices) {
        const DeviceInfo other = device->info();
        if (other.native != first.native || other.shares_host_memory != first.shares_host_memory)
            throw InputError(fmt::format(
                "--device {},{}: devices that share an image must be of one kind, as each rounds in its own way; "
                "name GPUs only, or CPUs only",
                first.name, other.name));
    }
}

Device& least_memory(std::span<Device* const> devices) {
    return **std::min_element(devices.begin(), devices.end(), [](const Device* a, const Device* b) {
        return a->info().memory_free_bytes < b->info().memory_free_bytes;
    });
}

std::size_t image_bytes(const FocusSetup& setup) {
    const ImageGrid& grid = setup.image.grid;
    return static_cast<std::size_t>(setup.memory.blocks.front().rows * grid.columns) * sizeof(std::complex<float>);
}

/// Of all frames.
std::size_t largest_image_bytes(std::span<const FocusSetup> setups) {
    std::size_t largest = 0;
    for (const FocusSetup& setup : setups) largest = std::max(largest, image_bytes(setup));
    return largest;
}

/// Host memory for blocks that are begun or wait; where it is short, for fewer of them.
void plan_waiting(std::size_t devices, std::vector<FocusSetup>& setups) {
    constexpr double share = 0.5;  // of what is free
    const std::size_t blocks = all_blocks(setups), block_bytes = largest_image_bytes(setups);
    if (blocks < 2) return;
    const auto fit = static_cast<std::size_t>(share * static_cast<double>(available_memory_bytes())) / block_bytes;
    const std::size_t under_way = std::clamp<std::size_t>(fit, 1, std::min(blocks, blocks_under_way * devices));
    for (FocusSetup& setup : setups) setup.memory.waiting_bytes = under_way * block_bytes;
}

/// Of all that is to be done for a frame, the part of its largest block; none if so many blocks do too much twice.
std::optional<double> part_of_work(const Acquisition& frame, const FocusSetup& setup, std::int64_t count) {
    const std::int64_t rows = (setup.image.grid.rows + count - 1) / count;
    if (former_named(setup.algorithm).follows_rows)
        return static_cast<double>(rows) / static_cast<double>(setup.image.grid.rows);
    const std::vector<AzimuthBlock> blocks = azimuth_blocks(frame, setup.image, rows);
    const auto lines = static_cast<double>(frame.lines);
    if (static_cast<double>(lines_of(blocks)) > most_lines_of_shared_blocks * lines) return std::nullopt;
    std::int64_t largest = 0;
    for (const AzimuthBlock& block : blocks) largest = std::max(largest, block.lines);
    return static_cast<double>(largest) / lines;
}

/// All of it on one device.
DeviceShare share_of_one(const Device& device, std::span<const FocusReport> frames) {
    DeviceShare share{.device = device.info().name};
    for (const FocusReport& frame : frames) {
        share.blocks += static_cast<std::int64_t>(frame.blocks_formed);
        share.busy_s += frame.wall_s;
    }
    return share;
}

}  // namespace

std::size_t all_blocks(std::span<const FocusSetup> setups) {
    std::size_t count = 0;
    for (const FocusSetup& setup : setups) count += setup.memory.blocks.size();
    return count;
}

std::int64_t blocks_for_devices(std::span<const Acquisition* const> frames, std::span<const FocusSetup> setups,
                                std::size_t devices) {
    constexpr double least_gain = 0.95;  // of the time, to be worth while
    constexpr std::int64_t fewest_rows = 64;
    const auto all = static_cast<std::int64_t>(frames.size()), hands = static_cast<std::int64_t>(devices);
    std::int64_t best = 1;
    double least = static_cast<double>((all + hands - 1) / hands);  // frames that one device does
    for (std::int64_t count = 2; count <= hands; ++count) {
        double part = 0;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const std::optional<double> of_frame = part_of_work(*frames[i], setups[i], count);
            if (!of_frame || setups[i].image.grid.rows < count * fewest_rows) return best;
            part = std::max(part, *of_frame);
        }
        const double time = static_cast<double>((all * count + hands - 1) / hands) * part;
        if (time > least_gain * least) continue;
        best = count;
        least = time;
    }
    return best;
}

std::vector<FocusSetup> set_up_frames(std::span<Device* const> devices, std::span<const Acquisition* const> frames,
                                      const FocusOptions& options) {
    require_alike(devices);
    Device& smallest = least_memory(devices);
    FocusOptions shared = options;
    shared.memory.devices = static_cast<int>(devices.size());
    std::vector<FocusSetup> setups = set_up_frames(smallest, frames, shared);
    if (devices.size() == 1) return setups;
    const bool told = options.memory.most_bytes || options.memory.block_rows || !options.block_rows_of_frames.empty();
    if (!told && all_blocks(setups) == frames.size()) {
        const std::int64_t count = blocks_for_devices(frames, setups, devices.size());
        for (std::size_t i = 0; i < frames.size() && count > 1; ++i) {
            shared.memory.most_rows = (setups[i].image.grid.rows + count - 1) / count;
            plan_steps(smallest, *frames[i], shared, setups[i]);
        }
    }
    plan_waiting(devices.size(), setups);
    if (all_blocks(setups) == 1) {
        FocusSetup& only = setups.front();
        only.memory.why_no_slabs =
            FrameCut::why_not(smallest, algorithm_of(*frames.front(), only, 0), options.lowering);
        only.memory.slabs = only.memory.why_no_slabs.empty() ? static_cast<int>(devices.size()) : 1;
    }
    return setups;
}

SharedFocus focus_frames(std::span<Device* const> devices, std::span<EchoSource* const> frames,
                         const FocusOptions& wanted, ImageSink& sink, const Progress& progress,
                         const FrameObserver& observer, const PlanObserver& planned) {
    if (devices.size() == 1) {
        SharedFocus done{focus_frames(*devices[0], frames, wanted, sink, progress, observer, planned), {}};
        done.devices.push_back(share_of_one(*devices[0], done.frames));
        return done;
    }
    if (observer)
        throw InputError("--dump-stages: takes one device, of which matrices are written; name one with --device");
    StageClock clock;
    EchoSource& first = *frames.front();
    const FocusOptions options = with_estimates(first, wanted, imager(*devices.front()));
    std::vector<FocusSetup> setups;
    {
        const TimelineSpan span(options.timeline.get(), lane::plan, "plan");
        setups = set_up_frames(devices, acquisitions_of(frames), options);
    }
    if (planned) planned(setups);
    const double set_up_s = clock.lap();
    SharedFocus done;
    if (setups.front().memory.slabs > 1) {
        FocusReport& report = done.frames.emplace_back();
        begin_report(first.acquisition(), std::move(setups.front()), report);
        done.devices = form_in_slabs(devices, first, options, sink, progress, report);
        add_doubts(report);
    } else if (all_blocks(setups) == 1) {
        done.frames = focus_planned_frames(*devices[0], frames, options, std::move(setups), sink, progress);
        done.devices.push_back(share_of_one(*devices[0], done.frames));
    } else {
        const std::size_t under_way = setups.front().memory.waiting_bytes / largest_image_bytes(setups);
        done.frames.resize(frames.size());
        for (std::size_t i = 0; i < frames.size(); ++i)
            begin_report(frames[i]->acquisition(), std::move(setups[i]), done.frames[i]);
        done.devices = form_shared_blocks(devices, frames, options, sink, progress, under_way, done.frames);
        for (FocusReport& frame : done.frames) add_doubts(frame);
    }
    done.frames.front().add({"set_up", set_up_s});
    done.frames.front().wall_s += set_up_s;
    return done;
}

}  // namespace cornerturn
