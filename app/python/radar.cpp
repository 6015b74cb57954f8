// SPDX-License-Identifier: Apache-2.0
// Echoes that are arrays: what a file would say comes from a Radar.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/python/arrays.h"
#include "app/python/echo.h"
#include "app/python/errors.h"
#include "app/python/given.h"
#include "app/python/gpu_arrays.h"
#include "data/nisar/epoch.h"
#include "kernels/host/names.h"
#include "pipeline/acquisition/track/navigation.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;

/// Numbers of Python, and complaints that name them.
class Fields {
public:
    Fields(nb::handle of, std::string name) : of_(of), name_(std::move(name)) {}

    bool has(const char* field) const { return !nb::object(of_.attr(field)).is_none(); }
    nb::object at(const char* field) const { return of_.attr(field); }
    std::string place(const char* field) const { return name_ + "." + field; }

    double number(const char* field) const {
        double value = std::nan("");
        const nb::object given = at(field);
        try {
            value = nb::cast<double>(nb::float_(given));
        } catch (const nb::python_error&) {  // of float(): no number at all
        }
        if (!std::isfinite(value))
            throw InputError(fmt::format("{} is {}, but must be a finite number", place(field),
                                         nb::cast<std::string>(nb::repr(given))));
        return value;
    }
    double positive(const char* field) const {
        const double value = number(field);
        if (!(value > 0)) throw InputError(fmt::format("{} is {}, but must be above 0", place(field), value));
        return value;
    }
    std::optional<double> optional_number(const char* field) const {
        return has(field) ? std::optional(number(field)) : std::nullopt;
    }
    std::string text(const char* field) const { return nb::cast<std::string>(nb::str(at(field))); }

    /// As an array of float64 of so many columns, 0: one of one dimension.
    std::vector<double> numbers(const char* field, std::size_t columns) const {
        const nb::object array = nb::module_::import_("numpy").attr("ascontiguousarray")(at(field), "float64");
        const auto values = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(array);
        const bool fits = columns == 0 ? values.ndim() == 1 : values.ndim() == 2 && values.shape(1) == columns;
        if (!fits)
            throw InputError(fmt::format("{}: must be an array of shape {}", place(field),
                                         columns == 0 ? "(n,)" : fmt::format("(n, {})", columns)));
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values.data()[i]))
                throw InputError(fmt::format("{}: [{}] holds {}, but all numbers must be finite", place(field),
                                             i / std::max<std::size_t>(columns, 1), values.data()[i]));
        return {values.data(), values.data() + values.size()};
    }
    std::vector<Vec3> vectors(const char* field) const {
        const std::vector<double> all = numbers(field, 3);
        std::vector<Vec3> vectors;
        for (std::size_t i = 0; i + 2 < all.size(); i += 3) vectors.push_back({all[i], all[i + 1], all[i + 2]});
        return vectors;
    }

private:
    nb::handle of_;
    std::string name_;
};

void require_as_many(const Fields& fields, const char* field, std::size_t there, std::size_t expected) {
    if (there != expected)
        throw InputError(fmt::format("{}: {} of them, but {} times", fields.place(field), there, expected));
}

constexpr Named<TrackFrame> frames[] = {
    {TrackFrame::earth_fixed, "ecef"}, {TrackFrame::geographic, "geographic"}, {TrackFrame::local, "local"}};

NavigationTrack track_of(const Fields& given) {
    NavigationTrack track{.name = "Radar.track", .frame = choose_in(frames, "Track.frame", given.text("frame"))};
    track.time_s = given.numbers("time_s", 0);
    track.position = given.vectors("position");
    require_as_many(given, "position", track.position.size(), track.time_s.size());
    if (given.has("velocity_m_s")) track.velocity_m_s = given.vectors("velocity_m_s");
    if (given.has("roll_pitch_yaw_deg")) track.roll_pitch_yaw_deg = given.vectors("roll_pitch_yaw_deg");
    return track;
}

Orbit orbit_of(const Fields& given) {
    Orbit orbit{.time_s = given.numbers("time_s", 0),
                .position_m = given.vectors("position_m"),
                .velocity_m_s = given.vectors("velocity_m_s")};
    require_as_many(given, "position_m", orbit.position_m.size(), orbit.time_s.size());
    require_as_many(given, "velocity_m_s", orbit.velocity_m_s.size(), orbit.time_s.size());
    for (std::size_t i = 1; i < orbit.time_s.size(); ++i)
        if (!(orbit.time_s[i] > orbit.time_s[i - 1]))
            throw InputError(fmt::format("{}: times must ascend, but [{}] is {} after {}", given.place("time_s"), i,
                                         orbit.time_s[i], orbit.time_s[i - 1]));
    return orbit;
}

