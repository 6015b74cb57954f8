// SPDX-License-Identifier: Apache-2.0
// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <string>

namespace cornerturn {

/// The least of what the machine has available, what the control group leaves and what the address-space limit leaves.
std::uint64_t available_memory_bytes();

/// Throws InputError naming both figures if `bytes` (a floating-point number, as file headers may claim anything)
/// exceed what is available. `subject` names the file and the dataset.
void require_memory(double bytes, const std::string& subject);

}  // namespace cornerturn
