// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/pulse_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "data/files/refusal.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::cphd {
namespace {

/// Reads the fields of records.
class Records {
public:
    Records(const BinaryFile& file, const Metadata& metadata) : file_(file), metadata_(metadata) {}

    bool has(const char* name) const { return metadata_.fields.contains(name); }
    void take(std::span<const std::byte> record) { record_ = record; }

    double number(const char* name) const { return word(field(name, 1), 0); }
    Vec3 vector(const char* name) const {
        const Field& at = field(name, 3);
        return {word(at, 0), word(at, 1), word(at, 2)};
    }

private:
    const Field& field(const char* name, std::uint64_t words) const {
        const auto found = metadata_.fields.find(name);
        if (found == metadata_.fields.end()) refuse(file_.name(), fmt::format("/CPHD/PVP: has no {}", name));
        if (found->second.bytes < 8 * words)
            refuse(file_.name(),
                   fmt::format("/CPHD/PVP/{}: has {} bytes, expected {}", name, found->second.bytes, 8 * words));
        return found->second;
    }
    double word(const Field& field, std::size_t number) const {
        const std::uint64_t bits = big_endian(record_.subspan(static_cast<std::size_t>(field.offset) + 8 * number, 8));
        return field.whole ? static_cast<double>(static_cast<std::int64_t>(bits)) : std::bit_cast<double>(bits);
    }

    const BinaryFile& file_;
    const Metadata& metadata_;
    std::span<const std::byte> record_;
};

Pulse pulse_of(const Records& record, std::uint64_t number) {
    return {.number = number,
            .sent_s = record.number("TxTime"),
            .received_s = record.number("RcvTime"),
            .sent_from_m = record.vector("TxPos"),
            .received_at_m = record.vector("RcvPos"),
            .velocity_m_s = 0.5 * (record.vector("TxVel") + record.vector("RcvVel")),
            .reference_m = record.vector("SRPPos"),
            .lowest_hz = record.number("FX1"),
            .highest_hz = record.number("FX2"),
            .first_arrival_s = record.number("TOA1"),
            .last_arrival_s = record.number("TOA2"),
            .air_delay_s = record.number("TDTropoSRP"),
            .first_sample = record.number("SC0"),
            .sample_step = record.number("SCSS"),
            .gain = record.has("AmpSF") ? record.number("AmpSF") : 1.0};
}

/// Whether numbers can be those of a radar over the Earth; false, too, for such as are not finite.
bool can_be(const Pulse& pulse) {
    constexpr double farthest_m = 1e8, fastest_m_s = 2e4, longest_s = 1e6, highest_hz = 1e12, most_air_s = 1e-6,
                     most_gain = 1e30;
    // From the Earth's centre: the Dead Sea's shore brought to a pole, and aircraft above the equator.
    constexpr double lowest_ground_m = 6.355e6, highest_ground_m = 6.42e6;
    const auto within = [](double value, double most) { return std::abs(value) <= most; };
    const auto over_the_earth = [](const Vec3& place, double most_m) {
        return norm(place) >= lowest_ground_m && norm(place) <= most_m;
    };
    return within(pulse.sent_s, longest_s) && within(pulse.received_s, longest_s) &&
           over_the_earth(pulse.sent_from_m, farthest_m) && over_the_earth(pulse.received_at_m, farthest_m) &&
           over_the_earth(pulse.reference_m, highest_ground_m) && within(norm(pulse.velocity_m_s), fastest_m_s) &&
           norm(pulse.velocity_m_s) > 0 && norm(pulse.antenna_m() - pulse.reference_m) > 1 && pulse.lowest_hz > 0 &&
           pulse.highest_hz > pulse.lowest_hz && pulse.highest_hz <= highest_hz &&
           pulse.last_arrival_s > pulse.first_arrival_s && within(pulse.first_arrival_s, 1) &&
           within(pulse.last_arrival_s, 1) && within(pulse.air_delay_s, most_air_s) &&
           within(pulse.first_sample, highest_hz) && pulse.sample_step > 0 && pulse.sample_step <= highest_hz &&
           pulse.gain > 0 && pulse.gain <= most_gain;
}

/// Far from the others in band, place or gain: numbers of a damaged record that could be those of another radar.
bool is_astray(const Pulse& pulse, const Pulse& usual) {
    constexpr double farthest_m = 3e6, most_gain = 1e6;  // gain control spans a hundredth of that
    const double band_hz = usual.highest_hz - usual.lowest_hz;
    return std::abs(pulse.lowest_hz - usual.lowest_hz) > band_hz ||
           std::abs(pulse.highest_hz - usual.highest_hz) > band_hz ||
           norm(pulse.sent_from_m - usual.sent_from_m) > farthest_m ||
           norm(pulse.received_at_m - usual.received_at_m) > farthest_m ||
           norm(pulse.reference_m - usual.reference_m) > farthest_m || pulse.gain > most_gain * usual.gain;
}

/// The longest part of pulses whose times ascend from one to the next, as their places among all.
std::vector<std::size_t> ascending(const std::vector<Pulse>& pulses) {
    std::vector<std::size_t> last_of_length, before(pulses.size());
    for (std::size_t i = 0; i < pulses.size(); ++i) {
        const auto longer =
            std::lower_bound(last_of_length.begin(), last_of_length.end(), pulses[i].sent_s,
                             [&](std::size_t last, double sent_s) { return pulses[last].sent_s < sent_s; });
        before[i] = longer == last_of_length.begin() ? i : *(longer - 1);
        if (longer == last_of_length.end())
            last_of_length.push_back(i);
        else
            *longer = i;
    }
    std::vector<std::size_t> found(last_of_length.size());
    for (std::size_t place = last_of_length.empty() ? 0 : last_of_length.back(), left = found.size(); left-- > 0;
         place = before[place])
        found[left] = place;
    return found;
}

/// Times that do not ascend are false where they are few; of many, pulses are stored in another order. How many were
/// left out.
std::uint64_t put_in_order(std::vector<Pulse>& pulses) {
    constexpr double few = 0.05;
    const std::size_t all = pulses.size();
    const auto drop_repeated = [&] {
        const auto at_once = [](const Pulse& a, const Pulse& b) { return a.sent_s == b.sent_s; };
        pulses.erase(std::unique(pulses.begin(), pulses.end(), at_once), pulses.end());
    };
    drop_repeated();
    const std::vector<std::size_t> kept = ascending(pulses);
    if (static_cast<double>(pulses.size() - kept.size()) <= few * static_cast<double>(pulses.size())) {
        for (std::size_t i = 0; i < kept.size(); ++i) pulses[i] = pulses[kept[i]];
        pulses.erase(pulses.begin() + static_cast<std::ptrdiff_t>(kept.size()), pulses.end());
    } else {
        std::stable_sort(pulses.begin(), pulses.end(),
                         [](const Pulse& a, const Pulse& b) { return a.sent_s < b.sent_s; });
        drop_repeated();
    }
    return all - pulses.size();
}

/// Images are made as if both were halfway between them.
void require_one_antenna(const BinaryFile& file, const Channel& channel, const std::vector<Pulse>& pulses) {
    constexpr double beside_m = 100;
    for (const Pulse& pulse : pulses) {
        const double apart_m = norm(pulse.received_at_m - pulse.sent_from_m),
                     moved_m = norm(pulse.velocity_m_s) * pulse.delay_s();
        if (apart_m > beside_m + 2 * moved_m)
            refuse(file.name(), fmt::format("channel {}: its receiver is {:.0f} m away from where the pulse was sent "
                                            "(RcvPos, TxPos), but the antenna moves by {:.0f} m meanwhile: bistatic "
                                            "echoes are not read",
                                            shown(channel.name), apart_m, moved_m));
    }
}

struct Dropped {
    std::uint64_t silent = 0, damaged = 0, repeated = 0;
};

void tell(const BinaryFile& file, const Channel& channel, const Dropped& dropped, std::vector<std::string>& warnings) {
    const auto add = [&](std::uint64_t count, const char* what) {
        if (count > 0)
            warnings.push_back(fmt::format("{}: {} of {} pulses of channel {} {}", file.name(), count, channel.pulses,
                                           shown(channel.name), what));
    };
    add(dropped.silent, "have no signal (SIGNAL 0) and are left out");
    add(dropped.damaged, "have parameters that cannot be and are left out");
    add(dropped.repeated, "have times (TxTime) that do not ascend and are left out");
}

}  // namespace

