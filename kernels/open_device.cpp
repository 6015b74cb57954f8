// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>

#include "kernels/cpu/cpu_device.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// The N of "cuda" (0) or "cuda:N".
std::optional<int> cuda_index(const std::string& name) {
    if (name == "cuda") return 0;
    if (!name.starts_with("cuda:")) return std::nullopt;
    int index = -1;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + 5, end, index);
    if (error != std::errc{} || rest != end || index < 0) return std::nullopt;
    return index;
}

}  // namespace

std::unique_ptr<Device> open_device(const std::string& name, int threads) {
    if (name == "cpu") return open_cpu_device(threads);
    if (name == "cpu-double") return open_cpu_double_device(threads);
    if (name == "auto") return cuda_devices().devices.empty() ? open_cpu_device(threads) : open_cuda_device(0);
    if (const auto index = cuda_index(name)) return open_cuda_device(*index);
    throw InputError(fmt::format("unknown device '{}'; choose auto, cpu, cpu-double, cuda or cuda:N", name));
}

std::vector<std::unique_ptr<Device>> open_devices(const std::string& names, int threads) {
    std::vector<std::unique_ptr<Device>> devices;
    if (names == "cuda:all") {
        const CudaDevices found = cuda_devices();
        if (found.devices.empty()) throw DeviceError(fmt::format("cuda:all: {}", found.reason));
        for (const DeviceInfo& device : found.devices) devices.push_back(open_device(device.name, threads));
        return devices;
    }
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');) {
        // "cuda:0,1" is "cuda:0,cuda:1".
        const bool index = !devices.empty() && name.find_first_not_of("0123456789") == std::string::npos;
        devices.push_back(open_device(index ? "cuda:" + name : name, threads));
    }
    if (devices.empty()) throw InputError("no device; choose auto, cpu, cpu-double, cuda, cuda:N, or several as in cuda:0,1");
    return devices;
}

DeviceList list_devices() {
    CudaDevices cuda = cuda_devices();
    DeviceList list{.devices = {cpu_info(0)}, .cuda_status = cuda.reason};
    list.devices.insert(list.devices.end(), cuda.devices.begin(), cuda.devices.end());
    return list;
}

}  // namespace cornerturn
