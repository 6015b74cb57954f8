// SPDX-License-Identifier: Apache-2.0
// Lines that somebody else has compressed, onto any points.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "app/python/arrays.h"
#include "app/python/bindings.h"
#include "app/python/errors.h"
#include "app/python/given.h"
#include "app/python/options.h"
#include "pipeline/run/back_project.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;
using Points = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// x, y, z of any number of points in any shape.
Points points_in(const nb::object& given, const char* what, std::size_t dimensions) {
    require_no_mask(given, fmt::format("backproject(): {}", what), "those points alone that count");
    const nb::object array = nb::module_::import_("numpy").attr("ascontiguousarray")(given, "float64");
    const auto points = nb::cast<Points>(array);
    if (points.ndim() < 1 || (dimensions > 0 && points.ndim() != dimensions) || points.shape(points.ndim() - 1) != 3)
        throw InputError(fmt::format(
            "backproject(): {} has {} dimensions, the last of {}; expected {} with x, y, z last", what, points.ndim(),
            points.ndim() > 0 ? points.shape(points.ndim() - 1) : 0, dimensions == 2 ? "(n, 3)" : "(..., 3)"));
    // One that lies nowhere would take those that are summed beside it along.
    const auto* const nowhere =
        std::find_if(points.data(), points.data() + points.size(), [](double value) { return !std::isfinite(value); });
    if (nowhere != points.data() + points.size())
        throw InputError(fmt::format("backproject(): {} holds {} in row {} of three; all numbers must be finite", what,
                                     *nowhere, (nowhere - points.data()) / 3));
    return points;
}

Place place_in(const Points& points, std::size_t number) {
    const double* const at = points.data() + 3 * number;
    return {at[0], at[1], at[2]};
}

std::vector<PulsePath> paths_of(const nb::object& positions, const nb::object& velocities, std::size_t lines) {
    const Points at = points_in(positions, "positions_m", 2);
    if (at.shape(0) != lines)
        throw InputError(fmt::format("backproject(): {} positions for {} lines", at.shape(0), lines));
    std::vector<PulsePath> paths(lines);
    for (std::size_t i = 0; i < lines; ++i) paths[i].start = place_in(at, i);
    if (velocities.is_none()) return paths;
    const Points by = points_in(velocities, "velocities_m_s", 2);
    if (by.shape(0) != lines)
        throw InputError(fmt::format("backproject(): {} velocities for {} lines", by.shape(0), lines));
    for (std::size_t i = 0; i < lines; ++i) paths[i].velocity_s = place_in(by, i);
    return paths;
}

nb::object backproject(const nb::object& given, const nb::object& positions_m, const nb::object& grid_m,
                       double carrier_hz, double near_range_m, double range_spacing_m, const nb::object& velocities_m_s,
                       std::int64_t oversample, bool periodic, double signal_to_error_db,
                       const std::string& device_name, int threads, const nb::object& progress,
                       const StopRequest* stop) {
    const nb::ndarray<nb::ro> any = array_in(given, "lines");
    nb::ndarray<const std::complex<float>> samples;
    if (!nb::try_cast(given, samples, false) || samples.ndim() != 2 || samples.size() == 0)
        throw InputError(
            fmt::format("lines: {}; expected lines x samples of complex64, one of each at least", description_of(any)));
    if (!std::isfinite(near_range_m))
        throw InputError(fmt::format("near_range_m is {}, but must be a finite number", near_range_m));
    require_on_host(samples, "lines");
    require_packed(samples, "lines");
    const CompressedLines lines{.lines = static_cast<std::int64_t>(samples.shape(0)),
                                .samples = static_cast<std::int64_t>(samples.shape(1)),
                                .values = {samples.data(), samples.size()},
                                .carrier_hz = carrier_hz,
                                .near_range_m = near_range_m,
                                .range_spacing_m = range_spacing_m,
                                .paths = paths_of(positions_m, velocities_m_s, samples.shape(0))};
    const Points at = points_in(grid_m, "grid_m", 0);
    const std::size_t count = at.size() / 3, columns = at.ndim() > 1 ? at.shape(at.ndim() - 2) : 1;
    const auto image = uninitialised_samples(count);
    run_job(
        {.progress = progress, .stop = stop ? *stop : StopRequest(), .threads = threads}, [&](const Progress& told) {
            PointGrid points{.rows = static_cast<std::int64_t>(columns > 0 ? count / columns : 0),
                             .columns = static_cast<std::int64_t>(columns),
                             .places = std::vector<Place>(count)};
            for (std::size_t i = 0; i < count; ++i) points.places[i] = place_in(at, i);
            const auto device = open_device(device_name, threads);
            back_project(*device, lines, points,
                         {.oversampling = oversample, .periodic = periodic, .signal_to_error_db = signal_to_error_db},
                         {image.get(), count}, told);
        });
    const auto not_finite = [](std::span<const std::complex<float>> values) {
        return std::ranges::count_if(values, std::not_fn(is_finite));
    };
    const auto lost = not_finite(lines.values);
    if (lost > 0) warn({fmt::format("{} samples of the lines are not finite; taken as zero", lost)});
    const auto undefined = not_finite({image.get(), count});
    if (undefined > 0)
        warn(
            {fmt::format("{} of {} sums are not finite numbers, as of points where the antenna itself was, or of "
                         "lines whose values overflow",
                         undefined, count)});
    nb::list shape;
    for (std::size_t i = 0; i + 1 < at.ndim(); ++i) shape.append(at.shape(i));
    return array_on(image.get(), {count}, image).attr("reshape")(nb::tuple(shape));
}

