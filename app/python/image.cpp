// SPDX-License-Identifier: Apache-2.0
#include "app/python/image.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/python/arrays.h"
#include "app/python/echo.h"
#include "app/python/errors.h"
#include "app/python/given.h"
#include "app/python/gpu_arrays.h"
#include "app/python/job_thread.h"
#include "app/python/json_object.h"
#include "app/verbs/focus_report.h"
#include "app/verbs/map_report.h"
#include "app/verbs/product_facts.h"
#include "app/verbs/scene_report.h"
#include "data/files/file_names.h"
#include "data/files/output_file.h"
#include "data/open_image.h"
#include "data/picture/quicklook.h"
#include "kernels/host/letter_case.h"
#include "pipeline/measure/scene_statistics.h"

namespace cornerturn::python {

namespace nb = nanobind;

std::size_t PythonImage::rows() const {
    return static_cast<std::size_t>(header->map ? header->map->rows : header->grid.rows);
}
std::size_t PythonImage::columns() const {
    return static_cast<std::size_t>(header->map ? header->map->columns : header->grid.columns);
}

std::complex<float>* PythonImage::data() {
    if (samples) return samples.get();
    const std::size_t count = rows() * columns();
    auto read = uninitialised_samples(count);
    run_job({}, [&](const Progress&) {
        if (samples_on_gpu)
            return HostCopies(place).read(
                matrix_on(samples_on_gpu.get(), SampleFormat::complex64, static_cast<std::int64_t>(rows()),
                          static_cast<std::int64_t>(columns())),
                std::as_writable_bytes(std::span(read.get(), count)));
        ImageInto into([&](const Image&) { return std::span(read.get(), count); });
        stored->pass_to(into);
    });
    samples = std::move(read);
    stored.reset();
    return samples.get();
}

ImageView PythonImage::view_beside(const Image& other_header) const {
    const PixelBlock whole{0, static_cast<std::int64_t>(rows()), 0, static_cast<std::int64_t>(columns())};
    return {other_header,
            [whole, kept = samples](const PixelBlock& block) { return pixels_of(kept.get(), whole, block); }};
}
ImageView PythonImage::view() const { return view_beside(*header); }

bool is_image(const std::string& path) { return holds_image(path); }

std::unique_ptr<ImageFile> file_for_image(const std::string& path, const ProductOptions& options) {
    check_output_path(path);
    if (product_format_of(path) == ProductFormat::nisar && !lower(path).ends_with(".h5"))
        throw InputError(
            fmt::format("{}: no writer for that ending; there are .h5 (NISAR {}, complex), .tif (GeoTIFF), .nitf "
                        "(SICD), .slc (ENVI), .zarr and .png (a picture)",
                        path, options.on_map ? "GSLC" : "RSLC"));
    return product_file(path, options);
}

PythonImage open_stored_image(const std::string& path, const FrameSelection& frame) {
    const nb::gil_scoped_release free;
    auto stored = std::make_shared<StoredImage>(open_image(path, frame));
    auto header = std::make_shared<Image>(stored->header());
    return {.name = path, .format = stored->format(), .header = std::move(header), .stored = std::move(stored)};
}

PythonImage& image_of(nb::object& image_or_path) {
    if (!nb::isinstance<PythonImage>(image_or_path)) {
        if (!is_path(image_or_path))
            throw nb::type_error(
                fmt::format("expected an Image or the path of one, not {}{}", class_name(image_or_path),
                            nb::isinstance<PythonEcho>(image_or_path) ? "; ct.focus(echo) makes an image of it" : "")
                    .c_str());
        const std::string path = path_of(image_or_path);
        image_or_path = nb::cast(open_stored_image(path, {}));
    }
    auto& image = nb::cast<PythonImage&>(image_or_path);
    image.data();
    return image;
}

namespace {

/// All rows into a sink.
void pass(PythonImage& image, ImageSink& to) {
    constexpr std::size_t rows_at_once = 256;
    const std::size_t rows = image.rows(), columns = image.columns();
    to.begin(*image.header);
    for (std::size_t row = 0; row < rows; row += rows_at_once) {
        throw_if_interrupted();
        const std::size_t count = std::min(rows_at_once, rows - row) * columns;
        to.write(static_cast<std::int64_t>(row), {image.samples.get() + row * columns, count});
    }
}

Picture picture_of(PythonImage& image, std::int64_t max_size_px) {
    QuicklookSink sink({.max_size_px = max_size_px});
    pass(image, sink);
    return sink.picture();
}

int checked_compression(int level) {
    if (level < 0 || level > 9)
        throw InputError(fmt::format("compress is {}, but must be 0 (none) or 1 (fast) to 9 (small)", level));
    return level;
}

void write_image(const nb::object& self, const nb::object& path_like, int compress, const std::string& tiff,
                 const std::string& sample_type) {
    auto& image = nb::cast<PythonImage&>(self);
    const std::string path = path_of(path_like);
    const std::string ending = lower(path);  // and what is before it
    const bool zarr = ending.ends_with(".zarr"), picture = ending.ends_with(".png");
    const char* const plain = zarr ? "holds complex64" : picture ? "is a picture" : nullptr;
    if (plain != nullptr && (sample_type != "f32" || compress != 0))
        throw InputError(
            fmt::format("{}: {} {}; leave it out", sample_type != "f32" ? "sample_type" : "compress", path, plain));
    if (zarr) {
        nb::module_::import_("cornerturn._xarray").attr("write_zarr")(self, string_of(path));
        return;
    }
    check_outputs({path}, {image.echo_file});
    ProductOptions options{.on_map = image.header->map.has_value(),
                           .images = 1,
                           .storage = {.compression = checked_compression(compress), .threads = 0},
                           .tiff = tiff_content_named(tiff),
                           .samples = sample_storage_named(sample_type)};
    if (!picture && !image.header->map) require_axes(image.name, *image.header, "a file of another format");
    image.data();
    if (has_full_scale(options.samples.type) && !options.samples.full_scale) {
        LargestAmplitude largest;
        pass(image, largest);
        options.samples.full_scale = largest.value();
    }
    const auto file = !picture ? file_for_image(path, options) : nullptr;
    run_job({}, [&](const Progress&) {
        if (!file) return write_png(path, picture_of(image, QuicklookOptions{}.max_size_px));
        pass(image, *file);
        file->commit();
    });
    if (file) warn(file->remarks());
}

nb::object numpy_of(PythonImage& image) {
    std::complex<float>* const data = image.data();
    const bool is_out = !image.out.is_none() && !image.samples_on_gpu;
    return is_out ? image.out : array_on(data, {image.rows(), image.columns()}, image.samples);
}

/// What others take for an array on a GPU: that of the user's, where it is in one.
nb::object gpu_array_of(const PythonImage& image) {
    if (!image.out.is_none()) return image.out;
    return array_on_gpu(image.samples_on_gpu.get(), image.rows(), image.columns(), image.place, image.samples_on_gpu);
}

nb::object dlpack_of(PythonImage& image, const nb::kwargs& how) {
    return (image.samples_on_gpu ? gpu_array_of(image) : numpy_of(image)).attr("__dlpack__")(**how);
}

std::pair<int, int> dlpack_device_of(const PythonImage& image) {
    return image.samples_on_gpu ? std::pair(int{nb::device::cuda::value}, image.place.gpu)
                                : std::pair(int{nb::device::cpu::value}, 0);
}

/// What CuPy and Numba look for: complete when it is asked for, so that no stream has to be waited for.
nb::dict cuda_interface_of(const PythonImage& image) {
    if (!image.samples_on_gpu) throw nb::attribute_error("the image lies in host memory");
    nb::dict interface;
    interface["shape"] = std::pair(image.rows(), image.columns());
    interface["typestr"] = "<c8";
    interface["data"] = std::pair(reinterpret_cast<std::uintptr_t>(image.samples_on_gpu.get()), false);
    interface["strides"] = nb::none();
    interface["stream"] = nb::none();
    interface["version"] = 3;
    return interface;
}

/// NumPy's own ways to see an array do not bring it over the bus in secret.
void require_on_host(const PythonImage& image) {
    if (image.samples_on_gpu)
        throw nb::type_error(
            fmt::format("the image lies on {}: image.numpy() copies it, cupy.asarray and torch.from_dlpack see it",
                        name_of(image.place))
                .c_str());
}

nb::object array_of_type(PythonImage& image, const nb::object& dtype, const nb::object& copy) {
    require_on_host(image);
    nb::object array = numpy_of(image);
    if (!dtype.is_none() && !array.attr("dtype").equal(nb::module_::import_("numpy").attr("dtype")(dtype))) {
        if (copy.ptr() == Py_False) throw InputError("an image is complex64: as another type it has to be copied");
        return array.attr("astype")(dtype);
    }
    return copy.ptr() == Py_True ? array.attr("copy")() : array;
}

nb::bytes png_of(PythonImage& image, std::int64_t max_size_px) {
    image.data();
    std::vector<std::byte> bytes;
    run_job({}, [&](const Progress&) { bytes = png_bytes(picture_of(image, max_size_px)); });
    return nb::bytes(bytes.data(), bytes.size());
}

nb::object quality_of(PythonImage& image) {
    if (!image.quality.is_none()) return image.quality;
    image.data();
    nlohmann::json json;
    run_job({}, [&](const Progress&) { json = scene_json(scene_statistics(image.view())); });
    nb::object quality = object_of(json);
    if (image.report) {
        const FocusReport& made = image.report->frame;
        if (made.non_finite_samples) quality["non_finite_samples"] = *made.non_finite_samples;
        if (made.signal_to_error_db) quality["signal_to_error_db"] = *made.signal_to_error_db;
    }
    image.quality = quality;
    return quality;
}

nb::object report_of(PythonImage& image) {
    if (image.told.is_none() && image.report)
        image.told = object_of(report_json(image.report->frame, *image.report->options));
    return image.told;
}

nb::object info_of(const PythonImage& image) {
    const Image& header = *image.header;
    const std::string_view of_map = image.format == "NISAR" ? "NISAR GSLC" : image.format,
                           of_image = image.format == "NISAR" ? "NISAR RSLC" : image.format;
    return object_of(header.map ? map_json(header, of_map) : facts_of_image(header, of_image));
}

nb::str repr_of_image(const PythonImage& image) {
    const Image& i = *image.header;
    const std::string where = i.map               ? "on " + i.map->projection.name()
                              : i.grid.has_axes() ? "zero Doppler x slant range"
                                                  : "axes not told";
    return string_of(fmt::format("<cornerturn.Image {}: {} x {} complex64, {}, {} {} by {}>", image.name, image.rows(),
                                 image.columns(), where, i.acquisition.frequency, i.acquisition.polarization,
                                 i.processing.algorithm));
}

constexpr auto image_help =
    "A focused single-look complex image, rows x columns of complex64.\n\n"
    "On the zero-Doppler grid rows are zero-Doppler times (ascending) and columns slant ranges; a point of\n"
    "amplitude a at closest range R0 shows a exp(-j 4 pi R0 / wavelength). On a map rows go south and columns\n"
    "east.";

void add_samples(nb::class_<PythonImage>& bindings) {
    bindings
        .def("numpy", &numpy_of, nb::sig("def numpy(self) -> cornerturn.Samples"),
             "The samples as an array (rows, columns) of complex64, not copied, but for those of an image on a GPU.")
        .def("__array__", &array_of_type,
             nb::sig("def __array__(self, dtype: object = None, copy: bool | None = None) -> cornerturn.Samples"),
             nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
        .def("__dlpack__", &dlpack_of, nb::sig("def __dlpack__(self, **kwargs: object) -> object"),
             "The samples for torch.from_dlpack and its like, not copied. They are complete: any stream may read them.")
        .def("__dlpack_device__", &dlpack_device_of, "(1, 0): host memory; (2, n): the GPU cuda:n.")
        .def_prop_ro("__cuda_array_interface__", &cuda_interface_of,
                     nb::for_getter(nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]")),
                     "Of an image on a GPU, for CuPy and Numba.")
        .def_prop_ro(
            "device", [](const PythonImage& image) { return image.samples_on_gpu ? name_of(image.place) : "cpu"; },
            "Where its samples lie: cpu, cuda:0. An image of an echo on a GPU stays there.")
        .def("__len__", [](const PythonImage& image) { return image.rows(); })
        .def(
            "__getitem__",
            [](PythonImage& image, const nb::object& key) {
                require_on_host(image);
                return nb::object(numpy_of(image)[key]);
            },
            nb::arg("key").none(), nb::sig("def __getitem__(self, key: typing.Any) -> typing.Any"),
            "Of image.numpy().");
}

}  // namespace

void add_image(nb::module_& module) {
    nb::class_<PythonImage> bindings(module, "Image", nb::is_weak_referenceable(), image_help);
    add_samples(bindings);
    bindings
        .def_prop_ro(
            "name", [](const PythonImage& image) { return string_of(image.name); }, "Path of its file, or \"focused\".")
        .def_prop_ro(
            "shape", [](const PythonImage& image) { return std::pair(image.rows(), image.columns()); },
            "(rows, columns)")
        .def_prop_ro("info", &info_of, nb::for_getter(nb::sig("def info(self) -> dict[str, typing.Any]")),
                     "What `cornerturn info` says of it, units in the names.")
        .def_prop_ro(
            "report", &report_of, nb::for_getter(nb::sig("def report(self) -> dict[str, typing.Any] | None")),
            "Of one that was focused here: plan, stages with their times, bytes; as `focus --json` has it. Else None.")
        .def_prop_ro("quality", &quality_of, nb::for_getter(nb::sig("def quality(self) -> dict[str, typing.Any]")),
                     "Of the whole scene: mean_power, sharpness, entropy, equivalent_looks, floor_power. Measured "
                     "once, when it is asked for. Of points: analyze().")
        .def_prop_ro(
            "geometry", [](const PythonImage& image) { return geometry_of(image); },
            nb::for_getter(nb::sig("def geometry(self) -> cornerturn.Geometry")), "Where its pixels lie: a `Geometry`.")
        .def("write", &write_image,
             nb::sig("def write(self, path: str | os.PathLike[str], *, compress: int = 0, tiff: str = 'complex', "
                     "sample_type: str = 'f32') -> None"),
             nb::arg("path"), nb::kw_only(), nb::arg("compress") = 0, nb::arg("tiff") = "complex",
             nb::arg("sample_type") = "f32",
             "Writes it by the ending of its name: .h5 (NISAR RSLC, on a map GSLC; `compress` 0 to 9), .tif "
             "(cloud-optimised GeoTIFF; `tiff` 'complex', 'amplitude', 'db', 'beta0' or 'sigma0'), .nitf (SICD), .slc "
             "(ENVI), .zarr (by the packages xarray and zarr) or .png (a picture in decibels). Others are refused. "
             "`sample_type`: 'f32', of .h5 'f16', of .nitf and .tif "
             "'int16', of .nitf 'amp8-phs8'; integers are parts of the largest amplitude, or of the one that "
             "'int16:2.5' tells. A file is complete or not there.")
        .def(
            "xarray",
            [](const nb::object& self) { return nb::module_::import_("cornerturn._xarray").attr("array_of")(self); },
            nb::sig("def xarray(self) -> xarray.DataArray"),
            "The samples, not copied, with their axes: zero_doppler_time_s and slant_range_m, on a map y and x. By the "
            "package xarray.")
        .def(
            "__reduce__",
            [](const PythonImage&) -> nb::object {
                refuse_to_leave("an Image", "hand over image.numpy(), or the path of a file that image.write() made");
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
        .def("png", &png_of, nb::arg("max_size_px") = 512, "A picture in decibels, the bytes of a PNG file.")
        .def("__repr__", &repr_of_image)
        .def("_repr_html_",
             [](const nb::object& self) { return nb::module_::import_("cornerturn._html").attr("page_of")(self); });
}

}  // namespace cornerturn::python
