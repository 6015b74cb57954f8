// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <numbers>
#include <set>
#include <utility>

#include "data/files/refusal.h"
#include "data/nisar/epoch.h"
#include "data/sentinel1/burst_id.h"
#include "data/sentinel1/ephemeris.h"
#include "data/sentinel1/instrument_delay.h"
#include "data/sentinel1/moved_samples.h"
#include "data/sentinel1/packet.h"
#include "data/sentinel1/pulse_trains.h"
#include "data/sentinel1/take.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/line_loop.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;
using sentinel1::Packet;
using sentinel1::PulseTrain;
using sentinel1::Signal;
using sentinel1::Take;

/// Where nothing is chosen, the first swath and its first burst.
const PulseTrain& chosen_train(const std::string& file, const std::vector<PulseTrain>& trains,
                               const FrameSelection& selection) {
    const std::string swath = selection.swath ? upper(*selection.swath) : std::string(trains.front().swath->name);
    std::vector<std::string> there;
    std::int64_t bursts = 0;
    for (const PulseTrain& train : trains) {
        if (there.empty() || there.back() != train.swath->name) there.emplace_back(train.swath->name);
        if (train.swath->name != swath) continue;
        if (train.number == selection.burst.value_or(0)) {
            if (!train.fault.empty()) refuse(file, train.fault);
            return train;
        }
        ++bursts;
    }
    if (bursts == 0)
        refuse(file, fmt::format("there is no swath {}, only {}; choose one of these", swath, fmt::join(there, ", ")));
    refuse(file, fmt::format("there is no burst {} of {}, only 0 to {}; choose one of these", *selection.burst, swath,
                             bursts - 1));
}

void check_codes(const std::string& file, const std::vector<Packet>& echoes) {
    if (echoes.size() < 2)
        refuse(file, fmt::format("holds {} echoes of a pulse, expected two at least", echoes.size()));
    for (const Packet& packet : echoes)
        if (!sentinel1::is_sample_code(packet.sample_code) || packet.quads < 1)
            refuse(file, fmt::format("pulse {}: {} quads of code {}, expected some of code 0, 3 to 5 or 12 to 14",
                                     packet.pulse_count, packet.quads, packet.sample_code));
    const Packet& first = echoes.front();
    constexpr double longest_s = 1e-3;
    if (!(first.sample_rate_hz() > 0) || first.pri_code == 0 || first.pulse_code == 0 || first.pulse_s() > longest_s)
        refuse(file, fmt::format("decimation {}, interval {}, pulse {}: expected codes of the instrument",
                                 first.decimation, first.pri_code, first.pulse_code));
    const double bandwidth_hz = std::fabs(first.ramp_hz_s()) * first.pulse_s();
    if (!(bandwidth_hz * first.pulse_s() > 1 && bandwidth_hz < first.sample_rate_hz()))
        refuse(file, fmt::format("its pulse of {:.4g} us sweeps over {:.6g} MHz, expected more than a cycle's and less "
                                 "than the {:.6g} MHz of its samples",
                                 first.pulse_s() * 1e6, bandwidth_hz / 1e6, first.sample_rate_hz() / 1e6));
}

/// What is missing and was left out.
void tell_of(const Take& take, const sentinel1::PulseTrains& all, const PulseTrain& train,
             std::vector<std::string>& warnings) {
    const std::string& file = take.file.name();
    const std::int64_t intervals = train.intervals(), missing = intervals - std::ssize(train.echoes);
    constexpr std::int64_t most_intervals = std::int64_t{1} << 24;
    if (intervals > most_intervals)
        refuse(file,
               fmt::format("counts {} intervals between its pulses, at most {} are taken", intervals, most_intervals));
    if (missing > 0) warnings.push_back(fmt::format("{}: {} of {} pulses have no echo", file, missing, intervals));
    if (all.repeated > 0)
        warnings.push_back(fmt::format("{}: {} echoes that repeat a pulse are left out", file, all.repeated));
    if (all.false_headers > 0)
        warnings.push_back(fmt::format("{}: {} echoes are left out, as their headers contradict those around them",
                                       file, all.false_headers));
    if (take.all.damaged > 0)
        warnings.push_back(fmt::format("{}: packets are damaged at {} places", file, take.all.damaged));
    if (take.all.cut) warnings.push_back(fmt::format("{}: ends within a packet", file));
}

