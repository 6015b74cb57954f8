// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/available_memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t machine_bytes() {
    std::ifstream info("/proc/meminfo");
    std::string key, unit;
    for (std::uint64_t kibibytes = 0; info >> key >> kibibytes; std::getline(info, unit))
        if (key == "MemAvailable:") return 1024 * kibibytes;
    return unlimited;
}

std::optional<std::uint64_t> number_in(const char* file) {
    std::uint64_t value = 0;
    std::ifstream in(file);
    return in >> value ? std::optional(value) : std::nullopt;
}

/// Version 2 of control groups, as seen from inside a container.
std::uint64_t control_group_bytes() {
    const auto limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
    if (!limit || !used) return unlimited;
    return *limit > *used ? *limit - *used : 0;
}

std::uint64_t address_space_bytes() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    const std::uint64_t used =
        number_in("/proc/self/statm").value_or(0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::uint64_t available_memory_bytes() {
    return std::min({machine_bytes(), control_group_bytes(), address_space_bytes()});
}

void require_memory(double bytes, const std::string& subject) {
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    const auto available = static_cast<double>(available_memory_bytes());
    if (bytes > available)
        throw InputError(fmt::format("{}: needs {:.3g} GiB of memory, but only {:.3g} GiB are available", subject,
                                     bytes / gib, available / gib));
}

}  // namespace cornerturn