Vec3 Pulse::antenna_m() const { return 0.5 * (sent_from_m + received_at_m); }

double Pulse::delay_s(const Vec3& place_m) const {
    return (norm(sent_from_m - place_m) + norm(received_at_m - place_m)) / speed_of_light_m_s;
}

std::vector<Pulse> read_pulses(const BinaryFile& file, const FileHeader& header, const Metadata& metadata,
                               const Channel& channel, std::vector<std::string>& warnings) {
    constexpr std::uint64_t at_a_time = 1024;
    Records record(file, metadata);
    Dropped dropped;
    std::vector<Pulse> pulses;
    std::vector<std::byte> records;
    const auto bytes = static_cast<std::size_t>(metadata.pulse_bytes);
    for (std::uint64_t first = 0; first < channel.pulses; first += at_a_time) {
        throw_if_interrupted();
        const auto count = static_cast<std::size_t>(std::min(at_a_time, channel.pulses - first));
        records.resize(count * bytes);
        file.read(header.pulses.first + channel.pulses_offset + first * metadata.pulse_bytes, records);
        for (std::size_t i = 0; i < count; ++i) {
            record.take(std::span(records).subspan(i * bytes, bytes));
            const Pulse pulse = pulse_of(record, first + i);
            if (record.has("SIGNAL") && record.number("SIGNAL") == 0)
                ++dropped.silent;
            else if (can_be(pulse))
                pulses.push_back(pulse);
            else
                ++dropped.damaged;
        }
    }
    if (!pulses.empty()) {
        const Pulse usual = pulses[pulses.size() / 2];
        dropped.damaged += std::erase_if(pulses, [&](const Pulse& pulse) { return is_astray(pulse, usual); });
    }
    dropped.repeated = put_in_order(pulses);
    tell(file, channel, dropped, warnings);
    if (pulses.size() < 2)
        refuse(file.name(), fmt::format("channel {} has {} pulses that can be used, expected two at least",
                                        shown(channel.name), pulses.size()));
    require_one_antenna(file, channel, pulses);
    return pulses;
}

}  // namespace cornerturn::cphd
