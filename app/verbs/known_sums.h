// SPDX-License-Identifier: Apache-2.0
// Sums of inputs that many scenes share: bursts of one file, scenes over one model of heights.
#pragma once

#include <string>

namespace cornerturn {

/// sha256_of_input, read once as long as the input does not change: who asks meanwhile waits. For several threads.
std::string known_sha256(const std::string& path);

}  // namespace cornerturn
