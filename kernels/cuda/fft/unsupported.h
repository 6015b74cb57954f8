// SPDX-License-Identifier: Apache-2.0
// That a pass has no fused kernel: throws Unsupported. Apart from the kernels, because nvcc does not take the text
// library. Which of them fit a GPU is known before (fitting_kernels.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace cornerturn {

[[noreturn]] void refuse_length(std::string_view transform, std::int64_t length);

}  // namespace cornerturn
