// SPDX-License-Identifier: Apache-2.0
#include "app/python/image.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <nlohmann/json.hpp>

#include "app/python/arrays.h"
#include "app/python/job_thread.h"
#include "app/python/json_object.h"
#include "app/verbs/map_report.h"
#include "app/verbs/product_facts.h"
#include "app/verbs/scene_report.h"
#include "data/nisar/rslc_reader.h"
#include "data/picture/quicklook.h"
#include "data/raw_file.h"
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
        ImageInto into([&](const Image&) { return std::span(read.get(), count); });
        stored->pass_to(into);
    });
    samples = std::move(read);
    stored.reset();
    return samples.get();
}

ImageView PythonImage::view_beside(const Image& other_header) const {
    const PixelBlock whole{0, static_cast<std::int64_t>(rows()), 0, static_cast<std::int64_t>(columns())};
    return {other_header, [whole, kept = samples](const PixelBlock& block) {
                Pixels pixels{block,
                              std::vector<std::complex<float>>(static_cast<std::size_t>(block.rows * block.columns))};
                copy_shared(kept.get(), whole, pixels);
                return pixels;
            }};
}
ImageView PythonImage::view() const { return view_beside(*header); }

bool is_image(const std::string& path) { return is_nisar(path) && product_kind(path) != ProductKind::raw; }

std::unique_ptr<ImageFile> file_for_image(const std::string& path, const ProductOptions& options) {
    if (product_format_of(path) == ProductFormat::nisar && !path.ends_with(".h5"))
        throw InputError(
            fmt::format("{}: no writer for that ending; there are .h5 (NISAR {}, complex), .tif (GeoTIFF), .nitf "
                        "(SICD) and .png (a picture)",
                        path, options.on_map ? "GSLC" : "RSLC"));
    return product_file(path, options);
}

PythonImage open_stored_image(const std::string& path, const FrameSelection& frame) {
    const nb::gil_scoped_release free;
    auto stored = std::make_shared<StoredImage>(open_image(path, frame));
    auto header = std::make_shared<Image>(stored->header());
    return {.name = path, .header = std::move(header), .stored = std::move(stored)};
}

PythonImage& image_of(nb::object& image_or_path) {
    if (!nb::isinstance<PythonImage>(image_or_path)) {
        const auto path = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(image_or_path));
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

void write(PythonImage& image, const nb::object& path_like, int compress, const std::string& tiff) {
    const auto path = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path_like));
    const ProductOptions options{.on_map = image.header->map.has_value(),
                                 .images = 1,
                                 .storage = {.compression = compress, .threads = 0},
                                 .tiff = tiff_content_named(tiff)};
    const auto file = path.ends_with(".png") ? nullptr : file_for_image(path, options);
    image.data();
    run_job({}, [&](const Progress&) {
        if (!file) return write_png(path, picture_of(image, QuicklookOptions{}.max_size_px));
        pass(image, *file);
        file->commit();
    });
}

nb::object numpy_of(PythonImage& image) {
    std::complex<float>* const data = image.data();
    return image.out.is_none() ? array_on(data, {image.rows(), image.columns()}, image.samples) : image.out;
}

nb::object array_from(PythonImage& image, const nb::object& dtype, const nb::object& copy) {
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
    if (!image.report.is_none())
        for (const char* key : {"non_finite_samples", "signal_to_error_db"})
            if (nb::cast<bool>(image.report.attr("__contains__")(key))) quality[key] = image.report[key];
    image.quality = quality;
    return quality;
}

nb::object info_of(const PythonImage& image) {
    return object_of(image.header->map ? map_json(*image.header) : facts_of_image(*image.header));
}

std::string repr_of(const PythonImage& image) {
    const Image& i = *image.header;
    const std::string where = i.map ? "on " + i.map->projection.name() : std::string("zero Doppler x slant range");
    return fmt::format("<cornerturn.Image {}: {} x {} complex64, {}, {} {} by {}>", image.name, image.rows(),
                       image.columns(), where, i.acquisition.frequency, i.acquisition.polarization,
                       i.processing.algorithm);
}

constexpr auto image_help =
    "A focused single-look complex image, rows x columns of complex64.\n\n"
    "On the zero-Doppler grid rows are zero-Doppler times (ascending) and columns slant ranges; a point of amplitude "
    "a\n"
    "at closest range R0 shows a exp(-j 4 pi R0 / wavelength). On a map rows go south and columns east.";

}  // namespace

void add_image(nb::module_& module) {
    nb::class_<PythonImage>(module, "Image", nb::is_weak_referenceable(), image_help)
        .def_prop_ro(
            "name", [](const PythonImage& image) { return image.name; }, "Path of its file, or \"focused\".")
        .def_prop_ro(
            "shape", [](const PythonImage& image) { return std::pair(image.rows(), image.columns()); },
            "(rows, columns)")
        .def_prop_ro("info", &info_of, nb::for_getter(nb::sig("def info(self) -> dict")),
                     "What `cornerturn info` says of it, units in the names.")
        .def_prop_ro(
            "report", [](const PythonImage& image) { return image.report; },
            nb::for_getter(nb::sig("def report(self) -> dict | None")),
            "Of one that was focused here: plan, stages with their times, bytes; as `focus --json` has it. "
            "Else None.")
        .def_prop_ro(
            "quality", &quality_of, nb::for_getter(nb::sig("def quality(self) -> dict")),
            "Of the whole scene: mean_power, sharpness, entropy, equivalent_looks, floor_power. Measured once, "
            "when it is asked for. Of points: analyze().")
        .def_prop_ro(
            "geometry", [](const PythonImage& image) { return geometry_of(image); },
            nb::for_getter(nb::sig("def geometry(self) -> cornerturn.Geometry")), "Where its pixels lie: a `Geometry`.")
        .def("numpy", &numpy_of, nb::sig("def numpy(self) -> numpy.ndarray"),
             "The samples as an array (rows, columns) of complex64, not copied.")
        .def("__array__", &array_from,
             nb::sig("def __array__(self, dtype: object = None, copy: bool | None = None) -> numpy.ndarray"),
             nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
        .def(
            "__dlpack__",
            [](PythonImage& image, const nb::kwargs& k) { return numpy_of(image).attr("__dlpack__")(**k); },
            "The samples for torch.from_dlpack and its like, not copied.")
        .def(
            "__dlpack_device__", [](PythonImage&) { return std::pair(nb::device::cpu::value, 0); },
            "(1, 0): host memory.")
        .def("__len__", [](const PythonImage& image) { return image.rows(); })
        .def("__getitem__", [](PythonImage& image, const nb::object& key) { return nb::object(numpy_of(image)[key]); })
        .def("write", &write,
             nb::sig("def write(self, path: str | os.PathLike, *, compress: int = 0, tiff: str = 'complex') -> None"),
             nb::arg("path"), nb::kw_only(), nb::arg("compress") = 0, nb::arg("tiff") = "complex",
             "Writes it by the ending of its name: .h5 (NISAR RSLC, on a map GSLC; `compress` 0 to 9), .tif "
             "(cloud-optimised GeoTIFF; `tiff` 'complex', 'amplitude' or 'db'), .nitf (SICD) or .png (a picture in "
             "decibels). Others "
             "are refused. A file is complete or not there.")
        .def("png", &png_of, nb::arg("max_size_px") = 512, "A picture in decibels, the bytes of a PNG file.")
        .def("__repr__", &repr_of)
        .def("_repr_html_",
             [](const nb::object& self) { return nb::module_::import_("cornerturn._html").attr("page_of")(self); });
}

}  // namespace cornerturn::python
