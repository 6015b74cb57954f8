// SPDX-License-Identifier: Apache-2.0
// cornerturn devices: what can compute here.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/common_options.h"
#include "app/console.h"
#include "app/verb.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "kernels/device/device.h"

namespace cornerturn {
namespace {

double gibibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024 * 1024); }

nlohmann::json to_json(const DeviceList& list) {
    nlohmann::json json{{"cuda_status", list.cuda_status}, {"devices", nlohmann::json::array()}};
    for (const auto& device : list.devices)
        json["devices"].push_back({{"name", device.name},
                                   {"description", device.description},
                                   {"memory_bytes", device.memory_bytes},
                                   {"memory_free_bytes", device.memory_free_bytes}});
    return json;
}

void print_table(const DeviceList& list) {
    for (const auto& device : list.devices) {
        const std::string free =
            device.memory_free_bytes > 0 ? fmt::format("{:.1f} of ", gibibytes(device.memory_free_bytes)) : "";
        fmt::print("{:<8} {}, {}{:.1f} GiB{}\n", device.name, device.description, free, gibibytes(device.memory_bytes),
                   free.empty() ? "" : " free");
    }
    if (!list.cuda_status.empty()) fmt::print("cuda     none: {}\n", list.cuda_status);
}

}  // namespace

void add_devices(const Verb& program) {
    const Verb verb = program.verb("devices", "Lists what can compute here");
    verb.footer(R"(Example:
  cornerturn devices)");
    auto json = std::make_shared<JsonOutput>();
    add_json_option(verb, *json);
    verb.runs([=] {
        check_outputs({json->file()});
        const DeviceList list = list_devices();
        if (!json->instead_of_text()) print_table(list);
        json->write(to_json(list));
        return exit_code::success;
    });
}

}  // namespace cornerturn
