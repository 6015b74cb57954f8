// SPDX-License-Identifier: Apache-2.0
// One small file of each kind that the program reads, and the words that make it read that file.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/mutator.h"

namespace cornerturn::fuzz {

/// A kind of input. In the words MUTANT stands for the damaged file, OUT for the folder of outputs.
struct Kind {
    std::string name;
    GoodFile good;
    std::vector<std::vector<std::string>> runs;
    /// Of the mutant, below the folder of the campaign, where files lie that belong to it; empty: any.
    std::string path = {};
};

/// Writes the good files into an existing folder, and what belongs to mutants beside it, for which the program runs in
/// other processes. Throws std::runtime_error where it fails at one.
std::vector<Kind> make_good_files(const std::string& folder);

}  // namespace cornerturn::fuzz
