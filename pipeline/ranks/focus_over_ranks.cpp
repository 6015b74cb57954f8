// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/focus_over_ranks.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/ranks/agreement.h"
#include "pipeline/ranks/frame_over_ranks.h"
#include "pipeline/ranks/plain_data.h"
#include "pipeline/ranks/settled_plan.h"
#include "pipeline/ranks/shared_rows.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/frame_run.h"
#include "pipeline/run/frame_work.h"

namespace cornerturn {
namespace {

using Acquisitions = std::vector<const Acquisition*>;

/// "cuda" of "cuda:1": images of several GPUs of a kind are alike.
std::string kind_of(const Device& device) {
    const std::string name = device.info().name;
    return name.substr(0, name.find(':'));
}

/// What is decided before anything is shared.
SettledPlan settle(int ranks, Device& device, const Acquisitions& frames, const FocusOptions& options) {
    SettledPlan plan;
    const std::vector<FocusSetup> setups = set_up_frames(device, frames, options);
    const bool given = options.memory.block_rows || !options.block_rows_of_frames.empty();
    if (given || setups.front().memory.slabs > 1)
        for (const FocusSetup& setup : setups) plan.block_rows.push_back(setup.memory.blocks.front().rows);
    else
        plan.block_rows = shared_block_rows(setups, ranks);
    for (const FocusSetup& setup : setups) {
        const std::vector<AzimuthBlock>& blocks = setup.memory.blocks;
        plan.part_pulses.push_back(are_added_up(blocks) ? blocks.front().lines : 0);
    }
    plan.devices = kind_of(device);
    plan.chain = setups.front().memory.lowering.chain;
    return plan;
}

/// One frame may lie over all ranks.
FocusOptions options_for(FocusOptions options, std::size_t frames, int ranks) {
    if (frames == 1) options.memory.parts = ranks;
    return options;
}

FocusOptions settled_options(FocusOptions options, const SettledPlan& plan) {
    options.block_rows_of_frames = plan.block_rows;
    options.part_pulses_of_frames = plan.part_pulses;
    if (!options.lowering.chain) options.lowering.chain = plan.chain;
    return options;
}

/// Rank 0's plan: what it tells the others, and what follows.
struct FirstPlan {
    SettledPlan settled;
    FocusOptions options;
    std::vector<FocusSetup> setups;
};
FirstPlan plan_first(int ranks, Device& device, const Acquisitions& frames, const FocusOptions& options) {
    FirstPlan plan{.settled = settle(ranks, device, frames, options), .options = {}, .setups = {}};
    plan.options = settled_options(options, plan.settled);
    plan.setups = set_up_frames(device, frames, plan.options);  // as the others will
    FocusSetup& only = plan.setups.front();
    if (frames.size() == 1 && only.memory.blocks.size() == 1 && only.memory.slabs == 1)
        only.warnings.push_back(fmt::format("one block does not go over ranks in parts ({}): one of {} does it",
                                            only.memory.why_no_slabs, ranks));
    return plan;
}

void check_same_plan(const Device& device, std::span<const FocusSetup> setups, const SettledPlan& plan) {
    if (kind_of(device) != plan.devices)
        throw InputError(fmt::format(
            "computes on {}, but rank 0 on {}, whose image differs in the last bits; choose one --device for all",
            kind_of(device), plan.devices));
    if (digest_of(setups) != plan.digest)
        throw InputError(
            "plans this job otherwise than rank 0; start the same program with the same options and the same input "
            "file on all nodes");
}

/// Which transform of a length is the fastest is measured once on a machine and kept for later runs. Rank 0 does that
/// for all: each by itself they might find others, whose last bits differ.
void measure_transforms(Device& device, const Acquisitions& frames, std::span<const FocusSetup> setups,
                        const LoweringHints& hints) {
    if (!device.info().shares_host_memory) return;
    std::set<std::pair<std::int64_t, std::int64_t>> known;
    for (std::size_t f = 0; f < setups.size(); ++f)
        for (const std::size_t b : {std::size_t{0}, setups[f].memory.blocks.size() - 1}) {
            const AzimuthBlock& block = setups[f].memory.blocks[b];
            if (!known.emplace(block.lines, frames[f]->samples).second) continue;
            device.lower(algorithm_of(*frames[f], setups[f], b), hints);
        }
}

SharedRows shared_rows(const Ranks& ranks, std::span<const FocusSetup> setups, const SettledPlan& plan) {
    std::vector<SharedRows::Frame> frames;
    for (std::size_t i = 0; i < setups.size(); ++i)
        frames.push_back({setups[i].image.grid.columns, plan.rows_there[i], setups[i].memory.blocks});
    return {std::move(frames), ranks.size()};
}

/// One frame's report as other ranks send it.
struct FrameCounts {
    bool counted = false;
    std::int64_t non_finite_samples = 0;
    std::uint64_t stored_bytes = 0;
    TransferCount transferred;
    double wall_s = 0, compute_s = 0, read_s = 0;
};

std::vector<FrameCounts> counts_of(std::span<const FocusReport> reports) {
    std::vector<FrameCounts> counts;
    for (const FocusReport& report : reports)
        counts.push_back({.counted = report.non_finite_samples.has_value(),
                          .non_finite_samples = report.non_finite_samples.value_or(0),
                          .stored_bytes = report.stored_bytes,
                          .transferred = report.transferred,
                          .wall_s = report.wall_s,
                          .compute_s = report.busy_s("compute"),
                          .read_s = report.busy_s("read")});
    return counts;
}

void add(const FrameCounts& counts, FocusReport& to) {
    if (counts.counted) to.non_finite_samples = to.non_finite_samples.value_or(0) + counts.non_finite_samples;
    to.stored_bytes += counts.stored_bytes;
    to.transferred += counts.transferred;
}

bool in_parts(std::span<const FocusSetup> setups) { return setups.front().memory.slabs > 1; }

/// Of a frame in parts each rank has a part of its block.
std::int64_t blocks_of(const SharedRows& job, bool in_parts, int rank) {
    if (in_parts) return job.is_there(0, 0) ? 0 : 1;
    std::int64_t blocks = 0;
    for (std::size_t f = 0; f < job.frames().size(); ++f)
        for (std::size_t b = 0; b < job.frames()[f].blocks.size(); ++b)
            blocks += !job.is_there(f, b) && job.rank_of(f, b) == rank ? 1 : 0;
    return blocks;
}

/// Sums, on rank 0.
void gather_counts(Ranks& ranks, const Device& device, const SharedRows& job, bool in_parts, SharedReports& reports) {
    const auto own = (PlainWriter() << device.info().name << counts_of(reports.frames)).take();
    const auto all = to_first(ranks, own);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        std::string device_name;
        std::vector<FrameCounts> counts;
        PlainReader(all[rank]) >> device_name >> counts;
        const int number = static_cast<int>(rank);
        RankWork work{
            .name = ranks.name(number), .device = std::move(device_name), .blocks = blocks_of(job, in_parts, number)};
        for (std::size_t f = 0; f < counts.size(); ++f) {
            work.wall_s += counts[f].wall_s;
            work.compute_s += counts[f].compute_s;
            work.read_s += counts[f].read_s;
            if (rank > 0) add(counts[f], reports.frames[f]);
        }
        reports.ranks.push_back(std::move(work));
    }
    for (FocusReport& report : reports.frames) add_doubts(report);
}

/// The rank's own blocks, with rows going away.
std::vector<FocusReport> focus_own(Ranks& ranks, Device& device, std::span<EchoSource* const> frames,
                                   const FocusOptions& options, std::vector<FocusSetup> setups, const SharedRows& job,
                                   RowsAway& rows, const Progress& progress) try {
    const int rank = ranks.rank();
    auto reports =
        focus_planned_frames(device, frames, options, std::move(setups), rows, progress,
                             [&](std::size_t frame, std::size_t block) { return job.rank_of(frame, block) == rank; });
    rows.finish();
    if (progress) progress("write", 1.0);
    return reports;
} catch (...) {
    const auto failure = std::current_exception();
    rows.give_up();
    try {
        rows.finish();  // of a disk that is full, this thread has only heard that it is to stop
    } catch (const Interrupted&) {
    }
    std::rethrow_exception(failure);
}

}  // namespace

