// SPDX-License-Identifier: Apache-2.0
// Checks and times the chains on an echo that lies on the device.
#pragma once

#include <optional>
#include <string>

#include "app/bench/bench_result.h"
#include "kernels/device/device.h"
#include "kernels/device/lowering.h"
#include "pipeline/run/progress.h"

namespace cornerturn {

struct PipelineRequest {
    std::int64_t lines = 4096, samples = 4096;
    SampleFormat format = SampleFormat::complex64;
    std::optional<Chain> chain;  ///< nullopt: all that the device has
    Precision precision = Precision::full;
    std::string algorithm = "rda";
    int taps = 8;
    bool padded = false;  ///< transforms as focus pads them; else as long as the echo: the image wraps at its edges,
                          ///< the work is the same
    int repeat = 31, threads = 0;
};

struct PipelineBench {
    BenchResult chains;             ///< a step per chain
    std::string fastest;            ///< the one with endurance figures
    std::vector<BenchStep> stages;  ///< of the fastest, each for itself
    FftLengths fft_lengths;         ///< of the fastest
    std::vector<std::string> how;   ///< the fastest goes through its steps
    std::string checked_against;
};

/// Throws InputError where the scene does not fit the device; Unsupported where it does not have the chain that was
/// asked for.
PipelineBench measure_pipeline(Device& device, const PipelineRequest& request, const Progress& progress);

}  // namespace cornerturn
