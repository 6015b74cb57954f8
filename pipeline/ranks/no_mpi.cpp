// SPDX-License-Identifier: Apache-2.0
// In place of mpi_ranks.cpp where the build has no MPI.
#include <fmt/format.h>

#include "kernels/errors.h"
#include "pipeline/ranks/launch.h"
#include "pipeline/ranks/ranks.h"

namespace cornerturn {

std::unique_ptr<Ranks> join_ranks() {
    const Launch launch = launch_from_environment();
    if (launch.alone()) return one_rank();
    throw InputError(fmt::format(
        "started as {} ranks, but this build knows no MPI: each would do the whole job, into one file; build with "
        "-DCORNERTURN_MPI=ON (scripts/setup --mpi, cmake --preset mpi), or start it without mpirun",
        launch.size));
}

}  // namespace cornerturn
