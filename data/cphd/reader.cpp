// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "data/cphd/air_delay.h"
#include "data/cphd/channel_lines.h"
#include "data/cphd/scene.h"
#include "data/cphd/sign.h"
#include "data/cphd/track.h"
#include "data/cphd/truth.h"
#include "data/files/refusal.h"
#include "data/nisar/epoch.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/line_loop.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::cphd {
namespace {

struct CphdFile {
    BinaryFile file;
    FileHeader header;
    Metadata metadata;

    explicit CphdFile(const std::string& path)
        : file(path), header(read_file_header(file)), metadata(read_metadata(file, header)) {}
};

const Channel& chosen_channel(const std::string& path, const std::vector<Channel>& channels,
                              const FrameSelection& selection, std::vector<std::string>& warnings) {
    std::vector<std::string> there;
    for (const Channel& channel : channels)
        there.push_back(fmt::format("{} ({})", shown(channel.name), channel.polarization));
    if (selection.frequency && upper(*selection.frequency) != "A")
        refuse(path, fmt::format("there is no frequency {}, only A", *selection.frequency));
    const auto fits = [&](const Channel& channel) {
        return (!selection.channel || channel.name == *selection.channel) &&
               (!selection.polarization || channel.polarization == upper(*selection.polarization));
    };
    const auto found = std::find_if(channels.begin(), channels.end(), fits);
    if (found == channels.end())
        refuse(path, fmt::format("there is no channel {}{}{}, only {}; choose one of these",
                                 selection.channel ? shown(*selection.channel) : "",
                                 selection.channel && selection.polarization ? " of polarization " : "",
                                 selection.polarization.value_or(""), fmt::join(there, ", ")));
    if (!selection.channel && std::count_if(channels.begin(), channels.end(), fits) > 1)
        warnings.push_back(fmt::format("{}: holds channels {}; {} is taken", path, fmt::join(there, ", "),
                                       there[static_cast<std::size_t>(found - channels.begin())]));
    return *found;
}

/// The phases' sign by the data where these tell, which is told of where it is another than the file's.
int settled_sign(const std::string& path, const Spectra& spectra, const std::vector<Pulse>& pulses, int told,
                 std::vector<std::string>& warnings) {
    const auto found = sign_by_data(spectra, pulses, told);
    if (!found || found->sign == told) return told;
    warnings.push_back(
        fmt::format("{}: SGN is {:+d}, but the image is {:.0f} times as sharp with {:+d}, which is taken", path, told,
                    found->other_sharpness / found->told_sharpness, found->sign));
    return found->sign;
}

/// Whether the beam goes along with the antenna: then the points of reference do, too, and all have about one Doppler
/// frequency, of a beam that was held on a place it sweeps over many times the PRF, if only it was held long enough.
bool is_strip(const std::vector<Pulse>& pulses, double prf_hz) {
    constexpr double most_prf = 0.5, most_windows = 3, least_way = 0.25;
    const double flown_m = norm(pulses.back().antenna_m() - pulses.front().antenna_m());
    if (norm(pulses.back().reference_m - pulses.front().reference_m) < least_way * flown_m) return false;
    double least_s = INFINITY, most_s = -INFINITY, window_s = 0;
    for (const Pulse& pulse : pulses) {
        least_s = std::min(least_s, pulse.delay_s()), most_s = std::max(most_s, pulse.delay_s());
        window_s = std::max(window_s, pulse.last_arrival_s - pulse.first_arrival_s);
    }
    const DopplerBand band = doppler_of_references(pulses, pulses.front().highest_hz);
    return band.high_hz - band.low_hz < most_prf * prf_hz && most_s - least_s < most_windows * window_s;
}

/// Of the points of reference, as the geometry of the image has them, in which the antenna moves on (strips) or stands
/// still halfway; where the samples still hold the delay of the air, without it.
std::vector<double> delays_of(const std::vector<Pulse>& pulses, bool strip, ToldDelay told) {
    std::vector<double> delays_s;
    for (const Pulse& pulse : pulses) {
        const double way_s =
            strip ? pulse.delay_s() : 2 / speed_of_light_m_s * norm(pulse.antenna_m() - pulse.reference_m);
        delays_s.push_back(told == ToldDelay::remove ? way_s - pulse.air_delay_s : way_s);
    }
    return delays_s;
}

/// Whether the delay of the air is to be taken off: as asked for, else as the samples show, which is told; where they
/// do not, it is not, as the standard has it. Of strips no point is seen by all pulses.
ToldDelay settled_air(const std::string& path, const std::vector<Pulse>& pulses, ToldDelay asked,
                      const std::function<std::optional<AirFound>()>& look, std::vector<std::string>& warnings) {
    double air_s = 0;
    for (const Pulse& pulse : pulses) air_s += pulse.air_delay_s / static_cast<double>(pulses.size());
    if (asked != ToldDelay::automatic || !(air_s > 0)) return asked;
    const std::optional<AirFound> found = look();
    const double far_m = 0.5 * speed_of_light_m_s * air_s;
    const std::string told = fmt::format("{}: TDTropoSRP is {:.4g} ns", path, air_s * 1e9);
    if (found && (found->left_in() || found->left_out())) {
        const std::string shown = fmt::format("{} points show {:.2f} (deviation {:.2f}) of it in the samples",
                                              found->points, found->part, found->deviation);
        if (found->left_in())
            warnings.push_back(fmt::format("{}, and {}: {:.2f} m of range are taken off (--troposphere keep: not)",
                                           told, shown, far_m));
        else
            warnings.push_back(fmt::format("{}, and {}: it was taken out of them, nothing is to be done", told, shown));
        return found->left_in() ? ToldDelay::remove : ToldDelay::keep;
    }
    warnings.push_back(fmt::format(
        "{}; samples are taken to be without it, as the standard has it, which they themselves {}: if the scene lies "
        "{:.2f} m too far, give --troposphere remove",
        told,
        found ? fmt::format("do not show ({} points have {:.2f} of it, deviation {:.2f})", found->points, found->part,
                            found->deviation)
              : "do not show",
        far_m));
    return ToldDelay::keep;
}

class CphdEcho final : public EchoSource {
public:
    CphdEcho(const std::string& path, const FrameSelection& selection, std::vector<std::string>& warnings);
    const Acquisition& acquisition() const override { return acquisition_; }
    std::uint64_t stored_bytes() const override {
        return spectra_->stored_bytes(static_cast<std::uint64_t>(acquisition_.lines));
    }
    void read(std::int64_t first_line, std::int64_t count, std::span<std::byte> to) override {
        auto* values = reinterpret_cast<Complex<float>*>(to.data());
        for_each_line(count, static_cast<int>(work_.size()), [&](std::int64_t line) {
            Buffers& mine = *work_[static_cast<std::size_t>(omp_get_thread_num())];
            lines_->read(windows_, first_line + line, mine.work, mine.line, values + line * acquisition_.samples);
        });
    }

private:
    struct Buffers {
        Buffers(const Spectra& spectra, std::int64_t length) : work(spectra), line(length) {}
        Spectra::Work work;
        LineBuffer<float> line;
    };

