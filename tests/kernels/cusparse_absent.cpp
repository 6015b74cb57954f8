// SPDX-License-Identifier: Apache-2.0
// Stands in for cuSPARSE in builds without CUDA.
#include "kernels/errors.h"
#include "tests/kernels/sparse_matrix.h"

namespace cornerturn {

std::string why_no_cusparse() { return "this program was built without CUDA"; }

std::vector<std::complex<double>> cusparse_product(Device&, const SparseMatrix&, const Matrix&) {
    throw DeviceError("cuSPARSE: this program was built without CUDA");
}

}  // namespace cornerturn
