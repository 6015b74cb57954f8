// SPDX-License-Identifier: Apache-2.0
// The tables of azimuth compression in device memory, and the hooks over them.
#pragma once

#include "kernels/cuda/memory.h"
#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {

class AzimuthTables {
public:
    explicit AzimuthTables(const AzimuthCompression& pass)
        : velocity_(table_on_device(pass.velocity_m_s, "the velocities")),
          weight_(table_on_device(pass.weight, "the azimuth weights")),
          covered_rows_(table_on_device(pass.covered_rows, "the covered rows")),
          hooks_(azimuth_compression_hooks(pass, velocity_.data<double>(), weight_.data<double>(), covered_rows_.data<Interval>())) {}

    const AzimuthCompressionHooks& hooks() const { return hooks_; }

private:
    DeviceBuffer velocity_, weight_, covered_rows_;
    AzimuthCompressionHooks hooks_;
};

}  // namespace cornerturn
