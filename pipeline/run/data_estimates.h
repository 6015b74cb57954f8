// SPDX-License-Identifier: Apache-2.0
// Estimates that only the data can give, made once from the recorded echo before any decision that depends on them.
#pragma once

#include <memory>

#include "kernels/device/device.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/estimate/imager.h"
#include "pipeline/plan/focus_options.h"

namespace cornerturn {

/// Makes the images that estimates look at on this device; where it is the CPU, they are the same whatever device makes
/// the image of the job. `threads`: of all else.
Imager imager(std::shared_ptr<Device> device, int threads = 0);
/// The device must outlive it.
Imager imager(Device& device, int threads = 0);

/// The same options with what the data of a job's first frame say, where Doppler centroid or velocity have to come from
/// them; nothing is asked twice. Throws InputError where they do not tell it.
FocusOptions with_estimates(EchoSource& first, FocusOptions options, const Imager& imager);

}  // namespace cornerturn
