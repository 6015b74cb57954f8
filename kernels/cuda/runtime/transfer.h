// SPDX-License-Identifier: Apache-2.0
// Copies between host memory and the device: straight where the host's is page-locked, else in pieces through memory
// that is, so that the host fills or empties one piece while the bus carries the other.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "kernels/cuda/runtime/memory.h"
#include "kernels/cuda/runtime/stream.h"
#include "kernels/device/staging.h"

namespace cornerturn {

class Transfer {
public:
    /// The source may be changed as soon as this returns.
    void upload(std::span<const std::byte> from, void* to, const Stream& stream);
    /// Into page-locked memory, complete when this returns.
    void download(const void* from, std::span<std::byte> to, const Stream& stream);
    /// Hands over the pieces in order; each is a multiple of `unit` bytes, but for the last.
    void download(const void* from, std::size_t bytes, std::size_t unit, const Stream& stream,
                  const std::function<void(std::size_t offset, std::span<const std::byte>)>& take);

    /// How long the bus was busy. Waits for what is still on it.
    double upload_s() { return uploads_.seconds(); }
    double download_s() { return downloads_.seconds(); }
    /// When, since this was last asked. Waits likewise.
    BusSpans take_spans() { return {uploads_.take_spans(), downloads_.take_spans()}; }

private:
    static constexpr std::size_t piece_bytes = std::size_t{4} << 20;
    struct StagingBuffer {
        PinnedBuffer memory;
        Event free;
    };
    StagingBuffer& staging_buffer(std::size_t number, std::size_t bytes);

    std::array<std::optional<StagingBuffer>, 2> buffers_;  // made when they are first used
    StreamClock uploads_, downloads_;
};

}  // namespace cornerturn
