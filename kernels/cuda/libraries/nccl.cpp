// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/libraries/nccl.h"

#include <fmt/format.h>
#include <nccl.h>

#include <string_view>
#include <utility>

#include "kernels/cuda/libraries/shared_library.h"
#include "kernels/cuda/runtime/check.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

struct Library {
    SharedLibrary file{{CORNERTURN_NCCL_LIBRARY, "libnccl.so.2"},
                       "install NCCL or choose another way between the GPUs"};
    decltype(&ncclCommInitAll) init_all = file["ncclCommInitAll"];
    decltype(&ncclCommDestroy) destroy = file["ncclCommDestroy"];
    decltype(&ncclGroupStart) group_start = file["ncclGroupStart"];
    decltype(&ncclGroupEnd) group_end = file["ncclGroupEnd"];
    decltype(&ncclSend) send = file["ncclSend"];
    decltype(&ncclRecv) receive = file["ncclRecv"];
    decltype(&ncclGetErrorString) error_string = file["ncclGetErrorString"];
    decltype(&ncclGetLastError) last_error = file["ncclGetLastError"];
};

/// Throws DeviceError where it cannot be opened, each time anew.
const Library& library() {
    static const Library opened;
    return opened;
}

void check(ncclResult_t status, std::string_view doing) {
    if (status != ncclSuccess)
        throw DeviceError(fmt::format("cuda: {}: NCCL: {} ({})", doing, library().error_string(status),
                                      library().last_error(nullptr)));
}

}  // namespace

struct Nccl::Communicators {
    std::vector<ncclComm_t> of_gpu;
    ~Communicators() {
        for (const ncclComm_t communicator : of_gpu) library().destroy(communicator);
    }
};

bool Nccl::is_there() {
    try {
        library();
        return true;
    } catch (const DeviceError&) {
        return false;
    }
}

Nccl::Nccl(std::vector<SharedContext> gpus)
    : gpus_(std::move(gpus)), communicators_(std::make_unique<Communicators>()) {
    std::vector<int> indices;
    for (const SharedContext& gpu : gpus_) indices.push_back(gpu->index);
    std::vector<ncclComm_t> made(gpus_.size());
    check(library().init_all(made.data(), static_cast<int>(made.size()), indices.data()), "connect GPUs");
    communicators_->of_gpu = std::move(made);
}
Nccl::~Nccl() = default;

void Nccl::exchange(std::span<const Message> messages, std::span<const Stream* const> streams) {
    constexpr std::string_view doing = "exchange between GPUs";
    check(library().group_start(), doing);
    const auto& communicators = communicators_->of_gpu;
    ncclResult_t failure = ncclSuccess;  // the group has to be ended first
    for (const Message& m : messages) {
        const std::size_t bytes = m.count * sizeof(Complex64);
        const int from = static_cast<int>(m.from), to = static_cast<int>(m.to);
        if (failure == ncclSuccess)
            failure = library().send(m.samples, bytes, ncclInt8, to, communicators[m.from], streams[m.from]->get());
        if (failure == ncclSuccess)
            failure = library().receive(m.out, bytes, ncclInt8, from, communicators[m.to], streams[m.to]->get());
    }
    const ncclResult_t ended = library().group_end();
    check(failure, doing);
    check(ended, doing);
}

}  // namespace cornerturn
