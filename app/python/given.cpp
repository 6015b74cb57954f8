// SPDX-License-Identifier: Apache-2.0
#include "app/python/given.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "kernels/errors.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;

std::string type_name(const nb::dlpack::dtype& type) {
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    if (code == nb::dlpack::dtype_code::Bool) return "bool";
    const char* const kind = code == nb::dlpack::dtype_code::Int       ? "int"
                             : code == nb::dlpack::dtype_code::UInt    ? "uint"
                             : code == nb::dlpack::dtype_code::Float   ? "float"
                             : code == nb::dlpack::dtype_code::Complex ? "complex"
                                                                       : "type of DLPack's ";
    return fmt::format("{}{}", kind, type.bits);
}

}  // namespace

std::string text_of(nb::handle object) {
    if (nb::isinstance<nb::bytes>(object)) {
        const auto bytes = nb::borrow<nb::bytes>(object);
        return {bytes.c_str(), bytes.size()};
    }
    const nb::str text(object);
    const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
    if (!encoded.is_valid()) throw nb::python_error();
    return text_of(encoded);
}

nb::str string_of(std::string_view text) {
    const nb::object decoded =
        nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
    if (!decoded.is_valid()) throw nb::python_error();
    return nb::borrow<nb::str>(decoded);
}

std::string class_name(nb::handle object) { return text_of(object.type().attr("__name__")); }

bool is_path(nb::handle object) {
    return nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object) || nb::hasattr(object, "__fspath__");
}

std::string path_of(nb::handle path_like) {
    const auto bytes = nb::cast<nb::bytes>(nb::module_::import_("os").attr("fsencode")(path_like));
    std::string path(bytes.c_str(), bytes.size());
    if (path.empty()) throw InputError("\"\": the path is empty; give the name of a file");
    if (path.find('\0') != std::string::npos)
        throw InputError(fmt::format("{}: a path ends at its first null character; leave it out", path.c_str()));
    return path;
}

void require_no_mask(nb::handle object, const std::string& what, const char* instead) {
    if (!nb::hasattr(object, "mask") || !nb::hasattr(object, "filled")) return;
    const nb::object masked = object.attr("mask").attr("any")();
    if (PyObject_IsTrue(masked.ptr()) != 0)
        throw InputError(fmt::format("{}: has a mask, which would be left out; pass {}", what, instead));
}

nb::ndarray<nb::ro> array_in(nb::handle object, const std::string& what) {
    require_no_mask(object, what, "array.filled(0)");
    nb::ndarray<nb::ro> array;
    if (nb::try_cast(object, array, false)) return array;
    if (nb::hasattr(object, "__array__") && !nb::isinstance(object, nb::module_::import_("numpy").attr("ndarray")))
        throw InputError(fmt::format(
            "{}: is of type {}, whose samples are handed over neither by the buffer protocol nor by DLPack; "
            "pass numpy.asarray of it",
            what, class_name(object)));
    if (nb::hasattr(object, "dtype")) {
        const nb::object type = object.attr("dtype");
        const bool swapped = nb::hasattr(type, "isnative") && !nb::cast<bool>(type.attr("isnative"));
        throw InputError(
            fmt::format("{}: an array of {}, which is handed over neither by the buffer protocol nor by DLPack; pass "
                        "it {}",
                        what, text_of(type),
                        swapped ? "in this machine's order of bytes, array.astype(array.dtype.newbyteorder(\"=\"))"
                                : "as complex64, array.astype(\"complex64\")"));
    }
    throw InputError(
        fmt::format("{}: is of type {}, expected an array of NumPy or with __dlpack__", what, class_name(object)));
}

std::string description_of(const nb::ndarray<nb::ro>& array) {
    std::string shape;
    for (std::size_t i = 0; i < array.ndim(); ++i) shape += fmt::format("{}{}", i > 0 ? ", " : "", array.shape(i));
    return fmt::format("{} of shape ({}{})", type_name(array.dtype()), shape, array.ndim() == 1 ? "," : "");
}

}  // namespace cornerturn::python
