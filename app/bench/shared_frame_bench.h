// SPDX-License-Identifier: Apache-2.0
// Times one frame that lies on several devices, beside the same frame on the first of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/bench/pipeline_bench.h"
#include "kernels/device/device.h"

namespace cornerturn {

struct SharedFrameBench {
    double one_ms = 0, all_ms = 0;  ///< medians
    double signal_to_error_db = 0;  ///< of the image of all against that of one
    std::string chain;
    FftLengths fft_lengths;
    std::vector<std::string> how;     ///< one device goes through its steps
    std::vector<std::size_t> strips;  ///< of image columns on each device
    bool agrees() const { return signal_to_error_db >= least_db; }
    static constexpr double least_db = 100;
};

/// Throws InputError where the frame does not fit or its algorithm does not go over several devices.
SharedFrameBench measure_shared_frame(std::span<Device* const> devices, const PipelineRequest& request,
                                      const Progress& progress);

}  // namespace cornerturn