Chirp chirp_of(const Packet& packet) {
    Chirp chirp{.slope_hz_s = packet.ramp_hz_s(), .duration_s = packet.pulse_s()};
    const auto samples = std::llround(packet.pulse_s() * packet.sample_rate_hz());
    for (std::int64_t i = 0; i < samples; ++i) {
        const double u_s = static_cast<double>(i) / packet.sample_rate_hz();
        const double cycles = u_s * (packet.start_hz() + 0.5 * packet.ramp_hz_s() * u_s);
        chirp.replica.push_back(
            std::complex<float>(std::polar(1.0, 2 * std::numbers::pi * (cycles - std::floor(cycles)))));
    }
    return chirp;
}

/// Times since the GPS day begins, in products since GPS's own epoch: what that is in UTC at such a time.
void set_epoch(double gps_s, Acquisition& acquisition) {
    constexpr double july_2015_gps_s = 1119744016, january_2017_gps_s = 1167264017;  // the last leap seconds so far
    const int leap_seconds = gps_s < july_2015_gps_s ? 16 : gps_s < january_2017_gps_s ? 17 : 18;
    const Epoch gps = parse_epoch("1980-01-06T00:00:00")->plus(-leap_seconds);
    constexpr double day_s = 86400;
    const double days_s = std::floor(gps_s / day_s) * day_s;
    acquisition.product_epoch = ProductEpoch{gps.text(), days_s};
    acquisition.epoch = gps.plus(days_s).text();
}

/// Stamps are cut; all of them together tell when the first pulse left.
void set_times(const std::vector<Packet>& echoes, Acquisition& acquisition) {
    const Packet& first = echoes.front();
    set_epoch(first.stamp_s, acquisition);
    const double epoch_s = acquisition.product_epoch->earlier_s;
    const auto later_s = [&](const Packet& packet) { return (packet.pulse_count - first.pulse_count) * first.pri_s(); };
    double sum_s = 0;
    for (const Packet& packet : echoes) sum_s += packet.sent_s(epoch_s) - later_s(packet);
    acquisition.prf_hz = 1 / first.pri_s();
    acquisition.first_pulse_time_s = sum_s / static_cast<double>(echoes.size());
    if (echoes.back().pulse_count - first.pulse_count + 1 == echoes.size()) return;
    for (const Packet& packet : echoes)
        acquisition.pulse_times_s.push_back(acquisition.first_pulse_time_s + later_s(packet));
}

/// Where the first sample of a line lies.
struct LineStart {
    std::int64_t column = 0;
    double later = 0;  ///< than that column: part of a step between columns
};

