// SPDX-License-Identifier: Apache-2.0
// Turns the status of every CUDA and cuFFT call into a DeviceError that says what we were doing, what failed and where.
#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <source_location>
#include <string>
#include <string_view>

namespace cornerturn {

void check(cudaError_t status, std::string_view doing, std::source_location place = std::source_location::current());
void check(cufftResult status, std::string_view doing, std::source_location place = std::source_location::current());

/// After a kernel launch: its configuration was accepted. What goes wrong while it runs shows at the next
/// synchronisation.
inline void check_launch(std::string_view doing, std::source_location place = std::source_location::current()) {
    check(cudaGetLastError(), doing, place);
}

/// "cudaErrorNoDevice: no CUDA-capable device is detected"
std::string describe(cudaError_t status);

}  // namespace cornerturn
