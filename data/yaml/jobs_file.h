// SPDX-License-Identifier: Apache-2.0
// Lists of raw files to be focused, as people write them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cornerturn {

/// Names and values of options as on a command line, without the leading dashes.
using JobOptions = std::vector<std::pair<std::string, std::string>>;

struct JobsFile {
    struct Entry {
        std::string input;   ///< as seen from here, not from the file's folder
        std::string output;  ///< a file name; empty: the input's
        JobOptions options;
        std::string where;  ///< the file and the place in it, for complaints
    };
    JobOptions options;  ///< of all
    std::vector<Entry> scenes;
    std::string folder;  ///< that the file's relative paths start from
};

/// Reads
///     options: {azimuth-window: "kaiser:2.5"}      # optional
///     scenes:
///       - raw/a.h5
///       - {input: raw/b.h5, output: b-again.h5, options: {doppler-centroid: data}}
/// Throws InputError naming file, key, line and what was expected.
JobsFile read_jobs_file(const std::string& path);

/// What lies in a folder and is `wanted`, in the order of its names, as entries without options; hidden files are left
/// out. Throws InputError.
JobsFile list_folder(const std::string& path, const std::function<bool(const std::string& path)>& wanted);

}  // namespace cornerturn
