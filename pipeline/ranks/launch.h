// SPDX-License-Identifier: Apache-2.0
// Environment variables of the launcher of a parallel job (mpirun, srun), read before anything of MPI is started.
#pragma once

namespace cornerturn {

/// This process among those that were started together.
struct Launch {
    int rank = 0, size = 1;
    bool alone() const { return size == 1; }
    bool leads() const { return rank == 0; }
};

/// Of Open MPI (OMPI_COMM_WORLD_*), of MPICH, Intel MPI and `srun --mpi=pmi2` (PMI_*), of `srun --mpi=pmix` (PMIX_RANK
/// with Slurm's own numbers). Alone where none of these says anything.
Launch launch_from_environment();

}  // namespace cornerturn
