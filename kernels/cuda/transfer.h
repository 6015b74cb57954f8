// SPDX-License-Identifier: Apache-2.0
// Copies between ordinary host memory and the device, in pieces through page-locked memory, so that the host fills or empties one
// piece while the bus carries the other.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "kernels/cuda/memory.h"
#include "kernels/cuda/stream.h"

namespace cornerturn {

class Transfer {
public:
    /// The source may be changed as soon as this returns.
    void upload(std::span<const std::byte> from, void* to, const Stream& stream);
    /// Hands over the pieces in order; each is a multiple of 16 bytes, but for the last.
    void download(const void* from, std::size_t bytes, const Stream& stream,
                  const std::function<void(std::size_t offset, std::span<const std::byte>)>& take);

private:
    static constexpr std::size_t piece_bytes = std::size_t{16} << 20;
    struct Piece {
        PinnedBuffer memory{piece_bytes};
        Event free;
    };
    Piece& piece(std::size_t number);

    std::array<std::unique_ptr<Piece>, 2> pieces_;  // made at first use
};

}  // namespace cornerturn
