// SPDX-License-Identifier: Apache-2.0
// Measurement files of Sentinel-1 SLC: TIFF of complex int16, a line in each strip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/files/sample_type.h"
#include "data/safe/burst_stack.h"
#include "pipeline/run/scratch_rows.h"

namespace cornerturn::safe {

/// Where the first line of each burst lies in the file.
using ByteOffsets = std::vector<std::uint64_t>;

/// `rows`: of the images of the stack's bursts, in its order. What is not valid is zero. Throws DeviceError.
ByteOffsets write_measurement(const std::string& path, const BurstStack& stack,
                              const std::vector<const ScratchRows*>& rows, IntegerSamples& integers,
                              const std::string& description);

}  // namespace cornerturn::safe
