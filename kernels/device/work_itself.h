// SPDX-License-Identifier: Apache-2.0
// Replacement of a recording (CUDA graph) where recording saves nothing: the work is simply done again.
#pragma once

#include <functional>
#include <utility>

#include "kernels/device/recording.h"

namespace cornerturn {

struct WorkItself final : Recording {
    explicit WorkItself(std::function<void()> w) : work(std::move(w)) {}
    void replay() override { work(); }
    std::function<void()> work;
};

}  // namespace cornerturn
