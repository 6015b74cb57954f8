// SPDX-License-Identifier: Apache-2.0
// Damages files: their bytes, the words of their text, and the objects of HDF5 files.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/records.h"

namespace cornerturn::fuzz {

/// A file that is right, and what damaging it needs to know.
struct GoodFile {
    std::string path;
    /// [first, last) of the bytes that are not plain samples or heights: where damage does most.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> headers;
    bool is_hdf5 = false, is_text = false;
    std::vector<Record> records = {};  ///< of files that consist of such
};

/// Of an HDF5 file all that is not the raw data of a dataset; of others the whole.
GoodFile look_at(const std::string& path);

/// Writes a damaged copy to `to` and says what was done. Number and seed tell everything: every second mutant of an
/// HDF5 file takes the next of its objects and the next kind of damage to it, so that many mutants reach all of them;
/// three of four of a file of records keep its structure.
std::string mutate(const GoodFile& good, const std::string& to, std::uint64_t number, std::uint64_t seed);

}  // namespace cornerturn::fuzz
