// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/exchange/carriers.h"

#include <set>
#include <string>

#include "kernels/cuda/libraries/nccl.h"
#include "kernels/cuda/runtime/check.h"
#include "kernels/errors.h"

namespace cornerturn {

bool reach_each_other(const std::vector<SharedContext>& gpus) {
    for (const SharedContext& gpu : gpus)
        for (const SharedContext& other : gpus) {
            int can = 1;
            if (other->index != gpu->index)
                check(cudaDeviceCanAccessPeer(&can, gpu->index, other->index),
                      "ask whether GPUs reach each other's memory");
            if (can == 0) return false;
        }
    return true;
}

void set_access(const CudaContext& other, bool open) {
    const cudaError_t status =
        open ? cudaDeviceEnablePeerAccess(other.index, 0) : cudaDeviceDisablePeerAccess(other.index);
    if (status == cudaErrorPeerAccessAlreadyEnabled || status == cudaErrorPeerAccessNotEnabled)
        cudaGetLastError();
    else
        check(status, "open the memory of GPUs to each other");
}

bool all_different(const std::vector<SharedContext>& gpus) {
    std::set<int> indices;
    for (const SharedContext& gpu : gpus) indices.insert(gpu->index);
    return indices.size() == gpus.size();
}

Carrier settled(Carrier wanted, const std::vector<SharedContext>& gpus, std::string_view doing) {
    if (wanted == Carrier::peer && !reach_each_other(gpus))
        throw DeviceError(std::string(doing) +
                          ": GPUs have no access to each other's memory; choose others that a link connects "
                          "(nvidia-smi topo -m), or another carrier");
    if (wanted != Carrier::fastest) return wanted;
    if (reach_each_other(gpus)) return Carrier::peer;
    return Nccl::is_there() && all_different(gpus) ? Carrier::nccl : Carrier::host;
}

}  // namespace cornerturn
