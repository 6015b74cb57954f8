# SPDX-License-Identifier: Apache-2.0
# Decides whether ranks of MPI may share a job (CORNERTURN_HAVE_MPI).
set(CORNERTURN_HAVE_MPI OFF)
if(NOT CORNERTURN_MPI MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "CORNERTURN_MPI is '${CORNERTURN_MPI}', but must be AUTO, ON or OFF")
endif()
if(NOT CORNERTURN_MPI STREQUAL "OFF")
  find_package(MPI COMPONENTS C)
  set(CORNERTURN_HAVE_MPI ${MPI_C_FOUND})
  if(CORNERTURN_MPI STREQUAL "ON" AND NOT MPI_C_FOUND)
    message(FATAL_ERROR "CORNERTURN_MPI=ON, but no MPI was found; "
      "scripts/setup --mpi installs Open MPI, or put another one's mpicc in PATH")
  endif()
endif()
