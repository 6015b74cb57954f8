// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/backproject.h"

#include <stdexcept>

namespace cornerturn {

std::vector<std::complex<double>> backproject_on_gpu(const Matrix&, const EchoDecoding&, const BackprojectionChip&, const CudaContext&) {
    throw std::logic_error("back-projection has not landed");
}

}  // namespace cornerturn
