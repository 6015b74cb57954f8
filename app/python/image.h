// SPDX-License-Identifier: Apache-2.0
// An image as Python has it: focused here, or of a file.
#pragma once

#include <nanobind/nanobind.h>

#include <complex>
#include <memory>
#include <string>
#include <string_view>

#include "data/files/frame_selection.h"
#include "data/files/stored_image.h"
#include "data/product/product_file.h"
#include "kernels/device/memory_place.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/measure/image_view.h"
#include "pipeline/run/focus_report.h"

namespace cornerturn::python {

/// What is told of a job, and the options that it had.
struct ImageReport {
    FocusReport frame;
    std::shared_ptr<const FocusOptions> options;
};

struct PythonImage {
    std::string name;                                          ///< a path, or "focused"
    std::string_view format = "NISAR";                         ///< of the file, where it is one of another format
    std::shared_ptr<Image> header;                             ///< everything but the samples
    std::shared_ptr<std::complex<float>> samples = {};         ///< in host memory
    std::shared_ptr<std::complex<float>> samples_on_gpu = {};  ///< of one that was left there, at `place`
    MemoryPlace place = {};
    std::shared_ptr<StoredImage> stored = {};        ///< where they are, as long as nobody has asked for them
    nanobind::object out = nanobind::none();         ///< array of the user's that holds the samples, where one does
    std::string echo_file = {};                      ///< of which it was focused here, where that is a file
    std::shared_ptr<const ImageReport> report = {};  ///< what was done, of one that was focused here
    nanobind::object told = nanobind::none();        ///< that report, once somebody asked for it
    nanobind::object quality = nanobind::none();     ///< once it was measured

    std::size_t rows() const;
    std::size_t columns() const;
    /// Reads them where they are still in a file, and copies them from a GPU; with the GIL.
    std::complex<float>* data();
    /// Of samples that are there; while this lives.
    ImageView view() const;
    ImageView view_beside(const Image& other_header) const;
};

/// Whether a file holds an image of any format, and not raw echo.
bool is_image(const std::string& path);
/// What a complex image is written into, by the ending of its name. Throws InputError for one that there is no writer
/// for.
std::unique_ptr<ImageFile> file_for_image(const std::string& path, const ProductOptions& options);
PythonImage open_stored_image(const std::string& path, const FrameSelection& frame);
/// Of an `Image` or a path. The image's samples are there.
PythonImage& image_of(nanobind::object& image_or_path);

void add_image(nanobind::module_& module);
void add_geometry(nanobind::module_& module);
/// What image.geometry gives.
nanobind::object geometry_of(const PythonImage& image);

}  // namespace cornerturn::python
