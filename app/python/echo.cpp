// SPDX-License-Identifier: Apache-2.0
#include "app/python/echo.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/python/arrays.h"
#include "app/python/errors.h"
#include "app/python/given.h"
#include "app/python/image.h"
#include "app/python/json_object.h"
#include "app/verbs/geo_report.h"
#include "app/verbs/product_facts.h"
#include "data/files/file_names.h"
#include "data/nisar/l0b_writer.h"
#include "data/raw_file.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/names.h"
#include "pipeline/echo/decoded_lines.h"
#include "pipeline/echo/forwarded_echo.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;

constexpr Named<ToldDelay> told_delays[] = {
    {ToldDelay::automatic, "auto"}, {ToldDelay::remove, "remove"}, {ToldDelay::keep, "keep"}};

ToldDelay told_delay_named(const std::string& name) { return choose_in(told_delays, "--troposphere", name); }

/// Raw echo, or an image.
nb::object open(const nb::object& path_like, std::optional<std::string> frequency,
                std::optional<std::string> polarization, std::optional<std::string> channel,
                std::optional<std::string> swath, std::optional<std::int64_t> burst, const std::string& troposphere,
                int threads) {
    const std::string path = path_of(path_like);
    const FrameSelection frame{.frequency = std::move(frequency),
                               .polarization = std::move(polarization),
                               .channel = std::move(channel),
                               .swath = std::move(swath),
                               .burst = burst,
                               .told_delay = told_delay_named(troposphere),
                               .threads = checked_threads(threads)};
    if (is_image(path)) return nb::cast(open_stored_image(path, frame));
    std::vector<std::string> warnings;
    std::shared_ptr<EchoSource> source;
    {
        const nb::gil_scoped_release free;
        source = open_raw(path, frame, warnings);
    }
    warn(warnings);
    return nb::cast(PythonEcho{.name = path,
                               .format = std::string(raw_format(path)),
                               .file = path,
                               .lines = std::make_shared<SharedEcho>(std::move(source)),
                               .told_delay = frame.told_delay});
}

/// Lines [first, last) as numbers.
nb::object decoded(const PythonEcho& echo, std::int64_t first, std::int64_t last, int threads = 0) {
    const std::int64_t lines = std::max<std::int64_t>(last - first, 0), samples = echo.acquisition().samples;
    const auto count = static_cast<std::size_t>(lines * samples);
    const auto to = uninitialised_samples(count);
    if (lines > 0)
        run_job({.threads = threads}, [&](const Progress&) {
            read_decoded(*echo.lines, first, lines, threads, {reinterpret_cast<Complex<float>*>(to.get()), count});
        });
    return array_on(to.get(), {static_cast<std::size_t>(lines), static_cast<std::size_t>(samples)}, to);
}

nb::object line(const PythonEcho& echo, std::int64_t index) {
    const std::int64_t lines = echo.acquisition().lines, at = index < 0 ? index + lines : index;
    if (at < 0 || at >= lines) throw nb::index_error(fmt::format("line {} of {}", index, lines).c_str());
    return decoded(echo, at, at + 1)[0];
}

nb::object lines(const PythonEcho& echo, const nb::slice& slice) {
    const auto [first, last, step, count] = slice.compute(static_cast<std::size_t>(echo.acquisition().lines));
    if (step != 1) throw InputError(fmt::format("echo[::{}]: lines come in steps of 1; take steps of the array", step));
    return decoded(echo, first, first + static_cast<std::int64_t>(count));
}

/// echo[lines, samples]
nb::object part(const PythonEcho& echo, const nb::tuple& key) {
    if (key.size() != 2)
        throw nb::index_error(fmt::format("{} indices, expected lines and samples", key.size()).c_str());
    const nb::object self = nb::cast(echo);
    const nb::object of_lines = self[key[0]];
    return nb::isinstance<nb::slice>(key[0])
               ? of_lines[nb::make_tuple(nb::slice(nb::none(), nb::none(), nb::none()), key[1])]
               : of_lines[key[1]];
}

/// echo[...] is all of it, and whole numbers of NumPy are lines; what else NumPy takes for an index is refused.
nb::object anything(const PythonEcho& echo, const nb::object& key) {
    if (key.ptr() == Py_Ellipsis) return decoded(echo, 0, echo.acquisition().lines);
    if (PyIndex_Check(key.ptr()) != 0 && !nb::isinstance<nb::bool_>(key)) {
        const nb::object number = nb::steal<nb::object>(PyNumber_Index(key.ptr()));
        std::int64_t index = 0;
        if (number.is_valid() && nb::try_cast(number, index, false)) return line(echo, index);
        if (number.is_valid())
            throw nb::index_error(fmt::format("line {} of {}", text_of(number), echo.acquisition().lines).c_str());
        PyErr_Clear();  // an array of several
    }
    throw nb::type_error(
        fmt::format("echo[{}]: takes a line, a slice of lines or both axes, as echo[7], echo[a:b] and echo[a:b, c:d]; "
                    "for other choices take them of the array, echo[...]",
                    class_name(key))
            .c_str());
}

