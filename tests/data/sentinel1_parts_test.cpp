// SPDX-License-Identifier: Apache-2.0
// Parts of the reader of Sentinel-1 Level-0: codes of samples, windows that move, orbits between packets.
#include <cmath>
#include <complex>
#include <numbers>

#include "data/sentinel1/ephemeris.h"
#include "data/sentinel1/moved_samples.h"
#include "data/sentinel1/packet.h"
#include "data/sentinel1/sample_codes.h"
#include "pipeline/acquisition/geometry.h"
#include "tests/data/product_fixture.h"
#include "tests/data/sentinel1_bits.h"

namespace cornerturn {
namespace {

using sentinel1::SampleCode;

std::vector<std::complex<float>> decoded(const std::string& bytes, SampleCode code, std::int64_t quads) {
    std::vector<std::complex<float>> samples(static_cast<std::size_t>(2 * quads));
    EXPECT_TRUE(sentinel1::decode_samples(std::as_bytes(std::span(bytes)), code, quads, samples.data()));
    return samples;
}

TEST(SampleCodes, PlainNumbersComeBack) {
    std::vector<std::complex<int>> samples;
    for (int i = 0; i < 2 * 131; ++i) samples.emplace_back(i - 77, 511 - 3 * i);
    const auto got = decoded(plain(samples), SampleCode::plain, 131);
    for (std::size_t i = 0; i < samples.size(); ++i)
        EXPECT_EQ(got[i],
                  std::complex<float>(static_cast<float>(samples[i].real()), static_cast<float>(samples[i].imag())))
            << i;
}

/// 130 quads are a block and two: one of a small scale, whose levels are numbers, one of a large one.
TEST(SampleCodes, BlocksHaveTheirScales) {
    BitWriter bits;
    for (int part = 0; part < 4; ++part) {
        for (std::uint64_t i = 0; i < 130; ++i) {
            if (part == 2 && i == 0) bits.put(2, 8);
            if (part == 2 && i == 128) bits.put(100, 8);
            bits.put((i + static_cast<std::uint64_t>(part)) % 8, 3);  // sign and two bits of the level
        }
        bits.end_word();
    }
    const auto got = decoded(bits.bytes(), SampleCode::baq3, 130);
    constexpr std::array<float, 4> small{0, 1, 2, 3.12f}, large{0.2490f, 0.7681f, 1.3655f, 2.1864f};
    for (std::size_t i = 0; i < 130; ++i)
        for (std::size_t part = 0; part < 4; ++part) {
            const std::size_t code = (i + part) % 8;
            const float size = i < 128 ? small[code % 4] : large[code % 4] * 62.98f, value = code < 4 ? size : -size;
            const std::complex<float> sample = got[2 * i + part % 2];
            EXPECT_FLOAT_EQ(part < 2 ? sample.real() : sample.imag(), value) << i << " " << part;
        }
}

TEST(SampleCodes, LikelyLevelsHaveShortCodes) {
    const std::vector<std::string> codes{"00",    "01",     "10",      "110",      "1110",
                                         "11110", "111110", "1111110", "11111110", "11111111"};
    BitWriter bits;
    for (std::size_t part = 0; part < 4; ++part) {
        for (std::size_t i = 0; i < 129; ++i) {
            if (part == 0 && i % 128 == 0) bits.put(3, 3);
            if (part == 2 && i % 128 == 0) bits.put(i == 0 ? 6 : 7, 8);
            bits.put((i + part) % 3 == 0 ? 1 : 0, 1).put(codes[(i + part) % 10]);
        }
        bits.end_word();
    }
    const auto got = decoded(bits.bytes(), SampleCode::fdbaq1, 129);
    constexpr std::array<float, 10> normalized{0.1702f, 0.5107f, 0.8511f, 1.1916f, 1.5321f,
                                               1.8726f, 2.2131f, 2.5536f, 2.8942f, 3.3744f};
    for (std::size_t i = 0; i < 129; ++i)
        for (std::size_t part = 0; part < 4; ++part) {
            const std::size_t level = (i + part) % 10;
            const float size = i == 128 ? 4.39f * normalized[level] : level == 9 ? 10.1f : static_cast<float>(level);
            const std::complex<float> sample = got[2 * i + part % 2];
            EXPECT_NEAR(part < 2 ? sample.real() : sample.imag(), (i + part) % 3 == 0 ? -size : size, 1e-5);
        }
    std::string cut = bits.bytes();
    cut.resize(cut.size() - 2);
    std::vector<std::complex<float>> samples(258);
    EXPECT_FALSE(sentinel1::decode_samples(std::as_bytes(std::span(cut)), SampleCode::fdbaq1, 129, samples.data()));
    const std::string no_code(200, '\xff');
    EXPECT_FALSE(sentinel1::decode_samples(std::as_bytes(std::span(no_code)), SampleCode::fdbaq1, 129, samples.data()));
}

/// As sentinel1decoder reads it: the first echo of a data take over Brazil.
TEST(SampleCodes, ARealPacketIsReadAsByOthers) {
    const auto file = shared_file("foreign/sentinel1_packet/000408-echo.dat"),
               others = shared_file("foreign/sentinel1_packet/000408-echo_decoded.npy");
    if (!file || !others) GTEST_SKIP() << "no shared data";
    const BinaryFile packets(*file);
    const auto all = sentinel1::read_packets(packets);
    ASSERT_EQ(all.packets.size(), 1u);
    const sentinel1::Packet& packet = all.packets[0];
    EXPECT_EQ(packet.sample_code, 12);
    std::vector<std::complex<float>> got(static_cast<std::size_t>(2 * packet.quads));
    ASSERT_EQ(got.size(), 21558u);
    ASSERT_TRUE(sentinel1::decode_samples(packets.read(packet.samples_at, packet.sample_bytes), SampleCode::fdbaq0,
                                          packet.quads, got.data()));
    const BinaryFile array(*others);
    const std::size_t bytes = got.size() * sizeof(std::complex<float>);
    const auto want = array.read(array.bytes() - bytes, bytes);
    EXPECT_EQ(std::memcmp(got.data(), want.data(), bytes), 0) << "bit for bit";
}

/// A chirp over 0.88 of the sampling rate, which fades in and out.
TEST(MovedSamples, AreThoseOfTheSignalEarlier) {
    const auto signal = [](double k) {
        const double t = (k - 256) / 160;
        return std::fabs(t) < 1 ? std::polar(std::pow(std::cos(0.5 * std::numbers::pi * t), 6.0),
                                             2 * std::numbers::pi * 0.22 * 160 * t * t)
                                : 0.0;
    };
    for (const double later : {0.25, 3.0 / 7, 0.75}) {
        std::vector<std::complex<float>> samples(512);
        for (std::size_t k = 0; k < samples.size(); ++k)
            samples[k] = std::complex<float>(signal(static_cast<double>(k)));
        sentinel1::move_samples(samples, later);
        for (std::size_t k = 0; k < samples.size(); ++k)
            EXPECT_LT(std::abs(std::complex<double>(samples[k]) - signal(static_cast<double>(k) - later)), 3e-5) << k;
    }
}

TEST(OrbitOfPackets, GoesOnBeyondItsVectors) {
    const auto position_m = [](double t) {
        const double angle = 1.05e-3 * t;
        return Vec3{7.07e6 * std::cos(angle), 7.07e6 * std::sin(angle), 1e6 + 1000 * t};
    };
    Orbit orbit;
    for (int t = 0; t <= 9; ++t) {
        orbit.add(t, {position_m(t), 25.0 * (position_m(t + 0.02) - position_m(t - 0.02))});
    }
    const Orbit longer = sentinel1::extended(orbit, -2.5, 12.5);
    ASSERT_EQ(longer.time_s.size(), 17u);
    for (const double time_s : {-2.2, -0.7, 4.3, 9.9, 11.8}) {
        const StateVector state = interpolate(longer, time_s);
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(state.position_m[axis], position_m(time_s)[axis], 2e-5) << time_s;
    }
}

}  // namespace
}  // namespace cornerturn
