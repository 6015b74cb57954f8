// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/packet.h"

#include <algorithm>
#include <array>

#include "data/files/refusal.h"
#include "kernels/interrupt.h"

namespace cornerturn::sentinel1 {
namespace {

constexpr std::array<std::byte, 4> sync{std::byte{0x35}, std::byte{0x2E}, std::byte{0xF8}, std::byte{0x53}};
constexpr std::size_t sync_at = 12;

/// A window over a file that is read from its beginning to its end.
class Reading {
public:
    explicit Reading(const BinaryFile& file) : file_(file) {}
    /// So many bytes from there on, or as many as the file has.
    std::span<const std::byte> at(std::uint64_t first, std::size_t count) {
        const std::uint64_t left = file_.bytes() - std::min(first, file_.bytes());
        count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left));
        if (first < first_ || first + count > first_ + held_.size()) {
            constexpr std::size_t at_once = 4096;  // headers lie as far apart as packets are long
            first_ = first;
            held_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(count, at_once), left)));
            file_.read(first, held_);
            throw_if_interrupted();
        }
        return std::span(held_).subspan(static_cast<std::size_t>(first - first_), count);
    }

private:
    const BinaryFile& file_;
    std::uint64_t first_ = 0;
    std::vector<std::byte> held_;
};

/// Where the next sync marker lies whose packet begins behind `from`; the file's end where there is none.
std::uint64_t next_packet(Reading& reading, std::uint64_t from, std::uint64_t end) {
    constexpr std::size_t step = std::size_t{1} << 16;
    for (std::uint64_t at = from; at < end;) {
        const std::span<const std::byte> some = reading.at(at, step);
        const auto found = std::search(some.begin(), some.end(), sync.begin(), sync.end());
        if (found != some.end()) {
            const std::uint64_t marker = at + static_cast<std::uint64_t>(found - some.begin());
            if (marker >= from + sync_at) return marker - sync_at;
            at = marker + 1;
        } else {
            if (some.size() < step) break;
            at += some.size() - sync.size() + 1;
        }
    }
    return end;
}

Packet parsed(std::span<const std::byte> header, std::uint64_t first, std::size_t bytes) {
    const auto number = [&](std::size_t at, std::size_t count) { return big_endian(header.subspan(6 + at, count)); };
    const auto byte = [&](std::size_t at) { return std::to_integer<std::uint8_t>(header[6 + at]); };
    Packet packet;
    packet.samples_at = first + Packet::header_bytes;
    packet.sample_bytes = static_cast<std::uint32_t>(bytes - Packet::header_bytes);
    packet.stamp_s = static_cast<double>(number(0, 4)) + (static_cast<double>(number(4, 2)) + 0.5) / 65536;
    packet.receiver = byte(15) & 0x0f;
    packet.data_index = byte(20);
    packet.data_word = static_cast<std::uint16_t>(number(21, 2));
    packet.pulse_count = static_cast<std::uint32_t>(number(27, 4));
    packet.sample_code = byte(31) & 0x1f;
    packet.decimation = byte(34);
    packet.ramp_code = static_cast<std::uint16_t>(number(36, 2));
    packet.start_code = static_cast<std::uint16_t>(number(38, 2));
    packet.pulse_code = static_cast<std::uint32_t>(number(40, 3));
    packet.rank = byte(43) & 0x1f;
    packet.pri_code = static_cast<std::uint32_t>(number(44, 3));
    packet.window_start_code = static_cast<std::uint32_t>(number(47, 3));
    packet.polarization = byte(53) >> 4 & 7;
    packet.signal = byte(57) >> 4;
    packet.swath = byte(58);
    packet.quads = static_cast<std::int64_t>(number(59, 2));
    return packet;
}

}  // namespace

double Packet::ramp_hz_s() const {
    const double size = (ramp_code & 0x7fff) * reference_hz * reference_hz / (1 << 21);
    return (ramp_code & 0x8000) != 0 ? size : -size;
}

double Packet::start_hz() const {
    const double size = (start_code & 0x7fff) * reference_hz / (1 << 14);
    return ramp_hz_s() / (4 * reference_hz) + ((start_code & 0x8000) != 0 ? size : -size);
}

double Packet::sample_rate_hz() const {
    struct Ratio {
        int of, to;
    };
    constexpr std::array<Ratio, 12> ratios{
        {{3, 4}, {2, 3}, {0, 1}, {5, 9}, {4, 9}, {3, 8}, {1, 3}, {1, 6}, {3, 7}, {5, 16}, {3, 26}, {4, 11}}};
    if (decimation >= ratios.size()) return 0;
    return 4 * reference_hz * ratios[decimation].of / ratios[decimation].to;
}

std::string Packet::polarizations() const {
    if (receiver > 1) return {};
    return {polarization < 4 ? 'H' : 'V', receiver == 1 ? 'H' : 'V'};
}

bool is_packet(std::span<const std::byte> bytes) {
    return bytes.size() >= Packet::header_bytes && std::equal(sync.begin(), sync.end(), bytes.begin() + sync_at) &&
           (std::to_integer<unsigned>(bytes[0]) & 0xe0) == 0;
}

std::uint32_t instrument_configuration(std::span<const std::byte> header) {
    return static_cast<std::uint32_t>(big_endian(header.subspan(6 + 16, 4)));
}

Packets read_packets(const BinaryFile& file) {
    Packets all;
    Reading reading(file);
    const std::uint64_t end = file.bytes();
    for (std::uint64_t at = 0; at < end;) {
        const std::span<const std::byte> header = reading.at(at, Packet::header_bytes);
        if (header.size() < Packet::header_bytes) {
            all.cut = true;
            break;
        }
        const std::size_t bytes = 7 + static_cast<std::size_t>(big_endian(header.subspan(4, 2)));
        if (!is_packet(header) || bytes < Packet::header_bytes) {
            ++all.damaged;
            at = next_packet(reading, at + 1, end);
            continue;
        }
        const Packet packet = parsed(header, at, bytes);
        std::uint64_t next = at + bytes;
        if (next + Packet::header_bytes <= end && !is_packet(reading.at(next, Packet::header_bytes))) {
            next = next_packet(reading, at + 1, end);
            ++all.damaged;
        } else if (next > end) {
            next = next_packet(reading, at + 1, end);
            if (next == end) {
                all.cut = true;
                break;
            }
            ++all.damaged;
        }
        if (next >= at + bytes) all.packets.push_back(packet);  // else its length is what is damaged
        at = next;
    }
    if (all.packets.empty()) refuse(file.name(), "holds no whole space packet of Sentinel-1");
    return all;
}

}  // namespace cornerturn::sentinel1
