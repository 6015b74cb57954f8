// SPDX-License-Identifier: Apache-2.0
// The azimuth blocks of frames on several devices, each with a thread of its own: whoever is free takes the next block,
// and the calling thread writes rows in order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/run/device_shares.h"

namespace cornerturn {

/// Of frames whose reports were begun (begin_report). At most `under_way` blocks are begun or wait for those before
/// them: their rows lie in host memory. The block of a device that throws DeviceError, but not for want of memory, goes
/// to another; what else is thrown ends it all.
std::vector<DeviceShare> form_shared_blocks(std::span<Device* const> devices, std::span<EchoSource* const> frames,
                                            const FocusOptions& options, ImageSink& sink, const Progress& progress,
                                            std::size_t under_way, std::vector<FocusReport>& reports);

}  // namespace cornerturn
