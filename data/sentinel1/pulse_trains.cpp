// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/pulse_trains.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/fits/line_fit.h"

namespace cornerturn::sentinel1 {
namespace {

constexpr double pause_s = 0.4;            // bursts of a swath lie farther apart
constexpr std::size_t fewest_echoes = 16;  // of a burst

/// Of all echoes of a swath that lie without a pause behind one another.
std::vector<std::vector<Packet>> split_at_pauses(std::vector<Packet> echoes, Mode mode) {
    std::stable_sort(echoes.begin(), echoes.end(),
                     [](const Packet& a, const Packet& b) { return a.stamp_s < b.stamp_s; });
    std::vector<std::vector<Packet>> parts;
    for (const Packet& packet : echoes) {
        if (parts.empty() || (mode != Mode::strip && packet.stamp_s - parts.back().back().stamp_s > pause_s))
            parts.emplace_back();
        parts.back().push_back(packet);
    }
    return parts;
}

/// That of most, by its codes.
const Packet& usual(const std::vector<Packet>& echoes) {
    const Packet* best = &echoes.front();
    std::ptrdiff_t most = 0;
    for (std::size_t i = 0; i < echoes.size(); i += std::max<std::size_t>(1, echoes.size() / 9)) {
        const std::ptrdiff_t like = std::count_if(echoes.begin(), echoes.end(),
                                                  [&](const Packet& other) { return other.same_pulse(echoes[i]); });
        if (like > most) most = like, best = &echoes[i];
    }
    return *best;
}

/// When the pulse with the number 0 would have had its stamp: the same for all of a train but for what stamps are cut.
double stamp_of_first_s(const Packet& packet, double pri_s) { return packet.stamp_s - packet.pulse_count * pri_s; }

/// Whether an echo's window and samples can be at all, as seen from that of most.
bool is_possible(const Packet& packet, const Packet& like) {
    constexpr double most_samples = 1 << 16;  // all of a window is some 27 000 samples
    const double behind = (packet.window_start_s() - like.window_start_s()) * like.sample_rate_hz();
    return packet.sample_code == like.sample_code && packet.quads > 0 && std::fabs(behind) < most_samples;
}

/// Windows move for good: few echoes with another window than those on both sides of them have a false one.
std::vector<bool> with_false_windows(const std::vector<Packet>& echoes) {
    constexpr std::size_t few_in_a_row = 4;
    const auto same = [](const Packet& a, const Packet& b) {
        return a.window_start_code == b.window_start_code && a.quads == b.quads;
    };
    std::vector<bool> is_false(echoes.size(), false);
    if (echoes.size() < fewest_echoes) return is_false;
    for (std::size_t first = 0, end = 0; first < echoes.size(); first = end) {
        end = first + 1;
        while (end < echoes.size() && same(echoes[end], echoes[first])) ++end;
        if (end - first > few_in_a_row) continue;
        std::size_t before = first;  // the last one that is not false
        while (before > 0 && is_false[before - 1]) --before;
        if (before == 0 || end == echoes.size() || same(echoes[before - 1], echoes[end]))
            std::fill(is_false.begin() + static_cast<std::ptrdiff_t>(first),
                      is_false.begin() + static_cast<std::ptrdiff_t>(end), true);
    }
    return is_false;
}

/// Leaves out echoes whose headers are not those of the others, unless these are so many that they mean it, which is
/// told.
std::string leave_out_false(std::vector<Packet>& echoes, PulseTrains& all) {
    constexpr double part = 0.02, few = 2, few_of = 1.0 / 16;
    const auto count = static_cast<double>(echoes.size());
    const Packet like = usual(echoes);
    std::vector<double> stamps;
    for (const Packet& packet : echoes) stamps.push_back(stamp_of_first_s(packet, like.pri_s()));
    const double stamp_s = median_of(std::move(stamps));
    const double most_off_s = 0.25 * like.pri_s();
    const std::vector<bool> false_window = with_false_windows(echoes);
    std::vector<Packet> kept;
    for (std::size_t i = 0; i < echoes.size(); ++i)
        if (echoes[i].same_pulse(like) && is_possible(echoes[i], like) && !false_window[i] &&
            std::fabs(stamp_of_first_s(echoes[i], like.pri_s()) - stamp_s) < most_off_s)
            kept.push_back(echoes[i]);
    const auto left_out = static_cast<std::int64_t>(echoes.size() - kept.size());
    if (static_cast<double>(left_out) > std::max(part * count, std::min(few, few_of * count)))
        return fmt::format(
            "pulse, interval, window or samples of {} of {} echoes from pulse {} on are not those of the others; a "
            "strip or burst has the same throughout",
            left_out, echoes.size(), echoes.front().pulse_count);
    all.false_headers += left_out;
    echoes = std::move(kept);
    return {};
}

void leave_out_repeated(std::vector<Packet>& echoes, PulseTrains& all) {
    std::stable_sort(echoes.begin(), echoes.end(),
                     [](const Packet& a, const Packet& b) { return a.pulse_count < b.pulse_count; });
    const auto end = std::unique(echoes.begin(), echoes.end(),
                                 [](const Packet& a, const Packet& b) { return a.pulse_count == b.pulse_count; });
    all.repeated += std::distance(end, echoes.end());
    echoes.erase(end, echoes.end());
}

/// Those without a fault.
std::vector<const PulseTrain*> of_swath(const PulseTrains& all, const Swath* swath) {
    std::vector<const PulseTrain*> found;
    for (const PulseTrain& train : all.trains)
        if (train.swath == swath && train.fault.empty()) found.push_back(&train);
    return found;
}

/// From the beginning of a burst of a swath to that of the next, as bursts tell that have all of their echoes.
double cycle_s(const PulseTrains& all, const PulseTrain& train) {
    constexpr double nominal_s = 2.758273;  // of IW
    const std::vector<const PulseTrain*> bursts = of_swath(all, train.swath);
    if (bursts.size() < 2) return nominal_s;
    std::vector<double> apart;
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < bursts.size(); ++i) {
        if (i > 0) apart.push_back(bursts[i]->first_s() - bursts[i - 1]->first_s());
        longest = std::max(longest, bursts[i]->intervals());
    }
    const double about_s = median_of(std::move(apart));
    const auto is_full = [&](const PulseTrain* burst) { return burst->intervals() == longest; };
    const double first_s = (*std::find_if(bursts.begin(), bursts.end(), is_full))->first_s(),
                 last_s = (*std::find_if(bursts.rbegin(), bursts.rend(), is_full))->first_s(),
                 cycles = std::round((last_s - first_s) / about_s);
    return cycles > 0 ? (last_s - first_s) / cycles : about_s;
}

/// The longest burst of the swath; of several the one nearest in time.
const PulseTrain& full_burst(const PulseTrains& all, const PulseTrain& train) {
    const PulseTrain* full = &train;
    for (const PulseTrain* other : of_swath(all, train.swath)) {
        const bool nearer =
            std::fabs(other->first_s() - train.first_s()) < std::fabs(full->first_s() - train.first_s());
        if (other->intervals() > full->intervals() || (other->intervals() == full->intervals() && nearer)) full = other;
    }
    return *full;
}

}  // namespace