LookSide look_side_of(const Fields& radar) {
    const std::string side = radar.text("look_side");
    if (side != "left" && side != "right")
        throw InputError(fmt::format("Radar.look_side '{}': choose left or right", side));
    return side == "left" ? LookSide::left : LookSide::right;
}

Chirp chirp_of(const Fields& radar) {
    Chirp chirp{.slope_hz_s = radar.number("chirp_slope_hz_s"), .duration_s = radar.positive("chirp_duration_s")};
    if (chirp.slope_hz_s == 0)
        throw InputError("Radar.chirp_slope_hz_s is 0: a pulse without a band cannot be compressed");
    if (!radar.has("replica")) return chirp;
    const nb::object array = nb::module_::import_("numpy").attr("ascontiguousarray")(radar.at("replica"), "complex64");
    const auto samples = nb::cast<nb::ndarray<const std::complex<float>, nb::device::cpu>>(array);
    const bool finite = std::all_of(samples.data(), samples.data() + samples.size(), [](const std::complex<float>& s) {
        return std::isfinite(s.real()) && std::isfinite(s.imag());
    });
    if (samples.ndim() != 1 || samples.size() == 0 || !finite)
        throw InputError("Radar.replica: must be an array of shape (n,) of finite numbers, the samples of the pulse");
    chirp.replica.assign(samples.data(), samples.data() + samples.size());
    return chirp;
}

std::string polarization_of(const Fields& radar) {
    constexpr std::string_view letters = "HVLR";
    std::string given = radar.text("polarization");
    if (given.size() != 2 || given.find_first_not_of(letters) != std::string::npos)
        throw InputError(fmt::format(
            "Radar.polarization '{}': expected two letters of H, V, L and R, sent and received, such as HV", given));
    return given;
}

void set_times(const Fields& radar, Acquisition& acquisition) {
    acquisition.prf_hz = radar.positive("prf_hz");
    acquisition.first_pulse_time_s = radar.number("first_pulse_time_s");
    acquisition.epoch = radar.text("epoch");
    if (!parse_epoch(acquisition.epoch))
        throw InputError(
            fmt::format("Radar.epoch '{}': expected an ISO 8601 time, such as 2026-01-01T00:00:00", acquisition.epoch));
    if (!radar.has("pulse_times_s")) return;
    acquisition.pulse_times_s = radar.numbers("pulse_times_s", 0);
    if (acquisition.pulse_times_s.size() != static_cast<std::size_t>(acquisition.lines))
        throw InputError(fmt::format("Radar.pulse_times_s: {} of them, but the array has {} lines",
                                     acquisition.pulse_times_s.size(), acquisition.lines));
    for (std::size_t i = 1; i < acquisition.pulse_times_s.size(); ++i)
        if (!(acquisition.pulse_times_s[i] > acquisition.pulse_times_s[i - 1]))
            throw InputError(fmt::format("Radar.pulse_times_s: must ascend, but [{}] is {} after {}", i,
                                         acquisition.pulse_times_s[i], acquisition.pulse_times_s[i - 1]));
    acquisition.first_pulse_time_s = acquisition.pulse_times_s.front();
}

/// Of samples of these types what the library calls them; the last of three dimensions is real and imaginary part.
SampleFormat format_of(const nb::ndarray<nb::ro>& samples) {
    const bool parts = samples.ndim() == 3 && samples.shape(2) == 2;
    if (samples.ndim() == 2 && samples.dtype() == nb::dtype<std::complex<float>>()) return SampleFormat::complex64;
    if (samples.ndim() == 2 && samples.dtype() == nb::dtype<std::complex<double>>()) return SampleFormat::complex128;
    if (parts && samples.dtype() == nb::dtype<std::int8_t>()) return SampleFormat::int8;
    if (parts && samples.dtype() == nb::dtype<std::int16_t>()) return SampleFormat::int16;
    throw InputError(fmt::format(
        "samples: {}; expected lines x samples of complex64 or complex128, or lines x samples x 2 of int8 or int16",
        description_of(samples)));
}

/// An object that any thread may let go.
std::shared_ptr<nb::object> kept(nb::object object) {
    return {new nb::object(std::move(object)), [](nb::object* held) {
                const nb::gil_scoped_acquire gil;
                delete held;
            }};
}