constexpr auto backproject_help =
    "Sums range-compressed lines at any points: sum over lines of line(delay) exp(+j 2 pi carrier_hz delay), with\n"
    "the delay to each point and back. A point of amplitude a in lines of phase exp(-j 4 pi R / wavelength), as\n"
    "torchbp and fastsar take them, sums to (number of lines) a.\n\n"
    "lines: (lines, samples) complex64 at baseband, packed, in host memory; sample k lies at range near_range_m +\n"
    "k range_spacing_m. positions_m: (lines, 3), the antenna's phase centre at each pulse. grid_m: (..., 3),\n"
    "points in the same coordinates, in any shape and order. velocities_m_s: (lines, 3): the antenna flies on\n"
    "while the echo is on its way; without, it stops and goes.\n\n"
    "Returns complex64 of grid_m.shape[:-1]. Between samples lines are interpolated by their spectrum to\n"
    "`oversample` cells each, straight between these: 8, 16, 24 and 32 cells are 51, 63, 70 and 75 dB of signal\n"
    "to error from exact interpolation where lines fill their band evenly, up to 7 dB less of what lies at its\n"
    "edges, as sidelobes do, and 5 dB more where lines fill three quarters of it; 1 takes lines as they are.\n"
    "`periodic`: lines go round, as transforms of a pulse's frequencies (from -1/2 of the sample rate up) do, and\n"
    "are exact up to the edges of their band; False: lines that were cut out of longer ones, as matched filters\n"
    "leave them, with nothing around. Numbers of samples with a large prime factor take longer where lines are\n"
    "periodic. Sums of points that lie smoothly beside each other are taken together, to signal_to_error_db of\n"
    "the same sums one by one in double precision; those of scattered points one by one.";

}  // namespace

void add_backprojection(nb::module_& module) {
    module.def(
        "backproject", &backproject,
        nb::sig("def backproject(lines: object, positions_m: object, grid_m: object, *, "
                "carrier_hz: float, near_range_m: float, range_spacing_m: float, velocities_m_s: object | None "
                "= None, oversample: int = 24, periodic: bool = True, signal_to_error_db: float = 100.0, device: str = "
                "\"cpu\", threads: int "
                "= 0, progress: cornerturn.Progress = None, stop: StopRequest | None = None) -> cornerturn.Samples"),
        nb::arg("lines"), nb::arg("positions_m"), nb::arg("grid_m"), nb::kw_only(), nb::arg("carrier_hz"),
        nb::arg("near_range_m"), nb::arg("range_spacing_m"), nb::arg("velocities_m_s") = nb::none(),
        nb::arg("oversample") = 24, nb::arg("periodic") = true, nb::arg("signal_to_error_db") = 100.0,
        nb::arg("device") = "cpu", nb::arg("threads") = 0, nb::arg("progress") = nb::none(),
        nb::arg("stop") = nb::none(), backproject_help);
}

}  // namespace cornerturn::python
