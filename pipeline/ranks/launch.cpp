// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/launch.h"

#include <cstdlib>
#include <optional>

#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

std::optional<int> number_in(const char* variable) {
    const char* text = std::getenv(variable);
    const auto number = text ? number_from<int>(text) : std::nullopt;
    return number && *number >= 0 ? number : std::nullopt;
}

std::optional<Launch> launch_by(const char* rank, const char* size) {
    const std::optional<int> r = number_in(rank), n = number_in(size);
    if (!r || !n || *r >= *n) return std::nullopt;
    return Launch{*r, *n};
}

}  // namespace

Launch launch_from_environment() {
    if (const auto of_open_mpi = launch_by("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) return *of_open_mpi;
    if (const auto of_pmi = launch_by("PMI_RANK", "PMI_SIZE")) return *of_pmi;
    // Slurm sets its own numbers for programs that have nothing to do with each other, too.
    if (std::getenv("PMIX_RANK") != nullptr)
        if (const auto of_slurm = launch_by("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")) return *of_slurm;
    return {};
}

}  // namespace cornerturn
