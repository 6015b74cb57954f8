// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/gpu_list.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "kernels/cuda/corner_turn/corner_turn.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/libraries/free_memory.h"
#include "kernels/cuda/runtime/check.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// "580.65.06, CUDA 13.0"; the driver's own number where the system tells it.
std::string driver_version() {
    int cuda = 0;  // 1000 major + 10 minor
    check(cudaDriverGetVersion(&cuda), "ask for the version of the driver");
    std::string version = fmt::format("CUDA {}.{}", cuda / 1000, cuda % 1000 / 10);
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;)
        if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos)
            return word + ", " + version;
    return version;
}

/// 0 where the driver does not tell.
double attribute_khz(cudaDeviceAttr attribute, int index) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, index) == cudaSuccess) return value;
    cudaGetLastError();
    return 0;
}

/// Of memory by bus and clock (two transfers a clock), of sums and passes as multiprocessors of an H200 do them.
/// Factorised sums wait for the host, which finds the laws of a strip while the one before is summed. That they cost
/// more where pixels have heights is a matter of CPUs: there most of them goes into lines and merging.
WorkRates rates_of(const cudaDeviceProp& properties, const DeviceInfo& info) {
    constexpr double pixel_pulses_per_clock = 7.7, factorised_pulses_per_clock = 0.55, raised_pulses_per_clock = 3,
                     operations_per_clock = 80;
    const double clocks_per_s = 1e6 * info.clock_mhz * properties.multiProcessorCount;
    return {.bytes_per_s = 1e6 * info.memory_clock_mhz * 2 * properties.memoryBusWidth / 8,
            .operations_per_s = operations_per_clock * clocks_per_s,
            .pixel_pulses_per_s = pixel_pulses_per_clock * clocks_per_s,
            .factorised_pulses_per_s = factorised_pulses_per_clock * clocks_per_s,
            .raised_pulses_per_s = raised_pulses_per_clock * clocks_per_s};
}

cudaDeviceProp properties_of(int index) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), "ask for the properties of the GPU");
    return properties;
}

}  // namespace

DeviceInfo listed(int index) {
    const cudaDeviceProp properties = properties_of(index);
    DeviceInfo info{.name = fmt::format("cuda:{}", index),
                    .description = fmt::format("{}, {} multiprocessors, compute capability {}.{}", properties.name,
                                               properties.multiProcessorCount, properties.major, properties.minor),
                    .memory_bytes = properties.totalGlobalMem,
                    .native = SampleFormat::complex64,
                    .driver = driver_version(),
                    .clock_mhz = attribute_khz(cudaDevAttrClockRate, index) / 1e3,
                    .memory_clock_mhz = attribute_khz(cudaDevAttrMemoryClockRate, index) / 1e3};
    info.rates = rates_of(properties, info);
    info.memory_free_bytes = std::min<std::size_t>(info.memory_bytes, free_memory_bytes(index));
    return info;
}

GpuLimits limits_of(int index) {
    const cudaDeviceProp properties = properties_of(index);
    return lowered_by_environment({.shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin),
                                   .cache_bytes = properties.l2CacheSize,
                                   .multiprocessors = properties.multiProcessorCount});
}

GpuCount count_gpus() {
    int driver = 0, count = 0;  // versions are 1000 major + 10 minor
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return {.reason = "no NVIDIA driver is installed"};
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return {.count = count, .reason = ""};
    cudaGetLastError();
    if (status == cudaErrorInsufficientDriver)
        return {.reason =
                    fmt::format("the NVIDIA driver (CUDA {}.{}) is too old for this program (CUDA {}.{})",
                                driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10)};
    return {.reason = fmt::format("the NVIDIA driver offers no GPU ({})", describe(status))};
}

CudaDevices cuda_devices() {
    const GpuCount gpus = count_gpus();
    CudaDevices found{.devices = {}, .reason = gpus.reason};
    for (int index = 0; index < gpus.count; ++index) try {
            found.devices.push_back(listed(index));
        } catch (const DeviceError& error) {
            found.reason = error.what();
        }
    if (!found.devices.empty()) found.reason.clear();
    return found;
}

bool opens_surely(int index) {
    constexpr std::size_t least_bytes = std::size_t{2} << 30;
    int mode = cudaComputeModeProhibited;
    if (cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index) != cudaSuccess) cudaGetLastError();
    const cudaDeviceProp properties = properties_of(index);
    return mode == cudaComputeModeDefault && free_memory_bytes(index) >= least_bytes &&
           10 * (10 * properties.major + properties.minor) >= oldest_architecture();
}

}  // namespace cornerturn
