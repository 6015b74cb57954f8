// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/focus_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cornerturn {
namespace {

Acquisition without_tables(Acquisition acquisition) {
    acquisition.decoding = {};
    acquisition.line_phase_cycles.clear();
    acquisition.true_phase_error_rad.clear();
    return acquisition;
}

}  // namespace

void begin_report(const Acquisition& frame, FocusSetup setup, FocusReport& report) {
    report.acquisition = without_tables(frame);
    report.setup = std::move(setup);
    report.warnings.insert(report.warnings.begin(), report.setup.warnings.begin(), report.setup.warnings.end());
}

void add_doubts(FocusReport& report) {
    if (report.non_finite_samples.value_or(0) > 0)
        report.warnings.push_back(
            fmt::format("{} samples of the echo are not finite; taken as zero", *report.non_finite_samples));
}

double FocusReport::busy_s(std::string_view part) const {
    double sum = 0;
    for (const StageTime& stage : stages) {
        if (stage.busy.empty() && part == "compute" && stage.name != "set_up") sum += stage.seconds;
        for (const BusyTime& busy : stage.busy)
            if (busy.part == part) sum += busy.seconds;
    }
    return sum;
}

void FocusReport::add(StageTime more) {
    const auto known =
        std::find_if(stages.begin(), stages.end(), [&](const StageTime& stage) { return stage.name == more.name; });
    if (known == stages.end()) {
        stages.push_back(std::move(more));
        return;
    }
    known->seconds += more.seconds;
    for (BusyTime& busy : more.busy) {
        const auto part = std::find_if(known->busy.begin(), known->busy.end(),
                                       [&](const BusyTime& there) { return there.part == busy.part; });
        if (part == known->busy.end())
            known->busy.push_back(std::move(busy));
        else
            part->seconds += busy.seconds;
    }
}

}  // namespace cornerturn
