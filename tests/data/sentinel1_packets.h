// SPDX-License-Identifier: Apache-2.0
// Packets of Sentinel-1 that hold echoes of strips, and files of them.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <fstream>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "data/raw_file.h"
#include "data/sentinel1/packet.h"
#include "data/sentinel1/reader.h"
#include "tests/data/product_fixture.h"
#include "tests/data/sentinel1_bits.h"
#include "tests/support/texts.h"

namespace cornerturn {

class Sentinel1Test : public ProductTest {
protected:
    static constexpr double reference_hz = sentinel1::reference_hz;
    static constexpr std::uint32_t pri_code = 22748, start_code = 18173, pulse_code = 188;
    static constexpr int quads = 120, rank = 3;
    static constexpr double first_s = 1450000000.25, day_s = 1449964800;

    struct MadePacket {
        std::uint32_t pulse = 0;
        std::uint32_t window_start = start_code;
        unsigned signal = 0, swath = 6, polarization = 6, receiver = 0, decimation = 9;
        int samples = quads;
        double delay_s = 0;  ///< of a chirp in it; of an echo nothing: its numbers are the pulse's
    };

    static double chirp_rate_hz_s() { return 12206 * reference_hz * reference_hz / (1 << 21); }
    static double start_hz() { return chirp_rate_hz_s() / (4 * reference_hz) - 8924 * reference_hz / (1 << 14); }
    static double rate_hz() { return 1.25 * reference_hz; }

    static std::string packet(const MadePacket& made) {
        std::vector<std::complex<int>> samples;
        for (int i = 0; i < 2 * made.samples; ++i) {
            const double u_s = i / rate_hz() - made.delay_s;
            const bool there = u_s >= 0 && u_s < pulse_code / reference_hz;
            const double phase = 2 * std::numbers::pi * u_s * (start_hz() + 0.5 * chirp_rate_hz_s() * u_s);
            if (made.signal == 0)
                samples.emplace_back(static_cast<int>(made.pulse % 500), i % 7);
            else
                samples.emplace_back(there ? static_cast<int>(std::lround(400 * std::cos(phase))) : 0,
                                     there ? static_cast<int>(std::lround(400 * std::sin(phase))) : 0);
        }
        const std::string data = plain(samples);
        const double stamp_s = first_s + made.pulse * (pri_code / reference_hz);
        const auto whole_s = static_cast<std::uint64_t>(stamp_s);
        BitWriter bits;
        bits.put(0x0c1c, 16).put(0xc000, 16).put(62 + data.size() - 1, 16);
        bits.put(whole_s, 32).put(static_cast<std::uint64_t>((stamp_s - static_cast<double>(whole_s)) * 65536), 16);
        bits.put(0x352EF853, 32).put(1, 32).put(0, 8).put(made.receiver, 8).put(0, 32);
        const auto [index, word] = data_word(made.pulse);
        bits.put(index, 8).put(word, 16).put(made.pulse, 32).put(made.pulse, 32);
        bits.put(0, 8).put(0, 16).put(made.decimation, 8).put(0, 8).put(0x8000 | 12206, 16).put(8924, 16);
        bits.put(pulse_code, 24).put(rank, 8).put(pri_code, 24).put(made.window_start, 24).put(477, 24);
        bits.put(made.polarization, 4).put(0, 28).put(made.signal, 4).put(0, 4).put(made.swath, 8);
        bits.put(static_cast<std::uint64_t>(made.samples), 16).put(0, 8);
        const std::string header = bits.bytes();
        EXPECT_EQ(header.size(), 68u);
        return header + data;
    }
    /// At 1000 m/s.
    static double x_m(std::uint32_t cycle) { return 4e6 + 64e3 * cycle * (pri_code / reference_hz); }
    /// A vector for each 64 pulses: time and place when its first word is sent.
    static std::pair<unsigned, unsigned> data_word(std::uint32_t pulse) {
        const std::uint32_t index = pulse % 64 + 1, cycle = pulse / 64;
        const auto bits64 = [&](double value) { return std::bit_cast<std::uint64_t>(value); };
        const auto bits32 = [&](float value) { return std::uint64_t{std::bit_cast<std::uint32_t>(value)}; };
        if (index > 22) return {index, 0};
        if (index <= 12) return {index, bits64(x_m(cycle) + (index - 1) / 4) >> (48 - 16 * ((index - 1) % 4)) & 0xffff};
        if (index <= 18)
            return {index,
                    bits32(1000.0f + static_cast<float>((index - 13) / 2)) >> (16 - 16 * ((index - 13) % 2)) & 0xffff};
        const double time_s = first_s + 64 * cycle * (pri_code / reference_hz);
        const auto whole = static_cast<std::uint64_t>(time_s);
        const std::uint64_t stamp =
            whole << 24 | static_cast<std::uint64_t>((time_s - static_cast<double>(whole)) * (1 << 24));
        return {index, static_cast<unsigned>(stamp >> (48 - 16 * (index - 19)) & 0xffff)};
    }
    static std::string pulses(std::uint32_t count) {
        std::string file;
        for (std::uint32_t pulse = 0; pulse < count; ++pulse) file += packet({.pulse = pulse});
        return file;
    }
    static std::string calibration() {
        std::string file;
        for (const auto& [signal, delay_ns] : {std::pair{8u, 500.0}, {9u, 300.0}, {10u, 367.0}, {11u, 900.0}})
            file += packet({.signal = signal, .swath = 56, .delay_s = 1e-9 * delay_ns});
        return file;
    }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
    }
    Acquisition header(const std::string& name) { return read_raw_header(path(name), {}, warnings); }
    static std::vector<std::complex<float>> line(EchoSource& echo, std::int64_t number) {
        std::vector<std::complex<float>> samples(static_cast<std::size_t>(echo.acquisition().samples));
        echo.read(number, 1, std::as_writable_bytes(std::span(samples)));
        return samples;
    }
    std::string told() const { return std::accumulate(warnings.begin(), warnings.end(), std::string()); }

    std::vector<std::string> warnings;
};

}  // namespace cornerturn
