// SPDX-License-Identifier: Apache-2.0
// Where the images of a plan go: memory of their own, an array of the caller's, or a file.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/python/arrays.h"
#include "app/python/echo.h"
#include "app/python/given.h"
#include "app/python/gpu_arrays.h"
#include "app/python/image.h"
#include "data/files/file_names.h"
#include "kernels/host/letter_case.h"

namespace cornerturn::python {

/// An array on a GPU is for the one device that works there: nothing goes over the bus in secret.
inline void require_at_device(MemoryPlace place, std::span<Device* const> devices, const std::string& what) {
    if (place == host_memory_place || (devices.size() == 1 && devices.front()->place() == place)) return;
    throw InputError(
        fmt::format("{}: lies on {}, which is not the one device of this plan; plan with device=\"{}\", or hand over a "
                    "copy in host memory",
                    what, name_of(place), name_of(place)));
}

/// Memory on the GPU of images that nobody has any more: to allocate it takes longer than to fill it.
class GpuImages {
public:
    std::shared_ptr<std::complex<float>> room(Device& device, std::size_t rows, std::size_t columns) {
        const auto fits = [&](const Matrix& kept) {
            return kept.rows == static_cast<std::int64_t>(rows) && kept.columns == static_cast<std::int64_t>(columns);
        };
        const auto idle = std::find_if(kept_.begin(), kept_.end(),
                                       [&](const Matrix& kept) { return fits(kept) && kept.storage.use_count() == 1; });
        if (idle != kept_.end()) {
            device.synchronize_with_others();  // who had it may still be reading it
            return {idle->storage, idle->data<std::complex<float>>()};
        }
        if (kept_.size() == most_kept || !std::all_of(kept_.begin(), kept_.end(), fits)) kept_.clear();
        const Matrix& made = kept_.emplace_back(device.allocate(
            SampleFormat::complex64, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)));
        return {made.storage, made.data<std::complex<float>>()};
    }
    void release() { kept_.clear(); }

private:
    static constexpr std::size_t most_kept = 2;  // that of the last image, and of the one before
    std::vector<Matrix> kept_;
};

/// Where an image goes: memory of its own, an array of the caller's, or a file.
class Destination {
public:
    /// `devices`: that make it. Memory of its own is on the only one of them where the echo lies there, too.
    Destination(const nanobind::object& out, const PythonEcho& echo, std::span<Device* const> devices, GpuImages& kept,
                bool on_map)
        : device_(*devices.front()), kept_(kept) {
        if (out.is_none()) {
            image_.place = echo.place;
            return;
        }
        image_.place = place_told_by(out, "out");
        require_at_device(image_.place, devices, "out");
        if (nanobind::try_cast(on_gpu() ? handed_to(device_, out) : out, array_, false)) {
            require_packed(array_, "out", "an array of its own, numpy.empty(shape, \"complex64\")");
            if (echo.place == image_.place) require_beside(echo.samples);
            image_.out = out;
            return;
        }
        if (!is_path(out))
            throw InputError("out: must be an array of complex64 that can be written to, or the name of a file");
        path_ = path_of(out);
        check_outputs({path_}, {echo.file});
        if (!lower(path_).ends_with(".h5"))
            throw InputError(fmt::format(
                "{}: a plan writes .h5; for other formats focus without a name, then image.write()", path_));
        file_ = file_for_image(path_, {.on_map = on_map});
    }

    ImageSink& sink() {
        if (file_) return *file_;
        return memory_.emplace([this](const Image& header) { return room(header); }, image_.place);
    }
    /// All rows are there.
    void commit() {
        if (file_) file_->commit();
    }
    PythonImage image() const { return file_ ? open_stored_image(path_, {}) : image_; }

private:
    std::span<std::complex<float>> room(const Image& header) {
        const auto rows = static_cast<std::size_t>(header.grid.rows),
                   columns = static_cast<std::size_t>(header.grid.columns);
        image_.header = std::make_shared<Image>(header);
        if (image_.out.is_none()) {
            auto& samples = on_gpu() ? image_.samples_on_gpu : image_.samples;
            samples = on_gpu() ? kept_.room(device_, rows, columns) : uninitialised_samples(rows * columns);
            return {samples.get(), rows * columns};
        }
        if (array_.ndim() != 2 || array_.shape(0) != rows || array_.shape(1) != columns)
            throw InputError(fmt::format("out: must be of shape ({}, {}), that of the image", rows, columns));
        (on_gpu() ? image_.samples_on_gpu : image_.samples) = {std::shared_ptr<void>(), array_.data()};
        return {array_.data(), array_.size()};
    }

    /// Rows are written while lines are still to be read.
    void require_beside(std::span<const std::byte> samples) const {
        const auto* const to = reinterpret_cast<const std::byte*>(array_.data());
        if (to + array_.nbytes() > samples.data() && samples.data() + samples.size() > to)
            throw InputError(
                "out: lies in the memory of the echo's samples, which are still being read; pass another array");
    }

    bool on_gpu() const { return image_.place != host_memory_place; }

    Device& device_;
    GpuImages& kept_;
    nanobind::ndarray<std::complex<float>> array_;
    std::string path_;
    std::unique_ptr<ImageFile> file_;
    PythonImage image_{.name = "focused", .header = {}};
    std::optional<ImageInto> memory_;  // once it is known where
};

}  // namespace cornerturn::python
