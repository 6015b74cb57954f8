// SPDX-License-Identifier: Apache-2.0
// Choices that follow from a seed alone, alike with every library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace cornerturn::fuzz {

class Chance {
public:
    explicit Chance(std::uint64_t seed) : engine_(seed) {}
    /// 0 to count - 1; 0 where there is nothing to choose from.
    std::size_t below(std::size_t count) { return count == 0 ? 0 : static_cast<std::size_t>(engine_() % count); }
    /// One of `of` times.
    bool once_in(std::size_t of) { return below(of) == 0; }
    template <class List>
    const auto& one_of(const List& list) {
        return list[below(list.size())];
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace cornerturn::fuzz