/// Keeps its acquisition, and the array that has its samples, in host memory or on a GPU.
class ArrayEcho final : public EchoSource {
public:
    ArrayEcho(Acquisition acquisition, const void* samples, MemoryPlace place, nb::object array)
        : array_(kept(std::move(array))),
          acquisition_(std::move(acquisition)),
          lines_(matrix_on(samples, acquisition_.format, acquisition_.lines, acquisition_.samples)),
          place_(place),
          copies_(place) {}
    const Acquisition& acquisition() const override { return acquisition_; }
    std::optional<Matrix> lines_on(const Device& device) override {
        return device.place() == place_ ? std::optional(lines_) : std::nullopt;
    }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        const Matrix wanted = lines_.rows_from(first_line, lines);
        if (place_ != host_memory_place) return copies_.read(wanted, to);
        std::memcpy(to.data(), wanted.storage.get(), to.size());
    }

private:
    std::shared_ptr<nb::object> array_;
    Acquisition acquisition_;
    Matrix lines_;
    MemoryPlace place_;
    HostCopies copies_;
};

/// No radar that images the Earth is farther from it than from a geostationary orbit, 4.2e7 m. An aperture there would
/// be planned for minutes before anything were said.
double near_range_of(const Fields& radar) {
    constexpr double farthest_m = 1e8;
    const double near_range_m = radar.positive("near_range_m");
    if (near_range_m > farthest_m)
        throw InputError(
            fmt::format("{} is {:g}, but a radar that images the Earth is at most {:g} m away (geostationary: 4.2e7); "
                        "is it in metres?",
                        radar.place("near_range_m"), near_range_m, farthest_m));
    return near_range_m;
}

}  // namespace

Acquisition acquisition_of(nb::handle of, std::int64_t lines, std::int64_t samples, std::vector<std::string>& remarks) {
    const Fields radar(of, "Radar");
    Acquisition acquisition;
    acquisition.lines = lines;
    acquisition.samples = samples;
    acquisition.identification.mission = radar.text("mission");
    acquisition.identification.look_side = look_side_of(radar);
    acquisition.polarization = polarization_of(radar);
    set_times(radar, acquisition);
    acquisition.carrier_hz = radar.positive("carrier_hz");
    acquisition.near_range_m = near_range_of(radar);
    acquisition.range_spacing_m = radar.positive("range_spacing_m");
    acquisition.chirp = chirp_of(radar);
    acquisition.effective_velocity_m_s = radar.optional_number("velocity_m_s");
    acquisition.doppler_centroid_hz = radar.optional_number("doppler_centroid_hz");
    if (radar.has("azimuth_bandwidth_hz")) acquisition.azimuth_bandwidth_hz = radar.positive("azimuth_bandwidth_hz");
    if (radar.has("orbit") && radar.has("track"))
        throw InputError("Radar.orbit, Radar.track: either tells where the antenna was; leave one of them out");
    if (radar.has("orbit")) acquisition.orbit = orbit_of({radar.at("orbit"), "Radar.orbit"});
    if (!radar.has("track")) return acquisition;
    const NavigationTrack track = track_of({radar.at("track"), "Radar.track"});
    return along_track(std::move(acquisition), track, {}, 0, remarks);
}

PythonEcho echo_of_array(nb::object samples, nb::handle radar) {
    const nb::ndarray<nb::ro> array = array_in(samples, "samples");
    if (!nb::hasattr(radar, "chirp_slope_hz_s"))
        throw InputError(fmt::format("radar: is of type {}, expected a cornerturn.Radar",
                                     nb::cast<std::string>(nb::str(radar.type().attr("__name__")))));
    const MemoryPlace place = place_of(array, "samples");
    const SampleFormat format = format_of(array);
    if (array.size() == 0) throw InputError(fmt::format("samples: {} holds none", description_of(array)));
    require_packed(array, "samples");
    std::vector<std::string> remarks;
    Acquisition acquisition = acquisition_of(radar, static_cast<std::int64_t>(array.shape(0)),
                                             static_cast<std::int64_t>(array.shape(1)), remarks);
    acquisition.format = format;
    warn(remarks);
    auto source = std::make_shared<ArrayEcho>(std::move(acquisition), array.data(), place, samples);
    return {.name = "array",
            .format = "array",
            .lines = std::make_shared<SharedEcho>(std::move(source)),
            .array = std::move(samples),
            .samples = {static_cast<const std::byte*>(array.data()), array.nbytes()},
            .place = place};
}

}  // namespace cornerturn::python