    void describe(const Channel& channel, const std::vector<Pulse>& pulses);

    CphdFile opened_;
    std::optional<Spectra> spectra_;
    std::optional<ChannelLines> lines_;
    Windows windows_;
    Acquisition acquisition_;
    std::vector<std::unique_ptr<Buffers>> work_;
};

CphdEcho::CphdEcho(const std::string& path, const FrameSelection& selection, std::vector<std::string>& warnings)
    : opened_(path) {
    const Metadata& metadata = opened_.metadata;
    const Channel& channel = chosen_channel(path, metadata.channels, selection, warnings);
    std::vector<Pulse> pulses = read_pulses(opened_.file, opened_.header, metadata, channel, warnings);
    spectra_.emplace(opened_.file, opened_.header, metadata, channel, pulses);
    const auto outside = std::erase_if(pulses, [&](const Pulse& pulse) { return spectra_->bins_of(pulse).count < 2; });
    if (outside > 0)
        warnings.push_back(
            fmt::format("{}: {} pulses have no samples between FX1 and FX2 and are left out", path, outside));
    if (pulses.size() < 2)
        refuse(path, fmt::format("channel {} has no samples between FX1 and FX2", shown(channel.name)));
    const int sign = settled_sign(path, *spectra_, pulses, metadata.sign, warnings);
    const auto start = parse_epoch(metadata.collection_start);
    if (!start)
        refuse(path, fmt::format("/CPHD/Global/Timeline/CollectionStart: is '{}', expected a time such as "
                                 "2026-01-01T00:00:00.000000Z",
                                 shown(metadata.collection_start)));
    acquisition_.epoch = start->text();
    set_times(path, pulses, start->fraction, acquisition_, warnings);
    acquisition_.orbit = orbit_of(pulses, start->fraction);
    acquisition_.scene = scene_of(path, metadata.scene, warnings);
    acquisition_.truth = truth_of(metadata.targets, pulses, start->fraction);
    const bool strip = is_strip(pulses, acquisition_.prf_hz);
    const auto look = [&] {
        return strip ? std::nullopt : air_by_data(*spectra_, pulses, sign, acquisition_.scene->plane);
    };
    const ToldDelay air = settled_air(path, pulses, selection.told_delay, look, warnings);
    lines_.emplace(*spectra_, pulses, delays_of(pulses, strip, air), sign);
    windows_ = strip ? lines_->on_one_axis() : lines_->following();
    describe(channel, pulses);
    const int threads = thread_count(selection.threads);
    for (int i = 0; i < threads; ++i) work_.push_back(std::make_unique<Buffers>(*spectra_, lines_->length()));
}

void CphdEcho::describe(const Channel& channel, const std::vector<Pulse>& pulses) {
    const Metadata& metadata = opened_.metadata;
    acquisition_.polarization = channel.polarization;
    acquisition_.identification.mission = metadata.collector.empty() ? "UNKNOWN" : metadata.collector;
    acquisition_.carrier_hz = lines_->carrier_hz();
    acquisition_.chirp = compressed_pulse(lines_->bandwidth_hz());
    acquisition_.range_spacing_m = speed_of_light_m_s / (2 * lines_->sample_rate_hz());
    acquisition_.samples = windows_.samples;
    acquisition_.near_range_m = 0.5 * speed_of_light_m_s * windows_.first_s;
    if (windows_.opens_s.empty()) {
        const DopplerBand band = doppler_of_references(pulses, lines_->carrier_hz());
        acquisition_.doppler_centroid_hz = 0.5 * (band.low_hz + band.high_hz);
        return;
    }
    PhaseHistory history;
    for (const Pulse& pulse : pulses) {
        history.antenna_m.push_back(pulse.antenna_m());
        history.velocity_m_s.push_back(pulse.velocity_m_s);
    }
    history.opens_s = windows_.opens_s;
    acquisition_.phase_history = std::make_shared<const PhaseHistory>(std::move(history));
}

}  // namespace
}  // namespace cornerturn::cphd

namespace cornerturn {

bool is_cphd(const std::string& path) { return cphd::is_cphd_file(path); }

RawContents list_cphd(const std::string& path) {
    RawContents contents;
    contents.frequencies.push_back({"A", {}});
    std::vector<std::string>& polarizations = contents.frequencies.front().polarizations;
    for (const cphd::Channel& channel : cphd::CphdFile(path).metadata.channels)
        if (std::find(polarizations.begin(), polarizations.end(), channel.polarization) == polarizations.end())
            polarizations.push_back(channel.polarization);
    return contents;
}

Acquisition read_cphd_header(const std::string& path, const FrameSelection& selection,
                             std::vector<std::string>& warnings) {
    return cphd::CphdEcho(path, selection, warnings).acquisition();
}

std::unique_ptr<EchoSource> open_cphd(const std::string& path, const FrameSelection& selection,
                                      std::vector<std::string>& warnings) {
    return std::make_unique<cphd::CphdEcho>(path, selection, warnings);
}

}  // namespace cornerturn
