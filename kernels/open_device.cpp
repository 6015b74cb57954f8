// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "kernels/cpu/cpu_device.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/device/first_device.h"
#include "kernels/errors.h"
#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

constexpr auto all_gpus = "cuda:all";

/// The N of "cuda" (0) or "cuda:N".
std::optional<int> cuda_index(const std::string& name) {
    if (name == "cuda") return 0;
    if (!name.starts_with("cuda:")) return std::nullopt;
    const auto index = number_from<int>(std::string_view(name).substr(5));
    return index && *index >= 0 ? index : std::nullopt;
}

}  // namespace

std::unique_ptr<Device> open_device(const std::string& name, int threads) {
    if (name == "cpu") return open_cpu_device(threads);
    if (name == "cpu-double") return open_cpu_double_device(threads);
    if (name == "auto") {
        auto gpu = first_that_opens(cuda_devices().devices, [](const auto& found) { return open_device(found); });
        return gpu ? std::move(gpu) : open_cpu_device(threads);
    }
    if (const auto index = cuda_index(name)) return open_cuda_device(*index);
    if (name == all_gpus || name.find(',') != std::string::npos)
        throw InputError(
            fmt::format("--device {}: this takes one device; choose auto, cpu, cpu-double, cuda or cuda:N", name));
    throw InputError(fmt::format("unknown device '{}'; choose auto, cpu, cpu-double, cuda or cuda:N", name));
}

std::vector<std::string> device_names(const std::string& names) {
    std::vector<std::string> each;
    std::istringstream list(names + ',');
    for (std::string name; std::getline(list, name, ',');) {
        const bool index = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
        if (index && !each.empty() && each.back().starts_with("cuda:"))
            name = "cuda:" + name;  // "cuda:0,1" is "cuda:0,cuda:1"
        if (name.empty())
            throw InputError(fmt::format(
                "--device '{}': a name is missing{}; choose auto, cpu, cpu-double, cuda, cuda:N, cuda:all, or "
                "several as in cuda:0,1",
                names, names.empty() ? "" : " beside a comma"));
        if (name != all_gpus) {
            each.push_back(name);
            continue;
        }
        const CudaDevices found = cuda_devices();
        if (found.devices.empty()) throw DeviceError(fmt::format("{}: {}", all_gpus, found.reason));
        for (const DeviceInfo& device : found.devices) each.push_back(device.name);
    }
    return each;
}

std::vector<std::unique_ptr<Device>> open_devices(const std::string& names, int threads) {
    const std::vector<std::string> each = device_names(names);
    const auto cpus =
        std::count_if(each.begin(), each.end(), [](const std::string& name) { return name.starts_with("cpu"); });
    if (threads == 0 && cpus > 1) threads = std::max(1, omp_get_max_threads() / static_cast<int>(cpus));
    std::vector<std::unique_ptr<Device>> devices;
    for (const std::string& name : each) devices.push_back(open_device(name, threads));
    return devices;
}

DeviceList list_devices() {
    CudaDevices cuda = cuda_devices();
    DeviceList list{.devices = {cpu_info(0)}, .cuda_status = cuda.reason};
    list.devices.insert(list.devices.end(), cuda.devices.begin(), cuda.devices.end());
    return list;
}

}  // namespace cornerturn
