// SPDX-License-Identifier: Apache-2.0
// NVIDIA's NCCL: messages between GPUs that finds the way itself, with access to each other's memory and without.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/runtime/context.h"
#include "kernels/math/complex.h"

namespace cornerturn {

class Nccl {
public:
    /// Whether this build has it and this machine too.
    static bool is_there();
    /// Throws DeviceError where it is not, or has no way between the GPUs; each of them may be there once.
    explicit Nccl(std::vector<SharedContext> gpus);
    ~Nccl();

    struct Message {
        std::size_t from;
        const Complex64* samples;
        std::size_t to;
        Complex64* out;
        std::size_t count;
    };
    /// All of them at once, on each GPU in turn with what streams[GPU] was asked for.
    void exchange(std::span<const Message> messages, std::span<const Stream* const> streams);

private:
    struct Communicators;
    std::vector<SharedContext> gpus_;
    std::unique_ptr<Communicators> communicators_;
};

}  // namespace cornerturn