const Swath* swath_of(std::uint8_t number) {
    static constexpr std::array<Swath, 20> swaths{{{},
                                                   {"S1"},
                                                   {"S2"},
                                                   {"S3"},
                                                   {"S4"},
                                                   {"S5"},
                                                   {"S6"},
                                                   {},
                                                   {},
                                                   {},
                                                   {"IW1", Mode::burst, 1.590368784},
                                                   {"IW2", Mode::burst, 0.979863325},
                                                   {"IW3", Mode::burst, 1.397440818},
                                                   {"EW1", Mode::burst, 2.390895448},
                                                   {"EW2", Mode::burst, 2.811502724},
                                                   {"EW3", Mode::burst, 2.366195855},
                                                   {"EW4", Mode::burst, 2.512694636},
                                                   {"EW5", Mode::burst, 2.122855427},
                                                   {"WV1", Mode::vignette},
                                                   {"WV2", Mode::vignette}}};
    return number < swaths.size() && !swaths[number].name.empty() ? &swaths[number] : nullptr;
}

PulseTrains pulse_trains_of(const std::vector<Packet>& packets, const std::string& polarization) {
    constexpr double longest_s = 3600;  // of a data take, to either side of its middle
    std::vector<double> stamps;
    const auto belongs = [&](const Packet& packet) {
        return packet.is(Signal::echo) && packet.polarizations() == polarization && swath_of(packet.swath) != nullptr;
    };
    for (const Packet& packet : packets)
        if (belongs(packet)) stamps.push_back(packet.stamp_s);
    const double middle_s = stamps.empty() ? 0 : median_of(std::move(stamps));
    PulseTrains all;
    std::map<std::uint8_t, std::vector<Packet>> of_swaths;
    for (const Packet& packet : packets) {
        if (!belongs(packet)) continue;
        if (std::fabs(packet.stamp_s - middle_s) < longest_s)
            of_swaths[packet.swath].push_back(packet);
        else
            ++all.false_headers;
    }
    for (auto& [number, echoes] : of_swaths) {
        const Swath* swath = swath_of(number);
        if (swath->mode == Mode::strip && of_swaths.size() > 1 && echoes.size() < fewest_echoes) {
            all.false_headers += std::ssize(echoes);
            continue;
        }
        std::int64_t of_this = 0;
        for (std::vector<Packet>& part : split_at_pauses(std::move(echoes), swath->mode)) {
            if (swath->mode != Mode::strip && part.size() < fewest_echoes) {
                all.false_headers += std::ssize(part);
                continue;
            }
            std::string fault = leave_out_false(part, all);
            leave_out_repeated(part, all);
            all.trains.push_back({swath, of_this++, std::move(part), std::move(fault)});
        }
    }
    return all;
}

