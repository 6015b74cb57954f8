// SPDX-License-Identifier: Apache-2.0
#include "app/python/gpu_arrays.h"

#include <fmt/format.h>
#include <nanobind/stl/pair.h>

#include <array>
#include <utility>

#include "kernels/errors.h"

namespace cornerturn::python {

namespace nb = nanobind;

std::string name_of(MemoryPlace place) {
    return place == host_memory_place ? "host memory" : fmt::format("cuda:{}", place.gpu);
}

MemoryPlace place_of(int dlpack_device, int number, const std::string& what) {
    switch (dlpack_device) {
        case nb::device::cpu::value:
        case nb::device::cuda_host::value: return host_memory_place;
        case nb::device::cuda::value:
        case nb::device::cuda_managed::value: return {number};
        default:
            throw InputError(fmt::format(
                "{}: lies in memory of a kind that no device here reaches (DLPack's type {}); hand over a copy in host "
                "memory or on a CUDA device",
                what, dlpack_device));
    }
}

MemoryPlace place_told_by(nb::handle array, const std::string& what) {
    if (!nb::hasattr(array, "__dlpack_device__")) return host_memory_place;
    const auto [device, number] = nb::cast<std::pair<int, int>>(array.attr("__dlpack_device__")());
    return place_of(device, number, what);
}

nb::object handed_to(const Device& device, nb::handle array) {
    return array.attr("__dlpack__")(nb::arg("stream") = device.stream());
}

nb::object array_on_gpu(std::complex<float>* samples, std::size_t rows, std::size_t columns, MemoryPlace place,
                        std::shared_ptr<const void> kept) {
    auto owner = std::make_unique<std::shared_ptr<const void>>(std::move(kept));
    const nb::capsule capsule(
        owner.get(), [](void* pointer) noexcept { delete static_cast<std::shared_ptr<const void>*>(pointer); });
    owner.release();
    const std::array<std::size_t, 2> shape{rows, columns};
    return nb::cast(nb::ndarray<nb::array_api, std::complex<float>>(samples, 2, shape.data(), capsule, nullptr,
                                                                    nb::dtype<std::complex<float>>(),
                                                                    nb::device::cuda::value, place.gpu));
}

void HostCopies::read(const Matrix& samples, std::span<std::byte> to) {
    if (!device_) device_ = open_device(name_of(place_));
    device_->synchronize_with_others();
    device_->download_as_stored(samples, to);
}

}  // namespace cornerturn::python
