// SPDX-License-Identifier: Apache-2.0
// Ranks over MPI: the only file that knows it. Whatever waits does so outside, by asking again and again, so that a
// request to stop is heard, ranks that share a processor do not take it from each other, and one lock suffices for
// threads (MPI_THREAD_SERIALIZED).
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "kernels/errors.h"
#include "pipeline/ranks/launch.h"
#include "pipeline/ranks/ranks.h"

namespace cornerturn {
namespace {

void check(int status, const char* doing) {
    if (status == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(status, text.data(), &length);
    throw DeviceError(fmt::format("MPI: {}: {}", doing, text.data()));
}

class MpiTransfer final : public Transfer {
public:
    MpiTransfer(std::mutex& mpi, MPI_Request request, std::optional<std::size_t> sent)
        : mpi_(mpi), request_(request), sent_(sent) {}
    ~MpiTransfer() override {
        if (done_) return;
        const std::scoped_lock lock(mpi_);
        if (sent_) {
            MPI_Request_free(&request_);  // nothing takes a send back
            return;
        }
        MPI_Cancel(&request_);
        MPI_Wait(&request_, MPI_STATUS_IGNORE);
    }
    MpiTransfer(const MpiTransfer&) = delete;
    MpiTransfer& operator=(const MpiTransfer&) = delete;

    std::optional<std::size_t> done() override {
        if (done_) return done_;
        const std::scoped_lock lock(mpi_);
        int complete = 0;
        MPI_Status status{};
        check(MPI_Test(&request_, &complete, &status), "a message did not come through");
        if (complete == 0) return std::nullopt;
        int bytes = 0;
        if (!sent_) check(MPI_Get_count(&status, MPI_BYTE, &bytes), "the size of a message");
        return done_ = sent_.value_or(static_cast<std::size_t>(bytes));
    }

private:
    std::mutex& mpi_;
    MPI_Request request_;
    std::optional<std::size_t> sent_, done_;
};

/// Bound to the same processors, ranks share them.
int own_processors(MPI_Comm machine, int local_size) {
    cpu_set_t own;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) != 0) return 1;
    std::vector<cpu_set_t> all(static_cast<std::size_t>(local_size));
    check(MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, machine), "gathering processors");
    const auto sharing =
        std::count_if(all.begin(), all.end(), [&](const cpu_set_t& other) { return CPU_EQUAL(&own, &other); });
    return std::max(1, CPU_COUNT(&own) / static_cast<int>(sharing));
}

class MpiRanks final : public Ranks {
public:
    MpiRanks() {
        int threads = 0;
        check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads), "starting");
        if (threads < MPI_THREAD_SERIALIZED)
            throw InputError("MPI: this library lets only one thread talk; use one that offers MPI_THREAD_SERIALIZED");
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm machine = MPI_COMM_NULL;
        check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine),
              "finding ranks of a machine");
        MPI_Comm_rank(machine, &local_rank_);
        MPI_Comm_size(machine, &local_size_);
        threads_ = own_processors(machine, local_size_);
        MPI_Comm_free(&machine);
        gather_hosts();
    }
    ~MpiRanks() override { MPI_Finalize(); }
    MpiRanks(const MpiRanks&) = delete;
    MpiRanks& operator=(const MpiRanks&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string name(int rank) const override {
        return fmt::format("rank {} ({})", rank, hosts_[static_cast<std::size_t>(rank)].data());
    }
    int local_rank() const override { return local_rank_; }
    int local_size() const override { return local_size_; }
    int threads() const override { return threads_; }

    std::unique_ptr<Transfer> send(int to, Channel channel, std::span<const std::byte> bytes) override {
        const std::scoped_lock lock(mpi_);
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, static_cast<int>(channel),
                        MPI_COMM_WORLD, &request),
              "sending");
        return std::make_unique<MpiTransfer>(mpi_, request, bytes.size());
    }
    std::unique_ptr<Transfer> receive(int from, Channel channel, std::span<std::byte> to) override {
        const std::scoped_lock lock(mpi_);
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Irecv(to.data(), static_cast<int>(to.size()), MPI_BYTE, from, static_cast<int>(channel),
                        MPI_COMM_WORLD, &request),
              "receiving");
        return std::make_unique<MpiTransfer>(mpi_, request, std::nullopt);
    }
    void abort(int exit_code) override {
        MPI_Abort(MPI_COMM_WORLD, exit_code);
        std::abort();
    }

private:
    using HostName = std::array<char, MPI_MAX_PROCESSOR_NAME>;

    void gather_hosts() {
        HostName own{};
        int length = 0;
        check(MPI_Get_processor_name(own.data(), &length), "the name of this machine");
        hosts_.resize(static_cast<std::size_t>(size_));
        check(MPI_Allgather(own.data(), MPI_MAX_PROCESSOR_NAME, MPI_BYTE, hosts_.data(), MPI_MAX_PROCESSOR_NAME,
                            MPI_BYTE, MPI_COMM_WORLD),
              "gathering names");
    }

    std::mutex mpi_;
    int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1, threads_ = 1;
    std::vector<HostName> hosts_;
};

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
    if (launch_from_environment().alone()) return one_rank();  // MPI costs a while to start
    return std::make_unique<MpiRanks>();
}

}  // namespace cornerturn
