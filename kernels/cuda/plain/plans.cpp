// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/plain/plans.h"

#include <fmt/format.h>

#include <stdexcept>

namespace cornerturn {

void require_matrix(const Matrix& matrix, SampleFormat format, std::int64_t rows, std::int64_t columns, std::string_view what) {
    if (matrix.format == format && matrix.rows == rows && matrix.columns == columns) return;
    throw std::logic_error(fmt::format("{} is {} x {} of {} bytes a sample; the pass was planned for {} x {} of {} bytes", what,
                                       matrix.rows, matrix.columns, bytes_per_sample(matrix.format), rows, columns,
                                       bytes_per_sample(format)));
}

}  // namespace cornerturn
