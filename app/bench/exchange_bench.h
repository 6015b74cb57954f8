// SPDX-License-Identifier: Apache-2.0
// Checks and times the corner turn across devices, beside other ways for the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "pipeline/run/progress.h"

namespace cornerturn {

struct ExchangeRequest {
    std::int64_t rows = 32768, columns = 32768;
    int repeat = 15;
    Carrier carrier = Carrier::fastest;
};

struct ExchangeStep {
    std::string name;
    double median_ms = 0;
    double sent_gbytes_per_s = 0;  ///< from each device to others
};

struct ExchangeResult {
    Carrier carrier = Carrier::fastest;  ///< that was taken
    std::vector<ExchangeStep> steps;     ///< the turn first; last, where there are copies, what the links give
    std::vector<std::string> wrong;      ///< then nothing was timed

    double fraction_of_links(const ExchangeStep& step) const { return steps.back().median_ms / step.median_ms; }
};

/// Throws InputError where the memory of a device does not suffice, DeviceError where the carrier is not there.
ExchangeResult measure_exchange(std::span<Device* const> devices, const ExchangeRequest& request,
                                const Progress& progress);

}  // namespace cornerturn
