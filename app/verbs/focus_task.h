// SPDX-License-Identifier: Apache-2.0
// The work of a job: whether it can be done, what would be done, and doing it, alone or over ranks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/verbs/focus_job.h"
#include "app/verbs/focus_report.h"
#include "pipeline/echo/progress.h"
#include "pipeline/echo/timeline.h"
#include "pipeline/ranks/ranks.h"

namespace cornerturn {

class FocusTask {
public:
    /// Throws InputError for options that cannot be and outputs that cannot be written; does not look at the input.
    /// Where `job.output` is empty, it can only be planned. `timeline`: of the job, where it has begun before its run.
    explicit FocusTask(FocusJob job, std::shared_ptr<Timeline> timeline = nullptr);

    const FocusJob& job() const { return job_; }
    /// What the image follows from but input and device, and its SHA-256, which the image file keeps.
    const RunFacts& parameters() const { return parameters_; }
    const std::string& parameters_sha256() const { return parameters_sha256_; }

    /// Throws InputError where the input cannot be read. To be called before, or beside, the opening of a device.
    void require_input() const;

    /// Says what would be done, on standard output; of several ranks by all, each with a device like this one.
    void print_plan(std::span<Device* const> devices, int ranks = 1) const;
    /// On devices that share the work. Nothing is written unless all goes well, but stages and an unfinished image that
    /// were asked for. `input_sha256`: for the image file, where it is known. As rank 0 of several, each of which has
    /// one device, while the others help.
    FocusRun run(std::span<Device* const> devices, const Progress& progress, double open_device_s = 0,
                 const std::string& input_sha256 = {}, Ranks& ranks = *one_rank()) const;
    void help(std::span<Device* const> devices, Ranks& ranks) const;

private:
    FocusJob job_;
    FocusOptions options_;
    RunFacts parameters_;
    std::string parameters_sha256_;
};

/// Fills in the sums of files that were written.
void add_sums(std::vector<StoredFile>& files);

}  // namespace cornerturn
