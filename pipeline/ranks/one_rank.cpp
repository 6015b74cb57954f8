// SPDX-License-Identifier: Apache-2.0
// One process by itself, in every build.
#include <omp.h>

#include <cstdlib>
#include <stdexcept>

#include "pipeline/ranks/ranks.h"

namespace cornerturn {
namespace {

class OneRank final : public Ranks {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    std::string name(int) const override { return "rank 0"; }
    int local_rank() const override { return 0; }
    int local_size() const override { return 1; }
    int threads() const override { return omp_get_num_procs(); }
    std::unique_ptr<Transfer> send(int, Channel, std::span<const std::byte>) override {
        throw std::logic_error("no other rank to send to");
    }
    std::unique_ptr<Transfer> receive(int, Channel, std::span<std::byte>) override {
        throw std::logic_error("no other rank to hear of");
    }
    void abort(int exit_code) override { std::exit(exit_code); }
};

}  // namespace

std::unique_ptr<Ranks> one_rank() { return std::make_unique<OneRank>(); }

}  // namespace cornerturn
