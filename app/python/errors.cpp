// SPDX-License-Identifier: Apache-2.0
#include "app/python/errors.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "app/python/given.h"
#include "app/python/keyword_text.h"
#include "kernels/errors.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;

constexpr auto warning_name = "CornerturnWarning";

nb::object warning_category() { return nb::module_::import_("cornerturn._core").attr(warning_name); }

}  // namespace

void add_errors(nb::module_& module) {
    nb::exception<InputError> input(module, "InputError", PyExc_ValueError);
    input.attr("__doc__") = "A file, an array or an option is at fault: the text says what was found and the way out.";
    nb::exception<DeviceError> device(module, "DeviceError", PyExc_RuntimeError);
    device.attr("__doc__") = "A device, a library or the system failed.";
    // The one that was added last is asked first.
    nb::register_exception_translator([](const std::exception_ptr& error, void*) {
        const auto raise = [](const char* type, const std::exception& thrown) {
            const nb::object of_module = nb::module_::import_("cornerturn._core").attr(type);
            PyErr_SetObject(of_module.ptr(), string_of(in_keywords(thrown.what())).ptr());
        };
        try {
            std::rethrow_exception(error);
        } catch (const Interrupted& interrupted) {
            PyErr_SetString(PyExc_KeyboardInterrupt, interrupted.what());
        } catch (const InputError& refusal) {
            raise("InputError", refusal);
        } catch (const DeviceError& failure) {
            raise("DeviceError", failure);
        }
    });
    const auto name = nb::cast<std::string>(module.attr("__name__")) + "." + warning_name;
    nb::object warning = nb::steal(PyErr_NewExceptionWithDoc(
        name.c_str(), "What a user should hear of an echo, a plan or an image.", PyExc_UserWarning, nullptr));
    module.attr(warning_name) = warning;
}

void warn(const std::vector<std::string>& warnings) {
    if (warnings.empty()) return;
    const nb::object category = warning_category();
    for (const std::string& warning : warnings)
        if (PyErr_WarnFormat(category.ptr(), 1, "%U", string_of(in_keywords(warning)).ptr()) != 0)
            throw nb::python_error();
}

void refuse_to_leave(const char* what, const char* instead) {
    throw nb::type_error(fmt::format("{} is neither pickled nor copied: {}", what, instead).c_str());
}

}  // namespace cornerturn::python
