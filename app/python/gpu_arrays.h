// SPDX-License-Identifier: Apache-2.0
// Arrays in the memory of a GPU: where they lie, when they may be read, and how the host sees them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "kernels/device/device.h"

namespace cornerturn::python {

/// "cuda:0", "host memory"
std::string name_of(MemoryPlace place);

/// Of an array, as DLPack tells it. Throws InputError for memory that no device here reaches: `what` names the array.
MemoryPlace place_of(int dlpack_device, int number, const std::string& what);
template <class Array>
MemoryPlace place_of(const Array& array, const std::string& what) {
    return place_of(array.device_type(), array.device_id(), what);
}

/// Where an array of Python's says that it lies; of what says nothing, host memory.
MemoryPlace place_told_by(nanobind::handle array, const std::string& what);

/// An array as DLPack hands it to a device: its stream then waits for what the calling thread has asked of the array so
/// far, so that whatever it wrote there, or reads from there, comes before. With the GIL.
nanobind::object handed_to(const Device& device, nanobind::handle array);

/// Samples on a GPU as DLPack hands them on; `kept` holds them.
nanobind::object array_on_gpu(std::complex<float>* samples, std::size_t rows, std::size_t columns, MemoryPlace place,
                              std::shared_ptr<const void> kept);

/// Brings samples from a GPU, by a device of its own, which is opened at first use. For one thread at a time.
class HostCopies {
public:
    explicit HostCopies(MemoryPlace place) : place_(place) {}
    /// What was asked of the GPU before, by anybody here, is done first.
    void read(const Matrix& samples, std::span<std::byte> to);

private:
    MemoryPlace place_;
    std::unique_ptr<Device> device_;
};

}  // namespace cornerturn::python
