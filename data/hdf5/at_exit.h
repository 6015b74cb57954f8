// SPDX-License-Identifier: Apache-2.0
// What HDF5 does when a program ends.
#pragma once

namespace cornerturn::h5 {

/// For a program that leaves HDF5 to this library, before anything else: it shall not tidy up at exit. Our handles have
/// done that, and a file whose closing failed on a full disk would crash it.
void leave_nothing_to_exit();

}  // namespace cornerturn::h5
