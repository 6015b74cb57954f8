// SPDX-License-Identifier: Apache-2.0
// What happened on the way of one frame.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/plan/focus_setup.h"

namespace cornerturn {

/// A part of the machine that worked during a stage.
struct BusyTime {
    std::string part;  ///< read, upload, compute, download or write
    double seconds = 0;
};

/// One stage: wall-clock time, and where several parts worked side by side, how long each was busy.
struct StageTime {
    std::string name;
    double seconds = 0;
    std::vector<BusyTime> busy = {};
};

struct FocusReport {
    Acquisition acquisition;  ///< without its tables
    FocusSetup setup;
    std::optional<std::int64_t> non_finite_samples;  ///< zeroed; counted in floating-point echoes only
    std::vector<StageTime> stages;
    double wall_s = 0;
    TransferCount transferred;
    std::uint64_t stored_bytes = 0;  ///< read from the disk
    std::size_t blocks_formed = 0;   ///< by this run: without those that were there
    bool plans_reused = false;       ///< of the frame before
    std::optional<double>
        signal_to_error_db;  ///< of an image with halves between its passes to that in full precision, if measured
    std::vector<std::string> warnings;

    /// Of one part over all stages; compute: also all that is left of stages without such figures.
    double busy_s(std::string_view part) const;
    /// One more stage; to one of the same name before it, as of another block, its times are added.
    void add(StageTime stage);
};

/// A report of what was decided; nothing has been done yet.
void begin_report(const Acquisition& frame, FocusSetup setup, FocusReport& report);
/// Warnings of what was counted on the way.
void add_doubts(FocusReport& report);

}  // namespace cornerturn
