// SPDX-License-Identifier: Apache-2.0
// Model name of the processor, as the kernel tells it.
#pragma once

#include <string>

namespace cornerturn {

std::string processor_name();

}  // namespace cornerturn
