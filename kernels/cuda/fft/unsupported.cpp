// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/fft/unsupported.h"

#include <fmt/format.h>

#include "kernels/errors.h"

namespace cornerturn {

void refuse_length(std::string_view transform, std::int64_t length) {
    throw Unsupported(
        fmt::format("{} FFT of {} points: no fused kernel of this length fits this GPU", transform, length));
}

}  // namespace cornerturn
