// SPDX-License-Identifier: Apache-2.0
// Report of the processing of one frame.
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

    /// Busy time of one part over all stages; compute includes the rest of stages without such figures.
    double busy_s(std::string_view part) const;
    /// Adds a stage; its times are added to those of an earlier stage of that name (of another block).
    void add(StageTime stage);
};

/// Begins a report with the decisions, before any work.
void begin_report(const Acquisition& frame, FocusSetup setup, FocusReport& report);
/// Adds warnings that follow from the counts.
void add_doubts(FocusReport& report);

}  // namespace cornerturn
