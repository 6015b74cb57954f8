// SPDX-License-Identifier: Apache-2.0
// How HDF5 gets at the bytes of files that are only read.
#pragma once

#include <string>

#include "data/hdf5/hdf5.h"

namespace cornerturn::h5 {

/// Access properties for reading: HDF5's usual driver, but one that does not gather metadata. Gathering does nothing
/// for files that are only read, and in HDF5 1.10 it ends the program where a damaged file holds the undefined address:
/// the empty collection passes for lying there, and is copied from. `path` is any file that can be read.
Properties reading_access(const std::string& path);

}  // namespace cornerturn::h5
