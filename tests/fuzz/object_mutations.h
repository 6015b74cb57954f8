// SPDX-License-Identifier: Apache-2.0
// Damage to the datasets, attributes and links of an HDF5 file, by HDF5 itself: the file stays one, but says something
// else.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/chance.h"

namespace cornerturn::fuzz {

/// [first, last) of what is not the raw data of a dataset.
std::vector<std::pair<std::uint64_t, std::uint64_t>> headers_of(const std::string& path, std::uint64_t file_bytes);

/// Takes the object and the kind of damage that this number stands for; numbers from 0 on go through all of them.
std::string damage_object(const std::string& path, std::uint64_t number, Chance& chance);

/// Chunks, shuffled and deflated, in place of a dataset's plain samples.
void compress_dataset(const std::string& path, const std::string& name);

}  // namespace cornerturn::fuzz
