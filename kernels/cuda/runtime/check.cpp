// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/check.h"

#include <fmt/format.h>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

const char* name_of(cufftResult status) {
    switch (status) {
        case CUFFT_SUCCESS: return "CUFFT_SUCCESS";
        case CUFFT_INVALID_PLAN: return "CUFFT_INVALID_PLAN";
        case CUFFT_ALLOC_FAILED: return "CUFFT_ALLOC_FAILED";
        case CUFFT_INVALID_TYPE: return "CUFFT_INVALID_TYPE";
        case CUFFT_INVALID_VALUE: return "CUFFT_INVALID_VALUE";
        case CUFFT_INTERNAL_ERROR: return "CUFFT_INTERNAL_ERROR";
        case CUFFT_EXEC_FAILED: return "CUFFT_EXEC_FAILED";
        case CUFFT_SETUP_FAILED: return "CUFFT_SETUP_FAILED";
        case CUFFT_INVALID_SIZE: return "CUFFT_INVALID_SIZE";
        case CUFFT_UNALIGNED_DATA: return "CUFFT_UNALIGNED_DATA";
        case CUFFT_INVALID_DEVICE: return "CUFFT_INVALID_DEVICE";
        case CUFFT_NO_WORKSPACE: return "CUFFT_NO_WORKSPACE";
        case CUFFT_NOT_IMPLEMENTED: return "CUFFT_NOT_IMPLEMENTED";
        case CUFFT_NOT_SUPPORTED: return "CUFFT_NOT_SUPPORTED";
        default: return "cuFFT error";
    }
}

[[noreturn]] void fail(std::string_view doing, std::string_view error, const std::source_location& place) {
    std::string_view file = place.file_name();
    if (const auto root = file.rfind("kernels/"); root != std::string_view::npos) file.remove_prefix(root);
    throw DeviceError(fmt::format("cuda: {}: {} ({}:{})", doing, error, file, place.line()));
}

}  // namespace

std::string describe(cudaError_t status) {
    return fmt::format("{}: {}", cudaGetErrorName(status), cudaGetErrorString(status));
}

void check(cudaError_t status, std::string_view doing, std::source_location place) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // a failed call leaves its error behind for the next launch check
    fail(doing, describe(status), place);
}

void check(cufftResult status, std::string_view doing, std::source_location place) {
    if (status != CUFFT_SUCCESS) fail(doing, fmt::format("{} ({})", name_of(status), static_cast<int>(status)), place);
}

}  // namespace cornerturn
