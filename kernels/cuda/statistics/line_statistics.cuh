// SPDX-License-Identifier: Apache-2.0
// Statistics of one echo line by one block. The order of additions is fixed.
#pragma once

#include "kernels/device/line_sums.h"

namespace cornerturn {

template <class Component>
struct LineStatistics {
    static constexpr int block_width = 256, block_height = 1;
    struct Shared {
        LineSums of_thread[block_width];
    };

    EchoReader<double, Component> echo;
    std::int64_t first_line = 0;
    std::int64_t lines_there = 0;  // that the echo holds from first_line on
    std::int64_t samples = 0;
    LineSums* sums = nullptr;  // of the whole echo's lines

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        auto& of_thread = block.template shared<Shared>().of_thread;
        const int thread = block.thread().x;
        const std::int64_t line = first_line + block.number();
        const bool has_next = static_cast<std::int64_t>(block.number()) + 1 < lines_there;
        LineSums mine{};
        for (std::int64_t sample = thread; sample < samples; sample += block_width)
            add_sample(echo, line, sample, has_next, mine);
        of_thread[thread] = mine;
        for (int half = block_width / 2; half > 0; half /= 2) {
            block.sync();
            if (thread < half) of_thread[thread] += of_thread[thread + half];
        }
        if (thread == 0) sums[line] = of_thread[0];
    }
};

}  // namespace cornerturn
