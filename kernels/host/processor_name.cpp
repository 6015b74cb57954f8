// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/processor_name.h"

#include <fstream>

namespace cornerturn {

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "processor";
}

}  // namespace cornerturn
