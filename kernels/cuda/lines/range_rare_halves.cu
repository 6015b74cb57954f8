// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/lines/range_kernel.cuh"

template std::unique_ptr<cornerturn::RangeKernel> cornerturn::range_kernel<cornerturn::RareEcho, cornerturn::HalfPair>(
    const RangeFilter&, SharedContext);
