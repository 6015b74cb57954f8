// SPDX-License-Identifier: Apache-2.0
// Memory that shows when somebody writes beyond its ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cornerturn {

/// Memory for elements, aligned as a device's, with a guard before and behind.
template <class T>
class Guarded {
public:
    explicit Guarded(std::int64_t count)
        : count_(count), lines_(static_cast<std::size_t>(2 * guard + count * sizeof(T) / sizeof(CacheLine) + 1)) {
        std::memset(lines_.data(), 0xa5, lines_.size() * sizeof(CacheLine));
    }
    T* data() { return reinterpret_cast<T*>(lines_.data() + guard); }

    bool guards_untouched() const {
        const auto* first = reinterpret_cast<const unsigned char*>(lines_.data());
        const auto* begin = first + guard * sizeof(CacheLine);
        const auto* end = begin + count_ * static_cast<std::int64_t>(sizeof(T));
        const auto* last = first + lines_.size() * sizeof(CacheLine);
        const auto untouched = [](const unsigned char* from, const unsigned char* to) {
            return std::all_of(from, to, [](unsigned char byte) { return byte == 0xa5; });
        };
        return untouched(first, begin) && untouched(end, last);
    }

private:
    struct alignas(64) CacheLine {
        std::byte bytes[64];
    };
    static constexpr std::size_t guard = 2;
    std::int64_t count_;
    std::vector<CacheLine> lines_;
};

}  // namespace cornerturn
