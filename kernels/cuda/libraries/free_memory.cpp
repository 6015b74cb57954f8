// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/libraries/free_memory.h"

#include <cuda_runtime_api.h>

#include "kernels/cuda/libraries/shared_library.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// Of the library's functions all return 0 where they succeed.
struct Management {
    struct Memory {
        unsigned long long total, free, used;
    };
    SharedLibrary file{{"libnvidia-ml.so.1"}, "it comes with the NVIDIA driver"};
    int (*begin)() = file["nvmlInit_v2"];
    int (*gpu_at)(const char* bus_id, void** gpu) = file["nvmlDeviceGetHandleByPciBusId_v2"];
    int (*memory_of)(void* gpu, Memory* memory) = file["nvmlDeviceGetMemoryInfo"];
    bool begun = begin() == 0;
};

}  // namespace

std::size_t free_memory_bytes(int gpu) try {
    static const Management management;
    char bus_id[32] = {};
    void* handle = nullptr;
    Management::Memory memory{};
    const bool told = management.begun && cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, gpu) == cudaSuccess &&
                      management.gpu_at(bus_id, &handle) == 0 && management.memory_of(handle, &memory) == 0;
    return told ? memory.free : 0;
} catch (const DeviceError&) {  // no such library
    return 0;
}

}  // namespace cornerturn
