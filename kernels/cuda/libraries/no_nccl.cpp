// SPDX-License-Identifier: Apache-2.0
// For a build without NCCL.
#include "kernels/cuda/libraries/nccl.h"
#include "kernels/errors.h"

namespace cornerturn {

struct Nccl::Communicators {};

bool Nccl::is_there() { return false; }

Nccl::Nccl(std::vector<SharedContext>) {
    throw DeviceError(
        "cuda: this build has no NCCL; choose another way between GPUs, or install NCCL (libnccl-dev) or set NCCL_ROOT "
        "to where it is, and configure anew");
}
Nccl::~Nccl() = default;

void Nccl::exchange(std::span<const Message>, std::span<const Stream* const>) {}

}  // namespace cornerturn
