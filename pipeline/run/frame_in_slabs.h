// SPDX-License-Identifier: Apache-2.0
// One frame in one block over several devices: each reads and compresses some of its lines, then makes some columns of
// its image (shared_frame.h).
#pragma once

#include <span>
#include <vector>

#include "pipeline/run/device_shares.h"

namespace cornerturn {

/// Of a frame whose report was begun (begin_report), for which FrameCut::why_not has no reason.
std::vector<DeviceShare> form_in_slabs(std::span<Device* const> devices, EchoSource& frame, const FocusOptions& options,
                                       ImageSink& sink, const Progress& progress, FocusReport& report);

}  // namespace cornerturn
