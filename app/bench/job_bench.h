// SPDX-License-Identifier: Apache-2.0
// Times whole processes: one image by `focus`, many by `batch`, beside what cannot be saved: the start of the program
// and of the device, and plain writes of the same bytes.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pipeline/echo/progress.h"

namespace cornerturn {

struct JobRequest {
    std::string program = {};          ///< that is run
    std::string device = "auto";       ///< one
    std::string preset = {};           ///< of the scene; "": by the size
    std::string sample_type = "int8";  ///< f32, int16 or int8
    std::int64_t lines = 4096, samples = 4096;
    int scenes = 20;  ///< of the stream; 0: none
    int repeat = 7, threads = 0;
    std::string folder = {};  ///< where files are written; "": for temporary files
};

/// Of several runs. A rate of single ones is `median_ms` alone.
struct JobTimes {
    double median_ms = 0, least_ms = 0, greatest_ms = 0;
    int runs = 0;
};
/// Of at least one.
JobTimes times_of(const std::vector<double>& runs_ms);

struct JobBench {
    JobTimes program;  ///< `--version`: start and end of the program alone
    JobTimes start;    ///< likewise, with the device opened
    JobTimes write;    ///< plain, of the bytes of the image file, which are on the disk then
    JobTimes cold;     ///< `focus`, the first run, its raw file out of the system's memory where that can be asked for
    JobTimes warm;     ///< of the others
    JobTimes stream_write;  ///< plain, of one image file for each scene
    JobTimes stream;        ///< `batch` of them, the whole process
    int scenes = 0;
    std::uint64_t image_bytes = 0;   ///< of the file
    double position_error_px = 0;    ///< the largest of the known targets, of one image and of one of the stream
    nlohmann::json device;           ///< name and description, as `focus` tells
    std::vector<std::string> wrong;  ///< images whose targets are not where they should be; then nothing else was timed

    /// How many plain writes of its image a job takes beyond the start.
    double writes_over_start() const { return (warm.median_ms - start.median_ms) / write.median_ms; }
    /// A scene of the stream, once the device is there.
    double scene_ms() const { return (stream.median_ms - start.median_ms) / scenes; }
    double scene_write_ms() const { return stream_write.median_ms / scenes; }
};

/// Throws what the program that is run complains of, as DeviceError.
JobBench measure_job(const JobRequest& request, const Progress& progress);

}  // namespace cornerturn
