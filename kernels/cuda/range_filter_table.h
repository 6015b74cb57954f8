// SPDX-License-Identifier: Apache-2.0
// The filter of range compression in device memory.
#pragma once

#include <span>
#include <vector>

#include "kernels/complex.h"
#include "kernels/cuda/memory.h"
#include "kernels/passes/range_compression.h"

namespace cornerturn {

inline DeviceBuffer range_filter_table(const RangeCompression& pass) {
    std::vector<Complex64> filter;
    filter.reserve(pass.filter.size());
    for (const auto& value : pass.filter) filter.push_back({static_cast<float>(value.real()), static_cast<float>(value.imag())});
    return table_on_device(filter, "the range filter");
}

}  // namespace cornerturn
