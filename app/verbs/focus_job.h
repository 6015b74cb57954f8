// SPDX-License-Identifier: Apache-2.0
// One raw file to be focused: what is asked for, whether it can be, and the work. focus does one, batch many.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/common_options.h"
#include "app/verbs/focus_report.h"
#include "app/verbs/frames.h"
#include "app/verbs/image_options.h"
#include "app/verbs/run_facts.h"
#include "data/files/file_names.h"
#include "pipeline/ranks/ranks.h"
#include "pipeline/run/progress.h"

namespace cornerturn {

class Verb;

/// As it was written.
struct FocusJob {
    std::string input, output;
    ImageOptions image;
    FrameOptions frames;
    std::string png, report, stage_folder, grid;
    std::optional<std::string> spacing;
    JsonOutput json;  ///< of one run; a batch has its own, and may ask for a file of each scene
    int threads = 0, compress = 0;
    bool resume = false, measure_rates = false;
    double memory_share = 1;                    ///< of what is free: others on this machine want the rest
    std::shared_ptr<const FileNames> of_batch;  ///< what all jobs of a batch read and write
    GivenTracks tracks;                         ///< that the options name, once they are read

    /// Those that are read and those that are written, but for pictures of several frames and stages; empty where none
    /// was asked for.
    std::vector<std::string> inputs() const;
    std::vector<std::string> outputs() const { return {output, png, report, json.file()}; }
};

/// The options that say what is made of a raw file: all but where it lies, where it is computed and --resume.
void add_job_options(const Verb& verb, FocusJob& job);

class FocusTask {
public:
    /// Throws InputError for options that cannot be and outputs that cannot be written; does not look at the input.
    /// Where `job.output` is empty, it can only be planned.
    explicit FocusTask(FocusJob job);

    const FocusJob& job() const { return job_; }
    /// What the image follows from but input and device, and its SHA-256, which the image file keeps.
    const RunFacts& parameters() const { return parameters_; }
    const std::string& parameters_sha256() const { return parameters_sha256_; }

    /// Throws InputError where the input cannot be read. To be called before a device is opened, which takes its time.
    void require_input() const;

    /// Says what would be done, on standard output; of several ranks by all, each with a device like this one.
    void print_plan(std::span<Device* const> devices, int ranks = 1) const;
    /// On devices that share the work. Nothing is written unless all goes well, but stages and an unfinished image that
    /// were asked for. `input_sha256`: for the image file, where it is known.
    FocusRun run(std::span<Device* const> devices, const Progress& progress, double open_device_s = 0,
                 const std::string& input_sha256 = {}) const;
    /// The same as rank 0 of several, each of which has one device; the others help at the same time.
    FocusRun run(std::span<Device* const> devices, Ranks& ranks, const Progress& progress, double open_device_s,
                 const std::string& input_sha256 = {}) const;
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
