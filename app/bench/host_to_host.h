// SPDX-License-Identifier: Apache-2.0
// Echoes in page-locked memory to images there: what a receiver beside the device would see. On one device, and a
// stream of frames over several.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

class HostToHost {
public:
    /// `echo`: int8, and `image`: as set up, in memory of Device::host_memory. All must outlive it.
    HostToHost(Device& device, const Acquisition& acquisition, const FocusSetup& setup, const std::byte* echo,
               std::span<std::complex<float>> image);
    /// Complete when this returns.
    void frame();

private:
    Device& device_;
    const Acquisition& acquisition_;
    std::int64_t lines_at_once_;
    StepRunner runner_;
    std::array<std::unique_ptr<StagedLines>, 3> places_;
    const std::byte* echo_;
    std::span<std::complex<float>> image_;
};

/// A stream of frames over all devices, each frame on the next one that is free, beside one on the first device alone.
struct StreamBench {
    int turns = 0;                   ///< of one and of the other, of which the medians are told
    double alone_ms = 0;             ///< a frame
    double all_ms = 0;               ///< likewise
    double bytes = 0;                ///< of a frame, there and back
    std::vector<int> frames;         ///< of each device in the last turn
    std::vector<std::string> wrong;  ///< devices that made another image, to 100 dB; then nothing was timed

    double speedup() const { return alone_ms / all_ms; }
};

/// `frames` for each device in each turn; the first device sees as many alone.
StreamBench measure_stream(std::span<Device* const> devices, const Echo& echo, const FocusOptions& options, int frames);

}  // namespace cornerturn