/// Of lines whose windows begin later than that of the earliest.
std::vector<LineStart> starts_of(const std::vector<Packet>& echoes, double nearest_s, const std::string& file,
                                 Acquisition& acquisition, std::vector<std::string>& warnings) {
    constexpr double whole = 0.01;  // samples
    std::vector<LineStart> starts;
    bool equal = true;
    std::int64_t between = 0;
    for (const Packet& packet : echoes) {
        const double samples = (packet.window_start_s() - nearest_s) * packet.sample_rate_hz();
        LineStart start{.column = std::llround(samples)};
        if (std::fabs(samples - std::round(samples)) > whole) {
            start = {.column = std::llround(std::floor(samples)), .later = samples - std::floor(samples)};
            ++between;
        }
        constexpr std::int64_t most = std::int64_t{1} << 20;
        if (start.column > most)
            refuse(file, fmt::format("windows begin up to {} samples apart, at most {} are taken", start.column, most));
        acquisition.samples = std::max(acquisition.samples, start.column + 2 * packet.quads);
        equal = equal && samples < whole && packet.quads == echoes.front().quads;
        starts.push_back(start);
    }
    if (between > 0)
        warnings.push_back(
            fmt::format("{}: the windows of {} of {} pulses begin between samples of the others, onto "
                        "which they are interpolated",
                        file, between, echoes.size()));
    if (equal) return starts;
    acquisition.decoding.intervals_per_line = 1;
    for (std::size_t i = 0; i < echoes.size(); ++i)
        acquisition.decoding.valid_samples.push_back(
            {static_cast<std::int32_t>(starts[i].column + (starts[i].later > 0 ? 1 : 0)),
             static_cast<std::int32_t>(starts[i].column + 2 * echoes[i].quads)});
    return starts;
}

struct Opened {
    BinaryFile file;
    std::vector<Packet> echoes;
    std::vector<LineStart> starts;
    Acquisition acquisition;
};

/// Sampling, pulse and times.
Acquisition acquisition_of(const std::vector<Packet>& echoes) {
    const Packet& first = echoes.front();
    Acquisition acquisition;
    acquisition.polarization = first.polarizations();
    acquisition.lines = std::ssize(echoes);
    acquisition.format = SampleFormat::complex64;
    acquisition.carrier_hz = sentinel1::carrier_hz;
    acquisition.range_spacing_m = speed_of_light_m_s / (2 * first.sample_rate_hz());
    acquisition.chirp = chirp_of(first);
    set_times(echoes, acquisition);
    return acquisition;
}

void set_orbit(const Take& take, bool other_track, Acquisition& acquisition, std::vector<std::string>& warnings) {
    acquisition.orbit = sentinel1::orbit_of(take.all.packets, acquisition.product_epoch->earlier_s);
    acquisition.identification.mission = "SENTINEL-1";
    acquisition.identification.instrument = "C-SAR";
    acquisition.identification.look_side = LookSide::right;
    acquisition.steered_to_zero_doppler = true;  // Sentinel-1's total zero-Doppler steering, to 0.01 degrees or so
    if (acquisition.orbit && acquisition.orbit->velocity_m_s.front()[2] < 0)
        acquisition.identification.pass_direction = "descending";
    if (!acquisition.orbit && !other_track)
        warnings.push_back(
            fmt::format("{}: the packets hold no two state vectors: no Doppler centroid or velocity follows from them; "
                        "give ESA's orbit file by --orbit FILE.EOF",
                        take.file.name()));
}

/// Which satellite, orbit and burst it was, where the file's name tells.
void name_flight(const Take& take, const sentinel1::PulseTrains& all, const PulseTrain& train, Identification& to) {
    const auto flight = sentinel1::flight_of(take.file.name());
    if (!flight) return;
    to.mission += flight->satellite;
    to.absolute_orbit_number = flight->absolute_orbit;
    to.track_number = flight->relative_orbit();
    to.burst_id = sentinel1::BurstIds(take.file.name(), take.all.packets, all).of(all, train);
}

