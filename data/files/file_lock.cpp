// SPDX-License-Identifier: Apache-2.0
#include "data/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace cornerturn {
namespace {

/// Only what POSIX and Linux say of a lock that another holds is taken for that.
LockAttempt meaning_of(int result) {
    if (result == 0) return LockAttempt::taken;
    return errno == EWOULDBLOCK || errno == EAGAIN || errno == EACCES ? LockAttempt::by_another : LockAttempt::unknown;
}

}  // namespace

LockAttempt try_lock(int file) { return meaning_of(flock(file, LOCK_EX | LOCK_NB)); }

LockAttempt try_lock_byte(int file, off_t at) {
    struct flock byte {};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = at;
    byte.l_len = 1;
    return meaning_of(fcntl(file, F_OFD_SETLK, &byte));
}

}  // namespace cornerturn
