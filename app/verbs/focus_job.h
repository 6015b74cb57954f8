// SPDX-License-Identifier: Apache-2.0
// One raw file to be focused, as it is asked for: options and files. focus does one, batch many.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/common_options.h"
#include "app/verbs/focus_report.h"
#include "app/verbs/frames.h"
#include "app/verbs/image_options.h"
#include "app/verbs/run_facts.h"
#include "data/files/file_names.h"
#include "data/product/product_file.h"
#include "pipeline/echo/progress.h"
#include "pipeline/ranks/ranks.h"

namespace cornerturn {

class Verb;

/// As it was written.
struct FocusJob {
    std::string input, output;
    ImageOptions image;
    FrameOptions frames;
    std::string descalloping = "none", tiff = "complex", sample_type = "f32", png, report, stage_folder, grid;
    std::optional<std::string> spacing;
    JsonOutput json;  ///< of one run; a batch has its own, and may ask for a file of each scene
    int threads = 0, compress = 0;
    bool resume = false, measure_rates = false;
    double memory_share = 1;                    ///< of what is free: others on this machine want the rest
    std::shared_ptr<const FileNames> of_batch;  ///< what all jobs of a batch read and write
    std::shared_ptr<SafeFolder> safe;           ///< into which it goes with other bursts
    GivenTracks tracks;                         ///< that the options name, once they are read

    /// Those that are read and those that are written, but for pictures of several frames and stages; empty where none
    /// was asked for.
    std::vector<std::string> inputs() const;
    /// Whether the antenna's pattern is to be taken off by that of a file.
    bool has_pattern_file() const { return descalloping != "none" && descalloping != "aperture"; }
    /// What the image file is to hold, of so many images.
    ProductOptions product(std::size_t images) const;
    std::vector<std::string> outputs() const { return {output, png, report, json.file()}; }
};

/// The options that say what is made of a raw file: all but where it lies, where it is computed and --resume.
void add_job_options(const Verb& verb, FocusJob& job);
/// Of these, the ones that put the image on a map.
void add_map_options(const Verb& verb, FocusJob& job);

/// Throws InputError for what cannot be, with the option's name. What a user should hear is added to `remarks`.
FocusOptions options_of(const FocusJob& job, std::vector<std::string>& remarks);

/// Throws InputError where an output cannot be written, or is another file of this job or of the batch. What else is
/// written must leave these files alone.
FileNames check_files(const FocusJob& job, const std::vector<std::string>& pictures);
/// Throws InputError where a file is another's, too.
void check_is_free(const FileNames& taken, const std::string& path);

}  // namespace cornerturn
