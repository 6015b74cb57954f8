// SPDX-License-Identifier: Apache-2.0
// cornerturn._core: the library as the package `cornerturn` has it.
#include <nanobind/nanobind.h>

#include "app/python/bindings.h"
#include "app/python/echo.h"
#include "app/python/errors.h"
#include "app/python/image.h"
#include "app/python/json_object.h"
#include "app/verbs/focus_report.h"
#include "app/version.h"
#include "kernels/device/device.h"

#include <nlohmann/json.hpp>

namespace cornerturn::python {
namespace {

nanobind::object devices() {
    DeviceList list;
    {
        const nanobind::gil_scoped_release free;
        list = list_devices();
    }
    nlohmann::json json = nlohmann::json::array();
    for (const DeviceInfo& device : list.devices) {
        json.push_back(device_json(device));
        json.back()["memory_bytes"] = device.memory_bytes;
    }
    return object_of(json);
}

}  // namespace
}  // namespace cornerturn::python

NB_MODULE(_core, module) {
    using namespace cornerturn::python;
    module.doc() = "The compiled part of cornerturn.";
    module.attr("__version__") = cornerturn::version;
    add_errors(module);
    add_echo(module);
    add_image(module);
    add_geometry(module);
    add_plan(module);
    add_measures(module);
    add_backprojection(module);
    module.def("devices", &devices, nanobind::sig("def devices() -> list[dict[str, typing.Any]]"),
               "The devices of this machine: name, description, memory_bytes of each.");
}