/// Targets have their zero-Doppler times outside the pulses of the burst.
void set_burst(const std::string& file, const sentinel1::PulseTrains& all, const PulseTrain& train,
               Acquisition& acquisition) {
    acquisition.burst = sentinel1::burst_of(all, train);
    acquisition.burst->broadside_time_s -= acquisition.product_epoch->earlier_s;
    constexpr double usual_m_s = 7590;
    double speed_m_s = usual_m_s;
    if (acquisition.orbit) {
        const Vec3& v = acquisition.orbit->velocity_m_s.front();
        speed_m_s = std::hypot(v[0], v[1], v[2]);
        constexpr double beyond_s = 4, farthest_s = 30;
        const double first_s = acquisition.first_pulse_time_s, last_s = acquisition.last_pulse_time_s();
        if (const double outside_s =
                std::max(seconds_outside(*acquisition.orbit, first_s), seconds_outside(*acquisition.orbit, last_s));
            outside_s > farthest_s)
            refuse(file,
                   fmt::format("its pulses lie up to {:.6g} s outside the packets' state vectors, at most {} s are "
                               "taken",
                               outside_s, farthest_s));
        acquisition.orbit = sentinel1::extended(*acquisition.orbit, first_s - beyond_s, last_s + beyond_s);
    }
    acquisition.azimuth_bandwidth_hz = sentinel1::lit_band_hz(
        all, train, acquisition.range_m(0.5 * static_cast<double>(acquisition.samples)), speed_m_s);
}

/// What was not chosen, where nothing was.
void tell_of_others(const std::string& path, const Take& take, std::vector<std::string>& warnings) {
    const std::size_t files = fs::is_directory(path) ? sentinel1::measurements_in(path).size() : 1;
    if (files > 1 || take.polarizations.size() > 1)
        warnings.push_back(fmt::format("{}: holds several polarizations; {} is taken (--polarization chooses)", path,
                                       take.polarizations.front()));
}

Opened open(const std::string& path, const FrameSelection& selection, std::vector<std::string>& warnings) {
    if (selection.frequency && upper(*selection.frequency) != "A")
        refuse(path, fmt::format("there is no frequency {}, only A", *selection.frequency));
    Take take = sentinel1::open_take(path, selection);
    const std::string file = take.file.name();
    if (!selection.polarization) tell_of_others(path, take, warnings);
    const sentinel1::PulseTrains all = sentinel1::pulse_trains_of(
        take.all.packets, selection.polarization ? upper(*selection.polarization) : take.polarizations.front());
    if (all.trains.empty()) refuse(file, "holds no two echoes that belong together");
    PulseTrain train = chosen_train(file, all.trains, selection);
    check_codes(file, train.echoes);
    tell_of(take, all, train, warnings);
    Acquisition acquisition = acquisition_of(train.echoes);
    double nearest_s = INFINITY;
    for (const Packet& packet : train.echoes) nearest_s = std::min(nearest_s, packet.window_start_s());
    std::vector<LineStart> starts = starts_of(train.echoes, nearest_s, file, acquisition, warnings);
    const std::optional<double> delay_s =
        sentinel1::instrument_delay_s(take.file, take.all.packets, train.echoes.front());
    if (!delay_s)
        warnings.push_back(
            fmt::format("{}: no calibration packets of its swath: the instrument's own delay (some 65 m of range) "
                        "is not known and left in",
                        file));
    acquisition.near_range_m = 0.5 * speed_of_light_m_s * (nearest_s - delay_s.value_or(0));
    set_orbit(take, selection.other_track, acquisition, warnings);
    name_flight(take, all, train, acquisition.identification);
    if (train.swath->mode == sentinel1::Mode::burst) set_burst(file, all, train, acquisition);
    return {std::move(take.file), std::move(train.echoes), std::move(starts), std::move(acquisition)};
}