Burst burst_of(const PulseTrains& all, const PulseTrain& train) {
    const PulseTrain& full = full_burst(all, train);
    const Packet& first = train.echoes.front();
    double begin_s = train.first_s();
    auto intervals = static_cast<double>(train.intervals());
    if (full.intervals() > train.intervals()) {
        const double period_s = cycle_s(all, train),
                     expected_s = full.first_s() + period_s * std::round((begin_s - full.first_s()) / period_s);
        const double early = (begin_s - expected_s) / first.pri_s(),
                     late = static_cast<double>(full.intervals() - train.intervals()) - early;
        if (early > -1.5 && late > -1.5) begin_s = expected_s, intervals = static_cast<double>(full.intervals());
    }
    constexpr double iw_rows_s = 2.0555563e-3, ew_rows_s = 2.919194958e-3;  // as ESA's products have them
    return {.swath = std::string(train.swath->name),
            .number = train.number,
            .steering_rad_s = train.swath->steering_deg_s * degree,
            .broadside_time_s = begin_s + 0.5 * ((intervals - 1) * first.pri_s() + first.window_start_s()),
            .row_spacing_s = train.swath->name.starts_with("IW") ? iw_rows_s : ew_rows_s};
}

double lit_band_hz(const PulseTrains& all, const PulseTrain& train, double range_m, double speed_m_s) {
    constexpr double antenna_m = 12.3, of_beam = 1.21;  // to either side of its middle by 0.605 wavelengths a length
    constexpr double wavelength_m = speed_of_light_m_s / carrier_hz;
    constexpr double earth_m = 6.371e6, orbit_m = 7.071e6;
    const double fm_rate_hz_s = 2 * speed_m_s * speed_m_s * (earth_m / orbit_m) / (wavelength_m * range_m),
                 steering_hz_s = 2 * speed_m_s / wavelength_m * train.swath->steering_deg_s * degree,
                 faster = (fm_rate_hz_s + steering_hz_s) / fm_rate_hz_s;
    const double beam_hz = of_beam * 2 * speed_m_s / antenna_m / faster;
    constexpr double seam = 1.005, least = 0.6;
    const double burst_s = static_cast<double>(full_burst(all, train).intervals()) * train.echoes.front().pri_s();
    const double held_hz = fm_rate_hz_s * (burst_s - seam * cycle_s(all, train) / faster);
    return std::clamp(held_hz, least * beam_hz, beam_hz);
}

}  // namespace cornerturn::sentinel1
