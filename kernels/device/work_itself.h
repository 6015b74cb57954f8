// SPDX-License-Identifier: Apache-2.0
// What stands for a recording where nothing is to be saved by one.
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
