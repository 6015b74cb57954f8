// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/processor_name.h"

#include <fstream>

namespace cornerturn {

namespace {

std::string name_by_the_system() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "processor";
}

}  // namespace

/// Asked for several times by each job, and the system makes up the text anew each time.
std::string processor_name() {
    static const std::string name = name_by_the_system();
    return name;
}

}  // namespace cornerturn