/// Decodes lines as they are asked for.
class Sentinel1Frame final : public EchoSource {
public:
    Sentinel1Frame(Opened opened, const FrameSelection& selection)
        : opened_(std::move(opened)), threads_(selection.threads), tell_(selection.tell) {}
    ~Sentinel1Frame() override {
        if (!damaged_.empty())
            tell_(
                fmt::format("{}: the samples of {} of {} pulses are damaged (the first is pulse {}); they count as "
                            "missing",
                            opened_.file.name(), damaged_.size(), opened_.echoes.size(),
                            opened_.echoes[*damaged_.begin()].pulse_count));
    }
    Sentinel1Frame(const Sentinel1Frame&) = delete;
    Sentinel1Frame& operator=(const Sentinel1Frame&) = delete;
    const Acquisition& acquisition() const override { return opened_.acquisition; }
    std::uint64_t stored_bytes() const override {
        std::uint64_t bytes = 0;
        for (const Packet& packet : opened_.echoes) bytes += packet.sample_bytes;
        return bytes;
    }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        auto* const out = reinterpret_cast<std::complex<float>*>(to.data());
        const std::int64_t samples = opened_.acquisition.samples;
        for_each_line(lines, threads_, [&](std::int64_t i) {
            const auto line = static_cast<std::size_t>(first_line + i);
            const Packet& packet = opened_.echoes[line];
            std::complex<float>* const row = out + i * samples;
            std::fill_n(row, samples, 0.0f);
            const std::vector<std::byte> data = opened_.file.read(packet.samples_at, packet.sample_bytes);
            const auto [column, later] = opened_.starts[line];
            if (!sentinel1::decode_samples(data, static_cast<sentinel1::SampleCode>(packet.sample_code), packet.quads,
                                           row + column)) {
                std::fill_n(row, samples, 0.0f);
                note_damaged(line);
            } else if (later > 0) {
                sentinel1::move_samples({row + column, static_cast<std::size_t>(2 * packet.quads)}, later);
            }
        });
    }

private:
    /// So few that the code is what its header says.
    void note_damaged(std::size_t line) {
        const Packet& packet = opened_.echoes[line];
        const std::lock_guard lock(mutex_);
        damaged_.insert(line);
        const std::size_t most = tell_ ? std::max<std::size_t>(1, opened_.echoes.size() / 20) : 0;
        if (damaged_.size() <= most) return;
        const std::size_t count = std::exchange(damaged_, {}).size();
        refuse(opened_.file.name(),
               fmt::format("the samples of pulse {} (packet at byte {}) are damaged{}; at most {} may be missing",
                           packet.pulse_count, packet.samples_at - Packet::header_bytes,
                           count > 1 ? fmt::format(", and those of {} others", count - 1) : "", most));
    }

    Opened opened_;
    int threads_;
    std::function<void(const std::string&)> tell_;
    std::mutex mutex_;
    std::set<std::size_t> damaged_;  ///< lines
};

}  // namespace

bool is_sentinel1(const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error) ? !sentinel1::measurements_in(path).empty()
                                         : sentinel1::begins_with_packet(path);
}

RawContents list_sentinel1(const std::string& path) {
    RawContents contents;
    contents.frequencies.push_back({"A", {}});
    for (const std::string& file :
         fs::is_directory(path) ? sentinel1::measurements_in(path) : std::vector<std::string>{path}) {
        const Take take(file, nullptr);
        for (const std::string& polarization : take.polarizations)
            contents.frequencies[0].polarizations.push_back(polarization);
        if (!contents.swaths.empty()) continue;
        const sentinel1::PulseTrains all = sentinel1::pulse_trains_of(take.all.packets, take.polarizations.front());
        const sentinel1::BurstIds ids(file, take.all.packets, all);
        for (const PulseTrain& train : all.trains) {
            if (train.swath->mode == sentinel1::Mode::strip) continue;
            if (contents.swaths.empty() || contents.swaths.back().name != train.swath->name)
                contents.swaths.push_back({std::string(train.swath->name), 0});
            ++contents.swaths.back().bursts;
            if (ids.known()) contents.swaths.back().burst_ids.push_back(ids.of(all, train));
        }
    }
    return contents;
}

Acquisition read_sentinel1_header(const std::string& path, const FrameSelection& selection,
                                  std::vector<std::string>& warnings) {
    return open(path, selection, warnings).acquisition;
}

std::unique_ptr<EchoSource> open_sentinel1(const std::string& path, const FrameSelection& selection,
                                           std::vector<std::string>& warnings) {
    return std::make_unique<Sentinel1Frame>(open(path, selection, warnings), selection);
}

}  // namespace cornerturn