FocusOptions with_estimates(Ranks& ranks, EchoSource& first, FocusOptions options, const Imager& imager) {
    together(ranks, [&] {
        if (ranks.leads()) options = with_estimates(first, options, imager);
    });
    if (ranks.alone()) return options;
    options.estimates =
        data_estimates(from_first(ranks, ranks.leads() ? as_bytes(options.estimates) : std::vector<std::byte>{}));
    return options;
}

SharedReports focus_over_ranks(Ranks& ranks, Device& device, std::span<EchoSource* const> frames,
                               const FocusOptions& wanted, const GatheredJob* gathered, const Progress& progress) {
    const JobScope shared;  // which ranks that cannot go on stop, not what their host does next
    const Acquisitions acquisitions = acquisitions_of(frames);
    const FocusOptions options =
        options_for(with_estimates(ranks, *frames[0], wanted, imager(device)), frames.size(), ranks.size());
    FirstPlan plan;
    together(ranks, [&] {
        if (!ranks.leads()) return;
        const TimelineSpan span(options.timeline.get(), lane::plan, "plan");
        plan = plan_first(ranks.size(), device, acquisitions, options);
        plan.settled.digest = digest_of(plan.setups);
        measure_transforms(device, acquisitions, plan.setups, plan.options.lowering);
        plan.settled.rows_there = gathered->planned(plan.setups);
    });
    const std::vector<std::byte> told =
        from_first(ranks, ranks.leads() ? as_bytes(plan.settled) : std::vector<std::byte>{});
    together(ranks, [&] {
        if (ranks.leads()) return;
        plan.settled = settled_plan(told);
        plan.options = settled_options(options, plan.settled);
        plan.setups = set_up_frames(device, acquisitions, plan.options);
        check_same_plan(device, plan.setups, plan.settled);
    });
    SharedReports reports;
    const SharedRows job = shared_rows(ranks, plan.setups, plan.settled);
    const bool parts = in_parts(plan.setups);
    together(ranks, [&] {
        ImageSink* const file = ranks.leads() ? &gathered->file : nullptr;
        const std::function<void()> interrupted = ranks.leads() ? gathered->interrupted : nullptr;
        if (parts) {
            const TimelineSpan span(options.timeline.get(), lane::compute, "part of this rank");
            reports.frames.push_back(form_over_ranks(ranks, device, *frames[0], plan.options,
                                                     std::move(plan.setups.front()), plan.settled.rows_there.front(),
                                                     file, interrupted, progress));
            return;
        }
        const auto rows = file != nullptr ? gather_rows(ranks, job, *file, interrupted) : send_rows(ranks, job);
        reports.frames = focus_own(ranks, device, frames, plan.options, std::move(plan.setups), job, *rows, progress);
    });
    gather_counts(ranks, device, job, parts, reports);
    return reports;
}

std::vector<FocusSetup> plan_over_ranks(int ranks, Device& device, std::span<EchoSource* const> frames,
                                        const FocusOptions& options) {
    return plan_first(ranks, device, acquisitions_of(frames),
                      options_for(with_estimates(*frames[0], options, imager(device)), frames.size(), ranks))
        .setups;
}

}  // namespace cornerturn