nb::object array_from(const PythonEcho& echo, const nb::object& dtype, const nb::object& copy) {
    if (copy.ptr() == Py_False)
        throw InputError(fmt::format("{}: is decoded as it is read, which takes a copy", echo.name));
    const nb::object all = decoded(echo, 0, echo.acquisition().lines);
    return dtype.is_none() ? all : all.attr("astype")(dtype);
}

nb::object info_of_echo(PythonEcho& echo) {
    if (echo.beside.is_none())
        echo.beside = echo.file.empty() ? nb::dict() : object_of(facts_beside(echo.file, echo.acquisition()));
    nb::object info = object_of(facts_of_echo(echo.format, echo.acquisition()));
    info.attr("update")(echo.beside);
    return info;
}

nb::object track_of(const Orbit& orbit) {
    nb::dict track;
    track["time_s"] = array_of(orbit.time_s);
    track["position_m"] = array_of(orbit.position_m);
    track["velocity_m_s"] = array_of(orbit.velocity_m_s);
    return track;
}

/// What there is.
nb::dict tracks_and_ground(const PythonEcho& echo) {
    const Acquisition& a = echo.acquisition();
    nb::dict geometry;
    if (a.orbit) geometry["orbit"] = track_of(*a.orbit);
    if (a.local_track) geometry["local_track"] = track_of(*a.local_track);
    if (a.orbit && a.orbit->time_s.size() >= 2) geometry["ground"] = object_of(geo_of_echo(echo.name, a));
    return geometry;
}

nb::object pulse_times_of(const PythonEcho& echo) {
    const Acquisition& a = echo.acquisition();
    std::vector<double> times_s(static_cast<std::size_t>(a.lines));
    for (std::size_t i = 0; i < times_s.size(); ++i) times_s[i] = a.pulse_time_s(static_cast<double>(i));
    return array_of(std::move(times_s));
}

nb::str repr_of(const PythonEcho& echo) {
    const Acquisition& a = echo.acquisition();
    return string_of(fmt::format(
        "<cornerturn.Echo {} ({}): {} lines x {} samples, {} {}, carrier {:.6g} GHz, PRF {:.6g} Hz>", echo.name,
        echo.format, a.lines, a.samples, a.frequency, a.polarization, 1e-9 * a.carrier_hz, a.prf_hz));
}

/// Tells how far whoever reads all of its lines is.
class ToldEcho final : public ForwardedEcho {
public:
    ToldEcho(EchoSource& source, const Progress& progress)
        : ForwardedEcho(source, source.acquisition()), progress_(progress) {}
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        source_.read(first_line, lines, to);
        if (progress_)
            progress_("write", static_cast<double>(first_line + lines) / static_cast<double>(acquisition_.lines));
    }

private:
    const Progress& progress_;
};

void write(const PythonEcho& echo, const nb::object& path_like, const nb::object& progress) {
    const std::string path = path_of(path_like);
    check_outputs({path}, {echo.file});
    if (!lower(path).ends_with(".h5"))
        throw InputError(fmt::format("{}: echo is written as NISAR L0B, whose names end in .h5", path));
    run_job({.progress = progress}, [&](const Progress& told) {
        const auto lines = echo.source();
        ToldEcho all(*lines, told);
        write_l0b(path, all);
    });
}

constexpr auto open_help =
    "Opens raw echo of any format (a file or a folder), or an image: which one is told by what is in it.\n\n"
    "Samples stay where they are until they are asked for. `frequency` (\"A\", \"B\") and `polarization` (\"HH\")\n"
    "choose one of several, as do `channel` of CPHD and `swath` (\"IW1\") and `burst` (from 0) of Sentinel-1;\n"
    "without, the first there is; `info` of that names the others. `troposphere`: what is done with the delay of the\n"
    "air that CPHD tells, \"auto\" (as bright points show), \"remove\" or \"keep\". `threads` decode; 0: all cores.\n\n"
    "Returns an `Echo` or an `Image`. Raises `InputError` naming the file, the place in it, what was found and\n"
    "what was expected.";

constexpr auto getitem_help =
    "Lines as numbers: `echo[1000:2000]` is complex64 of 1000 x samples, gains applied, zeros in gaps and where a\n"
    "sample is not finite. `echo[7]` is one line, `echo[a:b, c:d]` some samples of some lines, `echo[...]` all. Each "
    "reads anew.";

}  // namespace

void require_as_opened(const PythonEcho& echo, const ImageOptions& options) {
    const std::string& said = options.troposphere;
    if (said == "auto") return;
    const bool tells = echo.format == "CPHD";
    const ToldDelay wanted = told_delay(options);
    if (wanted == ToldDelay::remove && !tells)
        throw InputError(fmt::format("troposphere=\"remove\": {} ({}) tells no delay of its own; use standard or none",
                                     echo.name, echo.format));
    if (tells && wanted != echo.told_delay)
        throw InputError(
            fmt::format("troposphere=\"{}\": whether the delay that {} tells is taken off its samples was settled when "
                        "it was opened (\"{}\"); ct.open(path, troposphere=\"{}\") opens it so",
                        said, echo.name, name_in(told_delays, echo.told_delay), name_in(told_delays, wanted)));
}

