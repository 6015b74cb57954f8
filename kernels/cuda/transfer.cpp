// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/transfer.h"

#include <algorithm>
#include <cstring>

#include "kernels/cuda/check.h"
#include "kernels/interrupt.h"

namespace cornerturn {

Transfer::Piece& Transfer::piece(std::size_t number) {
    auto& piece = pieces_[number % pieces_.size()];
    if (!piece) piece = std::make_unique<Piece>();
    return *piece;
}

void Transfer::upload(std::span<const std::byte> from, void* to, const Stream& stream) {
    for (std::size_t number = 0, offset = 0; offset < from.size(); ++number, offset += piece_bytes) {
        throw_if_interrupted();
        const Piece& p = piece(number);
        const std::size_t bytes = std::min(piece_bytes, from.size() - offset);
        p.free.synchronize();
        std::memcpy(p.memory.data(), from.data() + offset, bytes);
        check(cudaMemcpyAsync(static_cast<std::byte*>(to) + offset, p.memory.data(), bytes, cudaMemcpyHostToDevice, stream.get()),
              "copy samples to the device");
        stream.record(p.free);
    }
}

void Transfer::download(const void* from, std::size_t bytes, const Stream& stream,
                        const std::function<void(std::size_t offset, std::span<const std::byte>)>& take) {
    const auto size = [&](std::size_t offset) { return std::min(piece_bytes, bytes - offset); };
    const auto start = [&](std::size_t number) {
        const std::size_t offset = number * piece_bytes;
        if (offset >= bytes) return;
        const Piece& p = piece(number);
        check(cudaMemcpyAsync(p.memory.data(), static_cast<const std::byte*>(from) + offset, size(offset), cudaMemcpyDeviceToHost,
                              stream.get()),
              "copy samples from the device");
        stream.record(p.free);
    };
    start(0);
    for (std::size_t number = 0, offset = 0; offset < bytes; ++number, offset += piece_bytes) {
        throw_if_interrupted();
        start(number + 1);
        const Piece& p = piece(number);
        p.free.synchronize();
        take(offset, {p.memory.data(), size(offset)});
    }
}

}  // namespace cornerturn
