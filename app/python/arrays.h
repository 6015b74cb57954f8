// SPDX-License-Identifier: Apache-2.0
// Arrays that are handed to Python without a copy, and what is asked of those that come from there.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/errors.h"

namespace cornerturn::python {

inline bool is_finite(const std::complex<float>& sample) {
    return std::isfinite(sample.real()) && std::isfinite(sample.imag());
}

/// Samples that nobody has set yet: std::vector would write zeros first.
inline std::shared_ptr<std::complex<float>> uninitialised_samples(std::size_t count) {
    const std::shared_ptr<std::byte[]> bytes = std::make_shared_for_overwrite<std::byte[]>(count * 8);
    return {bytes, reinterpret_cast<std::complex<float>*>(bytes.get())};
}

/// An array of NumPy's on memory that `kept` holds.
template <class T>
nanobind::object array_on(T* data, std::initializer_list<std::size_t> shape, std::shared_ptr<const void> kept) {
    auto owner = std::make_unique<std::shared_ptr<const void>>(std::move(kept));
    const nanobind::capsule capsule(
        owner.get(), [](void* pointer) noexcept { delete static_cast<std::shared_ptr<const void>*>(pointer); });
    owner.release();
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(data, shape.size(), shape.begin(), capsule));
}

template <class T>
nanobind::object array_of(std::vector<T> values) {
    const auto kept = std::make_shared<std::vector<T>>(std::move(values));
    return array_on(kept->data(), {kept->size()}, kept);
}

/// Rows of three.
inline nanobind::object array_of(const std::vector<std::array<double, 3>>& rows) {
    const auto kept = std::make_shared<std::vector<std::array<double, 3>>>(rows);
    return array_on(kept->data()->data(), {kept->size(), 3}, kept);
}

/// Throws InputError for one that does not lie in host memory: `what` names it.
template <class Array>
void require_on_host(const Array& array, const std::string& what) {
    if (array.device_type() != nanobind::device::cpu::value)
        throw InputError(
            fmt::format("{}: lies on a device (DLPack's type {}), but is wanted in host memory, such as array.get() or "
                        "tensor.cpu()",
                        what, array.device_type()));
}

/// Or that is not packed, row by row: `instead` is what can be passed.
template <class Array>
void require_packed(const Array& array, const std::string& what,
                    const char* instead = "numpy.ascontiguousarray of it") {
    std::int64_t expected = 1;
    for (std::size_t i = array.ndim(); i-- > 0; expected *= static_cast<std::int64_t>(array.shape(i)))
        if (array.shape(i) > 1 && array.stride(i) != expected)
            throw InputError(fmt::format("{}: axis {} has a stride of {} elements, expected {}; pass {}", what, i,
                                         array.stride(i), expected, instead));
}

}  // namespace cornerturn::python
