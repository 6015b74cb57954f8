// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/transfer.h"

#include <algorithm>
#include <cstring>

#include "kernels/cuda/runtime/check.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

void copy(const void* from, void* to, std::size_t bytes, cudaMemcpyKind kind, StreamClock& clock,
          const Stream& stream) {
    clock.start(stream);
    check(cudaMemcpyAsync(to, from, bytes, kind, stream.get()),
          kind == cudaMemcpyHostToDevice ? "copy samples to the device" : "copy samples from the device");
    clock.stop(stream);
}

}  // namespace

Transfer::StagingBuffer& Transfer::staging_buffer(std::size_t number, std::size_t bytes) {
    std::optional<StagingBuffer>& place = buffers_[number % buffers_.size()];
    StagingBuffer& buffer = place ? *place : place.emplace();
    if (buffer.memory.bytes() < bytes) {
        buffer.free.synchronize();
        buffer.memory = PinnedBuffer(bytes);
    }
    return buffer;
}

void Transfer::upload(std::span<const std::byte> from, void* to, const Stream& stream) {
    if (from.empty()) return;
    if (is_page_locked(from.data())) {
        copy(from.data(), to, from.size(), cudaMemcpyHostToDevice, uploads_, stream);
        return stream.synchronize();
    }
    for (std::size_t number = 0, offset = 0; offset < from.size(); ++number, offset += piece_bytes) {
        throw_if_interrupted();
        const StagingBuffer& buffer = staging_buffer(number, piece_bytes);
        const std::size_t bytes = std::min(piece_bytes, from.size() - offset);
        buffer.free.synchronize();
        std::memcpy(buffer.memory.data(), from.data() + offset, bytes);
        copy(buffer.memory.data(), static_cast<std::byte*>(to) + offset, bytes, cudaMemcpyHostToDevice, uploads_,
             stream);
        stream.record(buffer.free);
    }
}

void Transfer::download(const void* from, std::span<std::byte> to, const Stream& stream) {
    copy(from, to.data(), to.size(), cudaMemcpyDeviceToHost, downloads_, stream);
    stream.synchronize();
}

void Transfer::download(const void* from, std::size_t bytes, std::size_t unit, const Stream& stream,
                        const std::function<void(std::size_t offset, std::span<const std::byte>)>& take) {
    const std::size_t at_once = std::max<std::size_t>(1, piece_bytes / unit) * unit;
    const auto size = [&](std::size_t offset) { return std::min(at_once, bytes - offset); };
    const auto start = [&](std::size_t number) {
        const std::size_t offset = number * at_once;
        if (offset >= bytes) return;
        const StagingBuffer& buffer = staging_buffer(number, at_once);
        copy(static_cast<const std::byte*>(from) + offset, buffer.memory.data(), size(offset), cudaMemcpyDeviceToHost,
             downloads_, stream);
        stream.record(buffer.free);
    };
    start(0);
    for (std::size_t number = 0, offset = 0; offset < bytes; ++number, offset += at_once) {
        throw_if_interrupted();
        start(number + 1);
        const StagingBuffer& buffer = staging_buffer(number, at_once);
        buffer.free.synchronize();
        take(offset, {buffer.memory.data(), size(offset)});
    }
}

}  // namespace cornerturn
