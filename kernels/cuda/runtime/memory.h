// SPDX-License-Identifier: Apache-2.0
// Owners of device memory and of page-locked host memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace cornerturn {

/// Uninitialised device memory; freeing it waits for the work that uses it.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    /// `what` it is for, in the error text. Throws DeviceError with the bytes wanted and the bytes free.
    DeviceBuffer(std::size_t bytes, std::string_view what);

    std::size_t bytes() const { return bytes_; }
    template <class T>
    T* data() const {
        return static_cast<T*>(memory_.get());
    }
    /// Hands the memory over to shared ownership.
    std::shared_ptr<void> share() && { return std::move(memory_); }

private:
    struct Free {
        void operator()(void* memory) const;
    };
    std::unique_ptr<void, Free> memory_;
    std::size_t bytes_ = 0;
};

/// Copies a host table to the device and waits; an empty table gives a null pointer.
DeviceBuffer to_device(std::span<const std::byte> table, std::string_view what);
template <class Table>
DeviceBuffer table_on_device(const Table& table, std::string_view what) {
    return to_device(std::as_bytes(std::span(table)), what);
}

/// Page-locked host memory, to and from which copies run beside the host's own work.
class PinnedBuffer {
public:
    PinnedBuffer() = default;
    explicit PinnedBuffer(std::size_t bytes);
    std::byte* data() const { return memory_.get(); }
    std::size_t bytes() const { return bytes_; }
    /// Hands the memory over to shared ownership.
    std::shared_ptr<std::byte> share() && { return std::move(memory_); }

private:
    struct Free {
        void operator()(std::byte* memory) const;
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::size_t bytes_ = 0;
};

/// Whether copies reach host memory without a detour.
bool is_page_locked(const void* memory);

}  // namespace cornerturn
