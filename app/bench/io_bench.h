// SPDX-License-Identifier: Apache-2.0
// Checks and times the ways of samples between disk, memory and device, each beside plain calls that move the same
// bytes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/bench/host_to_host.h"
#include "kernels/device/device.h"
#include "pipeline/echo/progress.h"
#include "pipeline/formers/parameters.h"

namespace cornerturn {

struct IoRequest {
    std::int64_t lines = 4096;  ///< of an int8 echo
    std::int64_t samples = 4096;
    int repeat = 7;
    int threads = 0;  ///< that decode the echo's samples; 0: all cores
    ImageExtent extent = ImageExtent::full;
    std::string folder;  ///< where the files are written; "": for temporary files
};

struct IoStep {
    std::string name;
    double bytes = 0;  ///< moved, each counted once
    double median_ms = 0;
    double sustained_ms = 0;  ///< mean over 2 s; 0: not measured
    double plain_ms = 0;      ///< of plain calls, measured in turns with the other
    double check_db = 0;

    double gbytes_per_s() const { return 1e-6 * bytes / median_ms; }
    double plain_gbytes_per_s() const { return 1e-6 * bytes / plain_ms; }
    double ratio() const { return median_ms / plain_ms; }  ///< 1: as fast as plain calls
};

struct IoBench {
    std::vector<IoStep> steps;               ///< of the first device; the last is the whole job, file to file
    std::optional<StreamBench> stream = {};  ///< of several devices
    std::vector<std::string> wrong;          ///< what moved wrong bytes; then nothing was timed after it
};

/// Throws InputError where memory or disk do not suffice or the scene cannot be focused.
IoBench measure_io(std::span<Device* const> devices, const IoRequest& request, const Progress& progress);

}  // namespace cornerturn
