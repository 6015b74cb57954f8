// SPDX-License-Identifier: Apache-2.0
// One job shared by all ranks: rank 0 plans and has the file, every rank reads and focuses its azimuth blocks.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pipeline/estimate/imager.h"
#include "pipeline/ranks/ranks.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// What one rank did of a job.
struct RankWork {
    std::string name, device;
    std::int64_t blocks = 0;
    double wall_s = 0;  ///< of its blocks
    double compute_s = 0, read_s = 0;
};

/// What rank 0 alone has.
struct GatheredJob {
    ImageSink& file;
    /// Told what was decided; says how many rows of each frame's image are there already.
    std::function<std::vector<std::int64_t>(std::span<const FocusSetup>)> planned;
    /// Called once, from another thread, when a request to stop has come while rows are gathered.
    std::function<void()> interrupted = {};
};

struct SharedReports {
    std::vector<FocusReport> frames;  ///< stages are those of rank 0; counts of all
    std::vector<RankWork> ranks;      ///< on rank 0
};

/// with_estimates of data_estimates.h on all ranks alike: rank 0 asks the data.
FocusOptions with_estimates(Ranks& ranks, EchoSource& first, FocusOptions options, const Imager& imager);

/// focus_frames on all ranks, each with its own sources of the same frames; `gathered` on rank 0 only. The image is bit
/// for bit that of one rank where azimuth blocks are the same and processors are alike. One frame of one block lies
/// over all ranks in parts (frame_over_ranks.h), with the image of one but for rounding; where it cannot, one rank does
/// it, and the report says why. Throws on all ranks where one fails.
SharedReports focus_over_ranks(Ranks& ranks, Device& device, std::span<EchoSource* const> frames,
                               const FocusOptions& options, const GatheredJob* gathered, const Progress& progress = {});

/// What so many ranks would do, as rank 0 plans it.
std::vector<FocusSetup> plan_over_ranks(int ranks, Device& device, std::span<EchoSource* const> frames,
                                        const FocusOptions& options);

}  // namespace cornerturn
