// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/memory.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "kernels/cuda/runtime/check.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

double mebibytes(std::size_t bytes) { return static_cast<double>(bytes) / 1048576.0; }

}  // namespace

DeviceBuffer::DeviceBuffer(std::size_t bytes, std::string_view what) : bytes_(bytes) {
    if (bytes == 0) return;
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        std::size_t free = 0, total = 0;
        check(cudaMemGetInfo(&free, &total), "ask for the free memory");
        throw MemoryError(
            fmt::format("cuda: {}: {:.1f} MiB of device memory wanted, {:.1f} of {:.1f} MiB are free; process a "
                        "smaller scene or use --device cpu",
                        what, mebibytes(bytes), mebibytes(free), mebibytes(total)));
    }
    check(status, fmt::format("allocate {} bytes for {}", bytes, what));
    memory_.reset(memory);
}

void DeviceBuffer::Free::operator()(void* memory) const { cudaFree(memory); }

DeviceBuffer to_device(std::span<const std::byte> table, std::string_view what) {
    DeviceBuffer buffer(table.size(), what);
    if (table.empty()) return buffer;
    const std::string doing = fmt::format("copy {} to the device", what);
    check(cudaMemcpy(buffer.data<void>(), table.data(), table.size(), cudaMemcpyHostToDevice), doing);
    // A copy from ordinary memory may return before the bytes have arrived, and our streams do not wait for the default
    // one.
    check(cudaStreamSynchronize(cudaStreamLegacy), doing);
    return buffer;
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), fmt::format("allocate {} bytes of page-locked memory", bytes));
    memory_.reset(static_cast<std::byte*>(memory));
}

void PinnedBuffer::Free::operator()(std::byte* memory) const { cudaFreeHost(memory); }

bool is_page_locked(const void* memory) {
    cudaPointerAttributes about{};
    if (cudaPointerGetAttributes(&about, memory) == cudaSuccess) return about.type == cudaMemoryTypeHost;
    cudaGetLastError();
    return false;
}

}  // namespace cornerturn
