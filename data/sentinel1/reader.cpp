// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>

#include "data/files/refusal.h"
#include "data/sentinel1/ephemeris.h"
#include "data/sentinel1/instrument_delay.h"
#include "data/sentinel1/packet.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/line_loop.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;
using sentinel1::Packet;
using sentinel1::Signal;

bool begins_with_packet(const fs::path& path) try {
    const BinaryFile file(path);
    return file.bytes() >= Packet::header_bytes && sentinel1::is_packet(file.read(0, Packet::header_bytes));
} catch (const InputError&) {
    return false;
}

/// Of a SAFE folder; its annotations and indices end in -annot.dat and -index.dat, and do not begin with a packet.
std::vector<std::string> measurements_in(const std::string& folder) {
    std::error_code error;
    std::vector<std::string> files;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename();
        if (name.ends_with(".dat") && !name.ends_with("-annot.dat") && !name.ends_with("-index.dat") &&
            begins_with_packet(it->path()))
            files.push_back(it->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

struct Strip {
    BinaryFile file;
    sentinel1::Packets all;
    std::vector<std::string> polarizations;  ///< of its echoes

    explicit Strip(const std::string& path) : file(path), all(sentinel1::read_packets(file)) {
        std::set<unsigned> swaths;
        std::set<std::string> found;
        for (const Packet& packet : all.packets) {
            if (!packet.is(Signal::echo)) continue;
            swaths.insert(packet.swath);
            found.insert(packet.polarizations());
        }
        if (swaths.empty()) refuse(path, "holds no echoes, only noise and calibration");
        constexpr unsigned last_strip = 6;
        if (swaths.size() > 1 || *swaths.begin() > last_strip || *swaths.begin() < 1)
            refuse(path,
                   fmt::format(
                       "holds bursts of the swaths {}; strips (S1 to S6) are formed, bursts (IW, EW) and vignettes "
                       "(WV) are not yet",
                       fmt::join(swaths, ", ")));
        polarizations.assign(found.begin(), found.end());
    }
};

Strip open_strip(const std::string& path, const std::optional<std::string>& polarization) {
    if (!fs::is_directory(path)) return Strip(path);
    const std::vector<std::string> files = measurements_in(path);
    if (files.empty()) refuse(path, "holds no measurement file (.dat) of space packets");
    std::vector<std::string> there;
    for (const std::string& file : files) {
        Strip strip(file);
        if (!polarization || std::find(strip.polarizations.begin(), strip.polarizations.end(), upper(*polarization)) !=
                                 strip.polarizations.end())
            return strip;
        there.insert(there.end(), strip.polarizations.begin(), strip.polarizations.end());
    }
    refuse(path, fmt::format("there is no polarization {}, only {}; choose one of these", *polarization,
                             fmt::join(there, ", ")));
}

/// The echoes of one polarization in the order of their pulses, each once.
std::vector<Packet> echoes_of(const Strip& strip, const std::string& polarization, std::vector<std::string>& warnings) {
    std::vector<Packet> echoes;
    std::int64_t repeated = 0;
    for (const Packet& packet : strip.all.packets) {
        if (!packet.is(Signal::echo) || packet.polarizations() != polarization) continue;
        if (!echoes.empty() && packet.pulse_count <= echoes.back().pulse_count)
            ++repeated;
        else
            echoes.push_back(packet);
    }
    const std::string& file = strip.file.name();
    if (echoes.size() < 2)
        refuse(file, fmt::format("holds {} echoes of {}, expected two at least", echoes.size(), polarization));
    const Packet& first = echoes.front();
    for (const Packet& packet : echoes) {
        if (packet.pri_code != first.pri_code || packet.decimation != first.decimation ||
            packet.ramp_code != first.ramp_code || packet.start_code != first.start_code ||
            packet.pulse_code != first.pulse_code || packet.rank != first.rank)
            refuse(file, fmt::format("pulse, interval or sampling change at pulse {}; a strip has the same throughout",
                                     packet.pulse_count));
        if (!sentinel1::is_sample_code(packet.sample_code) || packet.quads < 1)
            refuse(file, fmt::format("pulse {}: {} quads of code {}, expected some of code 0, 3 to 5 or 12 to 14",
                                     packet.pulse_count, packet.quads, packet.sample_code));
    }
    constexpr double longest_s = 1e-3;
    if (!(first.sample_rate_hz() > 0) || first.pri_code == 0 || first.pulse_code == 0 || first.pulse_s() > longest_s)
        refuse(file, fmt::format("decimation {}, interval {}, pulse {}: expected codes of the instrument",
                                 first.decimation, first.pri_code, first.pulse_code));
    const std::uint64_t missing = std::uint64_t{echoes.back().pulse_count - first.pulse_count} + 1 - echoes.size();
    constexpr std::uint64_t most_intervals = std::uint64_t{1} << 24;
    if (missing + echoes.size() > most_intervals)
        refuse(file, fmt::format("counts {} intervals between its pulses, at most {} are taken",
                                 missing + echoes.size(), most_intervals));
    if (missing > 0)
        warnings.push_back(fmt::format("{}: {} of {} pulses have no echo", file, missing, missing + echoes.size()));
    if (repeated > 0) warnings.push_back(fmt::format("{}: {} echoes that repeat a pulse are left out", file, repeated));
    if (strip.all.damaged > 0)
        warnings.push_back(fmt::format("{}: packets are damaged at {} places", file, strip.all.damaged));
    if (strip.all.cut) warnings.push_back(fmt::format("{}: ends within a packet", file));
    return echoes;
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

/// Stamps are cut; all of them together tell when the first pulse left.
void set_times(const std::vector<Packet>& echoes, Acquisition& acquisition) {
    const Packet& first = echoes.front();
    const auto later_s = [&](const Packet& packet) { return (packet.pulse_count - first.pulse_count) * first.pri_s(); };
    double off_s = 0;
    for (const Packet& packet : echoes)
        off_s += (packet.sent_s() - first.sent_s() - later_s(packet)) / static_cast<double>(echoes.size());
    acquisition.prf_hz = 1 / first.pri_s();
    acquisition.first_pulse_time_s = first.sent_s() + off_s;
    if (echoes.back().pulse_count - first.pulse_count + 1 == echoes.size()) return;
    for (const Packet& packet : echoes)
        acquisition.pulse_times_s.push_back(acquisition.first_pulse_time_s + later_s(packet));
}

/// Of lines whose windows begin later than that of the earliest.
std::vector<std::int64_t> shifts_of(const std::vector<Packet>& echoes, double nearest_s, const std::string& file,
                                    Acquisition& acquisition) {
    constexpr double whole = 0.01;  // samples
    std::vector<std::int64_t> shifts;
    bool equal = true;
    for (const Packet& packet : echoes) {
        const double samples = (packet.window_start_s() - nearest_s) * packet.sample_rate_hz();
        shifts.push_back(std::llround(samples));
        if (std::fabs(samples - std::round(samples)) > whole)
            refuse(file, fmt::format(
                             "the window of pulse {} begins {:.3f} samples behind the nearest, expected whole samples",
                             packet.pulse_count, samples));
        constexpr std::int64_t most = std::int64_t{1} << 20;
        if (shifts.back() > most)
            refuse(file,
                   fmt::format("windows begin up to {} samples apart, at most {} are taken", shifts.back(), most));
        acquisition.samples = std::max(acquisition.samples, shifts.back() + 2 * packet.quads);
        equal = equal && shifts.back() == 0 && packet.quads == echoes.front().quads;
    }
    if (equal) return shifts;
    acquisition.decoding.intervals_per_line = 1;
    for (std::size_t i = 0; i < echoes.size(); ++i)
        acquisition.decoding.valid_samples.push_back(
            {static_cast<std::int32_t>(shifts[i]), static_cast<std::int32_t>(shifts[i] + 2 * echoes[i].quads)});
    return shifts;
}

/// That of the epoch of GPS, 1980-01-06, as UTC has it at such a time.
std::string epoch_in_utc(double gps_s) {
    const int leap_seconds = gps_s < 1119744016 ? 16 : gps_s < 1167264017 ? 17 : 18;
    return fmt::format("1980-01-05T23:59:{:02}", 60 - leap_seconds);
}

struct Opened {
    BinaryFile file;
    std::vector<Packet> echoes;
    std::vector<std::int64_t> shifts;
    Acquisition acquisition;
};

Opened open(const std::string& path, const FrameSelection& selection, std::vector<std::string>& warnings) {
    if (selection.frequency && upper(*selection.frequency) != "A")
        refuse(path, fmt::format("there is no frequency {}, only A", *selection.frequency));
    Strip strip = open_strip(path, selection.polarization);
    const std::string file = strip.file.name();
    const std::string polarization =
        selection.polarization ? upper(*selection.polarization) : strip.polarizations.front();
    if (std::find(strip.polarizations.begin(), strip.polarizations.end(), polarization) == strip.polarizations.end())
        refuse(file, fmt::format("there is no polarization {}, only {}; choose one of these", polarization,
                                 fmt::join(strip.polarizations, ", ")));
    Acquisition acquisition;
    std::vector<Packet> echoes = echoes_of(strip, polarization, warnings);
    const Packet& first = echoes.front();
    acquisition.polarization = polarization;
    acquisition.lines = std::ssize(echoes);
    acquisition.format = SampleFormat::complex64;
    acquisition.carrier_hz = sentinel1::carrier_hz;
    acquisition.range_spacing_m = speed_of_light_m_s / (2 * first.sample_rate_hz());
    acquisition.chirp = chirp_of(first);
    set_times(echoes, acquisition);
    acquisition.epoch = epoch_in_utc(acquisition.first_pulse_time_s);
    double nearest_s = INFINITY;
    for (const Packet& packet : echoes) nearest_s = std::min(nearest_s, packet.window_start_s());
    std::vector<std::int64_t> shifts = shifts_of(echoes, nearest_s, file, acquisition);
    const std::optional<double> delay_s = sentinel1::instrument_delay_s(strip.file, strip.all.packets, first);
    if (!delay_s)
        warnings.push_back(
            fmt::format("{}: no calibration packets of its swath: the instrument's own delay (some 65 m of range) "
                        "is not known and left in",
                        file));
    acquisition.near_range_m = 0.5 * speed_of_light_m_s * (nearest_s - delay_s.value_or(0));
    acquisition.orbit = sentinel1::orbit_of(strip.all.packets);
    if (!acquisition.orbit)
        warnings.push_back(fmt::format(
            "{}: the packets hold no two state vectors: no Doppler centroid or velocity follows from them", file));
    acquisition.identification.mission = "SENTINEL-1";
    acquisition.identification.instrument = "C-SAR";
    acquisition.identification.look_side = LookSide::right;
    if (acquisition.orbit && acquisition.orbit->velocity_m_s.front()[2] < 0)
        acquisition.identification.pass_direction = "descending";
    return {std::move(strip.file), std::move(echoes), std::move(shifts), std::move(acquisition)};
}

/// Decodes lines as they are asked for.
class Sentinel1Frame final : public EchoSource {
public:
    Sentinel1Frame(Opened opened, int threads) : opened_(std::move(opened)), threads_(threads) {}
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
            if (!sentinel1::decode_samples(data, static_cast<sentinel1::SampleCode>(packet.sample_code), packet.quads,
                                           row + opened_.shifts[line]))
                refuse(opened_.file.name(), fmt::format("the samples of pulse {} (packet at byte {}) are damaged",
                                                        packet.pulse_count, packet.samples_at - Packet::header_bytes));
        });
    }

private:
    Opened opened_;
    int threads_;
};

}  // namespace

bool is_sentinel1(const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error) ? !measurements_in(path).empty() : begins_with_packet(path);
}

RawContents list_sentinel1(const std::string& path) {
    RawContents contents;
    contents.frequencies.push_back({"A", {}});
    for (const std::string& file : fs::is_directory(path) ? measurements_in(path) : std::vector<std::string>{path})
        for (const std::string& polarization : Strip(file).polarizations)
            contents.frequencies[0].polarizations.push_back(polarization);
    return contents;
}

Acquisition read_sentinel1_header(const std::string& path, const FrameSelection& selection,
                                  std::vector<std::string>& warnings) {
    return open(path, selection, warnings).acquisition;
}

std::unique_ptr<EchoSource> open_sentinel1(const std::string& path, const FrameSelection& selection,
                                           std::vector<std::string>& warnings) {
    return std::make_unique<Sentinel1Frame>(open(path, selection, warnings), selection.threads);
}

}  // namespace cornerturn