PythonEcho& echo_of(nb::handle given) {
    if (nb::isinstance<PythonEcho>(given)) return nb::cast<PythonEcho&>(given);
    throw nb::type_error(
        fmt::format("expected an Echo, not {}; ct.open(path) reads one, Echo.from_array(samples, radar) "
                    "makes one of an array",
                    class_name(given))
            .c_str());
}

void add_echo(nb::module_& module) {
    module.def(
        "open", &open, nb::arg("path"), nb::kw_only(), nb::arg("frequency") = nb::none(),
        nb::arg("polarization") = nb::none(), nb::arg("channel") = nb::none(), nb::arg("swath") = nb::none(),
        nb::arg("burst") = nb::none(), nb::arg("troposphere") = "auto", nb::arg("threads") = 0,
        nb::sig("def open(path: str | os.PathLike[str], *, frequency: str | None = None, polarization: str | None = "
                "None, channel: str | None = None, swath: str | None = None, burst: int | None = None, "
                "troposphere: str = \"auto\", threads: int = 0) -> Echo | Image"),
        open_help);
    nb::class_<PythonEcho>(module, "Echo", nb::is_weak_referenceable(),
                           "Raw echo of one frequency and polarization: lines (pulses) x samples. See open, simulate "
                           "and from_array.")
        .def_static("from_array", &echo_of_array, nb::arg("samples").none(), nb::arg("radar").none(),
                    nb::sig("def from_array(samples: object, radar: cornerturn.Radar) -> Echo"),
                    "An echo that lies in memory, of the host or of a GPU: lines x samples of complex64 or complex128, "
                    "or lines x samples x 2 (real, imaginary) of int8 or int16, row by row, of NumPy, CuPy, PyTorch or "
                    "whatever speaks DLPack.\n\n"
                    "The samples are not copied: they must stay as they are while jobs read them. Of a GPU's, jobs on "
                    "it wait for what the calling thread's stream did there before. `radar`: a `Radar`. Raises "
                    "`InputError` for what no radar sends, and for arrays with gaps between rows.")
        .def_prop_ro(
            "name", [](const PythonEcho& echo) { return string_of(echo.name); }, "Path of its file, or what it is.")
        .def_prop_ro(
            "shape", [](const PythonEcho& e) { return std::pair(e.acquisition().lines, e.acquisition().samples); },
            "(lines, samples)")
        .def_prop_ro(
            "info", &info_of_echo, nb::for_getter(nb::sig("def info(self) -> dict[str, typing.Any]")),
            "What `cornerturn info` says of it, units in the names; `bursts` (of each sub-swath) and `polarizations`\n"
            "(of each frequency) are what else its file holds, where that is more than one echo.")
        .def_prop_ro("geometry", &tracks_and_ground,
                     "What there is: `orbit` (or `local_track`) with time_s (n,) since the epoch, position_m (n, 3) "
                     "and velocity_m_s (n, 3), ECEF (or the scene's own frame); `ground`: corners on the Earth, "
                     "incidence, heading, of an orbit.")
        .def_prop_ro("pulse_times_s", &pulse_times_of,
                     nb::for_getter(nb::sig("def pulse_times_s(self) -> numpy.typing.NDArray[numpy.float64]")),
                     "When each pulse leaves, (lines,), in s since the epoch.")
        .def("write", &write,
             nb::sig("def write(self, path: str | os.PathLike[str], *, progress: cornerturn.Progress = None) -> None"),
             nb::arg("path"), nb::kw_only(), nb::arg("progress") = nb::none(),
             "Writes it as a complete NISAR L0B file (.h5), samples as they are stored.")
        .def(
            "__reduce__",
            [](const PythonEcho&) -> nb::object {
                refuse_to_leave("an Echo", "hand over its path, for ct.open() there, or its samples, echo[:]");
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
        .def("__len__", [](const PythonEcho& echo) { return echo.acquisition().lines; })
        .def("__getitem__", &line, nb::arg("line"), nb::sig("def __getitem__(self, line: int) -> cornerturn.Samples"))
        .def("__getitem__", &lines, nb::arg("lines"),
             nb::sig("def __getitem__(self, lines: slice) -> cornerturn.Samples"), getitem_help)
        .def("__getitem__", &part, nb::arg("part"),
             nb::sig("def __getitem__(self, part: tuple[int | slice, int | slice]) -> cornerturn.Samples"))
        .def("__getitem__", &anything, nb::arg("all").none(),
             nb::sig("def __getitem__(self, all: types.EllipsisType) -> cornerturn.Samples"))
        .def("__array__", &array_from,
             nb::sig("def __array__(self, dtype: object = None, copy: bool | None = None) -> cornerturn.Samples"),
             nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(), "All lines, complex64.")
        .def("__repr__", &repr_of);
}

}  // namespace cornerturn::python
