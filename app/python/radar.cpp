// SPDX-License-Identifier: Apache-2.0
// Echoes that are arrays: what a file would say comes from a Radar.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string_view>

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
            throw InputError(
                fmt::format("{} is {}, but must be a finite number", place(field), text_of(nb::repr(given))));
        return value;
    }
    double positive(const char* field) const {
        const double value = number(field);
        if (!(value > 0)) throw InputError(fmt::format("{} is {}, but must be above 0", place(field), value));
        return value;
    }
    /// Of a radar; what lies far outside is mostly in another unit.
    double within(const char* field, double least, double most, const char* unit) const {
        const double value = positive(field);
        if (!(value >= least && value <= most))
            throw InputError(fmt::format("{} is {:g}, but must be {:g} to {:g}; is it in {}?", place(field), value,
                                         least, most, unit));
        return value;
    }
    std::optional<double> optional_number(const char* field) const {
        return has(field) ? std::optional(number(field)) : std::nullopt;
    }
    /// Of what is a text, or, such as a date, has one.
    std::string text(const char* field) const { return text_of(at(field)); }
    /// A name, which goes into files and reports as it is: XML has no place for control characters.
    std::string name(const char* field) const {
        if (!nb::isinstance<nb::str>(at(field)))
            throw InputError(fmt::format("{}: is of type {}, expected a text", place(field), class_name(at(field))));
        if (PyUnicode_AsUTF8(at(field).ptr()) == nullptr) {
            PyErr_Clear();
            throw InputError(fmt::format("{}: {} holds what UTF-8 has no place for; leave it out", place(field),
                                         text_of(nb::repr(at(field)))));
        }
        std::string name = text(field);
        const auto* const control =
            std::find_if(name.data(), name.data() + name.size(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
        if (control != name.data() + name.size())
            throw InputError(fmt::format("{}: {} holds a control character (code {}); leave it out", place(field),
                                         text_of(nb::repr(at(field))), static_cast<int>(*control)));
        return name;
    }

    /// As an array of float64 of so many columns, 0: one of one dimension.
    std::vector<double> numbers(const char* field, std::size_t columns) const {
        const nb::object array = converted(field, "float64");
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

    /// As NumPy has it of that type; complex numbers are no reals.
    nb::object converted(const char* field, const char* type) const {
        const nb::object numpy = nb::module_::import_("numpy");
        require_no_mask(at(field), place(field), "those numbers alone that count");
        try {
            const nb::object array = numpy.attr("asarray")(at(field));
            if (std::string_view(type) != "float64" || !nb::cast<bool>(numpy.attr("iscomplexobj")(array)))
                return numpy.attr("ascontiguousarray")(array, type);
        } catch (const nb::python_error&) {  // texts, lists of different lengths
        }
        throw InputError(fmt::format("{}: is of type {}, which is no array of {} numbers", place(field),
                                     class_name(at(field)), std::string_view(type) == "float64" ? "real" : "complex"));
    }

    /// Throws InputError unless it has these attributes, as `type` of this module.
    void require(std::initializer_list<const char*> fields, const char* type) const {
        for (const char* field : fields)
            if (!nb::hasattr(of_, field))
                throw InputError(
                    fmt::format("{}: is of type {}, expected a cornerturn.{}", name_, class_name(of_), type));
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
    given.require({"time_s", "position", "frame", "velocity_m_s", "roll_pitch_yaw_deg"}, "Track");
    NavigationTrack track{.name = "Radar.track", .frame = choose_in(frames, "Track.frame", given.text("frame"))};
    track.time_s = given.numbers("time_s", 0);
    track.position = given.vectors("position");
    require_as_many(given, "position", track.position.size(), track.time_s.size());
    if (given.has("velocity_m_s")) track.velocity_m_s = given.vectors("velocity_m_s");
    if (given.has("roll_pitch_yaw_deg")) track.roll_pitch_yaw_deg = given.vectors("roll_pitch_yaw_deg");
    return track;
}

Orbit orbit_of(const Fields& given) {
    given.require({"time_s", "position_m", "velocity_m_s"}, "Orbit");
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
    const nb::object array = radar.converted("replica", "complex64");
    const auto samples = nb::cast<nb::ndarray<const std::complex<float>, nb::device::cpu>>(array);
    const bool finite = std::all_of(samples.data(), samples.data() + samples.size(), is_finite);
    if (samples.ndim() != 1 || samples.size() == 0 || !finite)
        throw InputError("Radar.replica: must be an array of shape (n,) of finite numbers, the samples of the pulse");
    if (std::all_of(samples.data(), samples.data() + samples.size(), [](const auto& s) { return std::norm(s) == 0; }))
        throw InputError(fmt::format(
            "Radar.replica: all of its {} samples are 0; give the pulse as it was sent, or None", samples.size()));
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
    acquisition.prf_hz = radar.within("prf_hz", 1e-3, 1e7, "Hz");
    acquisition.first_pulse_time_s = radar.number("first_pulse_time_s");
    constexpr double farthest_s = 1e10;  // three centuries; beyond, seconds have too few digits left
    if (!(std::abs(acquisition.first_pulse_time_s) <= farthest_s))
        throw InputError(
            fmt::format("Radar.first_pulse_time_s is {:g}, but must be within {:g} s of the epoch; give a "
                        "nearer epoch",
                        acquisition.first_pulse_time_s, farthest_s));
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
    if (acquisition.first_pulse_time_s != 0 && acquisition.first_pulse_time_s != acquisition.pulse_times_s.front())
        throw InputError(
            fmt::format("Radar.first_pulse_time_s is {}, but Radar.pulse_times_s begins with {}; leave the former out",
                        acquisition.first_pulse_time_s, acquisition.pulse_times_s.front()));
    acquisition.first_pulse_time_s = acquisition.pulse_times_s.front();
}

/// What no samples of this kind can hold.
void check_pulse(const Acquisition& acquisition) {
    const Chirp& chirp = acquisition.chirp;
    const double band_hz = chirp.bandwidth_hz(), sampled_hz = acquisition.sample_rate_hz();
    constexpr double rounding = 1e-6;
    if (acquisition.samples < 2) return;  // of which set-up says that they are no swath
    if (!(acquisition.chirp_samples() <= static_cast<double>(acquisition.samples)))
        throw InputError(
            fmt::format("Radar.chirp_duration_s is {:g}, which at {:.6g} MHz (c/2 over range_spacing_m) is "
                        "{:.6g} samples, but a line has {}; is it in s?",
                        chirp.duration_s, sampled_hz / 1e6, acquisition.chirp_samples(), acquisition.samples));
    if (!(band_hz <= sampled_hz * (1 + rounding)))
        throw InputError(
            fmt::format("Radar.chirp_slope_hz_s is {:g}, which in {:g} s is a band of {:.6g} MHz, but "
                        "samples hold {:.6g} MHz (c/2 over range_spacing_m); check all three",
                        chirp.slope_hz_s, chirp.duration_s, band_hz / 1e6, sampled_hz / 1e6));
    if (!(band_hz * chirp.duration_s >= 1))
        throw InputError(
            fmt::format("Radar.chirp_slope_hz_s is {:g}, which in {:g} s is a band of {:g} Hz: that pulse "
                        "cannot be compressed (1 over its duration at least); is it in Hz/s?",
                        chirp.slope_hz_s, chirp.duration_s, band_hz));
}

/// Nobody would know which of the two was taken.
void check_one_flight(const Fields& radar) {
    if (!radar.has("velocity_m_s")) return;
    for (const char* other : {"orbit", "track"})
        if (radar.has(other))
            throw InputError(
                fmt::format("Radar.velocity_m_s, Radar.{0}: a velocity is that of a straight flight, and the {0} tells "
                            "it better; leave one of them out",
                            other));
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
    acquisition.identification.mission = radar.name("mission");
    acquisition.identification.look_side = look_side_of(radar);
    acquisition.polarization = polarization_of(radar);
    set_times(radar, acquisition);
    acquisition.carrier_hz = radar.within("carrier_hz", 1e6, 1e12, "Hz");
    acquisition.near_range_m = near_range_of(radar);
    acquisition.range_spacing_m = radar.within("range_spacing_m", 1e-5, 1e5, "metres");
    acquisition.chirp = chirp_of(radar);
    check_pulse(acquisition);
    if (radar.has("velocity_m_s")) acquisition.effective_velocity_m_s = radar.within("velocity_m_s", 1e-3, 1e6, "m/s");
    acquisition.doppler_centroid_hz = radar.optional_number("doppler_centroid_hz");
    if (radar.has("azimuth_bandwidth_hz")) acquisition.azimuth_bandwidth_hz = radar.positive("azimuth_bandwidth_hz");
    if (radar.has("orbit") && radar.has("track"))
        throw InputError("Radar.orbit, Radar.track: either tells where the antenna was; leave one of them out");
    if (radar.has("orbit")) acquisition.orbit = orbit_of({radar.at("orbit"), "Radar.orbit"});
    const std::optional<NavigationTrack> track =
        radar.has("track") ? std::optional(track_of({radar.at("track"), "Radar.track"})) : std::nullopt;
    check_one_flight(radar);
    if (!track) return acquisition;
    return along_track(std::move(acquisition), *track, {}, 0, remarks);
}

PythonEcho echo_of_array(nb::object samples, nb::handle radar) {
    const nb::ndarray<nb::ro> array = array_in(samples, "samples");
    if (!nb::hasattr(radar, "chirp_slope_hz_s"))
        throw InputError(fmt::format("radar: is of type {}, expected a cornerturn.Radar", class_name(radar)));
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
