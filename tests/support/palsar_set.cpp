// SPDX-License-Identifier: Apache-2.0
#include "tests/support/palsar_set.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "kernels/math/speed_of_light.h"

namespace cornerturn {
namespace {

/// A record under construction: places count from 1.
class Bytes {
public:
    Bytes(std::uint32_t kind, std::size_t length) : bytes_(length, ' ') {
        number(1, 4, 1).number(5, 4, kind).number(9, 4, length);
    }
    Bytes& number(std::size_t place, std::size_t count, std::uint64_t value) {
        for (std::size_t i = count; i-- > 0; value >>= 8) bytes_[place - 1 + i] = static_cast<char>(value & 0xff);
        return *this;
    }
    Bytes& text(std::size_t place, const std::string& text) {
        bytes_.replace(place - 1, text.size(), text);
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

}  // namespace

std::string palsar_leader() {
    std::string file = Bytes(0x0BC01212, 720).bytes();
    file += Bytes(0x120A1214, 4096)
                .text(397, "ALOS")
                .text(501, fmt::format("{:16.7f}", 0.2360571))
                .text(551, fmt::format("{:16.7E}", 8.75e11))
                .text(711, fmt::format("{:16.7f}", 16.0))
                .text(743, fmt::format("{:16.7f}", 0.5))
                .text(819, fmt::format("{:16.7f}", 15.5))
                .text(835, fmt::format("{:16.7f}", 16.0))
                .bytes();
    Bytes positions(0x121E1214, 4680);
    positions.text(141, "   3").text(145, "2008").text(149, "   3").text(153, "   1");
    positions.text(161, fmt::format("{:22.15E}", 0.0)).text(183, fmt::format("{:22.15E}", 60.0));
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 6; ++k)
            positions.text(static_cast<std::size_t>(387 + 132 * i + 22 * k),
                           fmt::format("{:22.15E}", k < 3 ? 4e6 + k + 60 * i * (6997.0 - k) : 7000.0 - k));
    return file + positions.bytes();
}

std::string palsar_image(const std::vector<PalsarLine>& lines, int samples) {
    std::string file = Bytes(0x32C01212, 720)
                           .text(181, fmt::format("{:6}", lines.size()))
                           .text(217, "   8")
                           .text(249, fmt::format("{:8}", samples))
                           .text(277, " 412")
                           .bytes();
    for (const PalsarLine& line : lines) {
        Bytes record(0x320A1214, 412 + 2 * samples + 4);
        const double time_s = 10 + line.number / palsar_prf_hz + 2 * line.near_m / c_m_s;
        const double fine_us = std::floor(1e6 * (time_s - std::floor(time_s)));
        record.number(37, 4, 2008).number(41, 4, 60);  // the last of February
        record.number(45, 4, static_cast<std::uint64_t>(std::lround(1e3 * time_s)));
        record.number(57, 4, static_cast<std::uint64_t>(1e3 * line.prf));
        record.number(117, 4, static_cast<std::uint64_t>(line.near_m));
        record.number(297, 3, line.fine_shift < 0 ? 0 : static_cast<std::uint64_t>(fine_us) << line.fine_shift);
        for (int k = 0; k < samples; ++k)
            record.number(static_cast<std::size_t>(413 + 2 * k), 1, static_cast<std::uint64_t>(10 * line.number + k))
                .number(static_cast<std::size_t>(414 + 2 * k), 1, static_cast<std::uint64_t>(20 + k));
        file += record.bytes();
    }
    return file;
}

}  // namespace cornerturn
