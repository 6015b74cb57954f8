// SPDX-License-Identifier: Apache-2.0
// Locks of files between processes, and what a failed attempt means.
#pragma once

#include <sys/types.h>

namespace cornerturn {

enum class LockAttempt {
    taken,
    by_another,
    unknown  ///< the file system has no locks, or cannot tell (NFS without its lock service)
};

/// What a lock of the whole file (flock, as HDF5 takes it) came to; it ends with the descriptor. NFS locks only files
/// that are open for writing.
LockAttempt try_lock(int file);

/// The same of one byte (an open file description's lock): what another descriptor of this process closes does not end
/// it.
LockAttempt try_lock_byte(int file, off_t at);

}  // namespace cornerturn
