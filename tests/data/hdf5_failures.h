// SPDX-License-Identifier: Apache-2.0
// Lets calls of HDF5 fail, one after the other: functions that stand before the library's own.
#pragma once

#include <set>
#include <string>

namespace cornerturn {

/// Forgets what failed before.
void begin_hdf5_failures();
/// Lets one call fail: the first from a place in the program where none has failed yet.
void let_hdf5_fail_elsewhere();
/// The function whose call failed since; "" if none did. No more calls fail then.
std::string failed_hdf5_call();
/// Functions that were called meanwhile by a thread whose turn it was not (h5::Turn).
std::set<std::string> hdf5_calls_out_of_turn();

}  // namespace cornerturn
