// SPDX-License-Identifier: Apache-2.0
// Range compression on every device, of samples of all formats, against the same pass looped on the host.
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "kernels/device/device_bench.h"
#include "kernels/device/noticing.h"
#include "tests/kernels/device/device_passes.h"

namespace cornerturn {
namespace {

TEST_P(DevicePasses, RangeCompressionOfIntegers) {
    const RangeCompression of_bytes = range_pass(SampleFormat::int8);
    expect_range_compression(of_bytes, integers<std::int8_t>(5 * 37, -128, 127));
    const RangeCompression of_words = range_pass(SampleFormat::int16);
    expect_range_compression(of_words, integers<std::int16_t>(5 * 37, -32768, 32767));
}

TEST_P(DevicePasses, RangeCompressionOfFloats) {
    const Samples samples = noise(5 * 37);
    std::vector<Stored<float>> floats;
    std::vector<Stored<double>> doubles;
    for (const auto& s : samples) {
        floats.push_back({static_cast<float>(s.real()), static_cast<float>(s.imag())});
        doubles.push_back({s.real(), s.imag()});
    }
    expect_range_compression(range_pass(SampleFormat::complex64), floats);
    expect_range_compression(range_pass(SampleFormat::complex128), doubles);
}

TEST_P(DevicePasses, RangeCompressionOfHalves) {
    // Every finite half has a turn over the lines; exponents up to 2^4 keep the lines comparable.
    auto halves = integers<Half, std::uint16_t>(5 * 37, 0, 0x4bff);
    halves[3].re.bits = 0x8001;  // smallest subnormal, negative
    halves[4].im.bits = 0xc900;  // -10
    expect_range_compression(range_pass(SampleFormat::float16), halves);
}

TEST_P(DevicePasses, RangeCompressionThroughLevels) {
    RangeCompression pass = range_pass(SampleFormat::lut16);
    for (int i = 0; i < 65536; ++i) pass.decoding.levels.push_back(std::sinh(static_cast<float>(i - 32768) / 16384.0f));
    expect_range_compression(pass, integers<LutIndex, std::uint16_t>(5 * 37, 0, 65535));
}

TEST_P(DevicePasses, GainGapsAndNotNumbersInTheEcho) {
    for (const std::int64_t length : {60, 37}) {  // padded, and as long as the line
        RangeCompression pass = range_pass(SampleFormat::complex64, 5, 37, length);
        pass.decoding.line_gain = {1.0f, 0.5f, 3.0f, 0.25f, 100.0f};
        pass.decoding.intervals_per_line = 2;
        for (int line = 0; line < 5; ++line) {
            pass.decoding.valid_samples.push_back({line, 10});
            pass.decoding.valid_samples.push_back({20, 37 - line});
        }
        const Samples samples = noise(5 * 37);
        std::vector<Stored<float>> echo;
        for (const auto& s : samples) echo.push_back({static_cast<float>(s.real()), static_cast<float>(s.imag())});
        echo[5].re = std::numeric_limits<float>::quiet_NaN();
        echo[37 + 25].im = std::numeric_limits<float>::infinity();
        echo[15].re = std::numeric_limits<float>::quiet_NaN();  // in a gap
        expect_range_compression(pass, echo);
    }
}

TEST_P(DevicePasses, DecodedSamplesComeBackThroughAnEmptyFilter) {
    RangeCompression pass = range_pass(SampleFormat::int8, 3, 17, 17);
    pass.filter = [] { return std::vector<std::complex<double>>(17, 1.0 / 17); };
    const auto echo = integers<std::int8_t>(3 * 17, -128, 127);
    const Samples got = get(run(pass, put_as(3, 17, pass.format, echo), 3, 17));
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_NEAR(got[i].real(), echo[i].re, 128 * tolerance()) << i;
        EXPECT_NEAR(got[i].imag(), echo[i].im, 128 * tolerance()) << i;
    }
}

TEST_P(DevicePasses, RangeCompressionOfManyLines) {
    const auto echo = integers<std::int8_t>(70001 * 37, -128, 127);  // beyond any grid limit, several batches
    for (const std::int64_t length : {60, 37})
        expect_range_compression(range_pass(SampleFormat::int8, 70001, 37, length), echo, 997);
}

TEST_P(DevicePasses, RangeCompressionOfBlocksOfLines) {
    for (const std::int64_t length : {60, 37}) {
        SCOPED_TRACE(length);
        RangeCompression pass = range_pass(SampleFormat::int16, 1003, 37, length);
        pass.decoding.intervals_per_line = 1;
        for (std::int32_t line = 0; line < pass.lines; ++line) {
            pass.decoding.line_gain.push_back(1.0f + static_cast<float>(line % 7));
            pass.decoding.valid_samples.push_back({line % 5, 37 - line % 3});
        }
        const auto echo = integers<std::int16_t>(pass.lines * pass.samples, -32768, 32767);
        const auto plan = plan_of(*device, pass);
        Matrix whole = device->allocate(native(), pass.lines, pass.samples),
               blocks = device->allocate(native(), pass.lines, pass.samples);
        plan->run(put_as(pass.lines, pass.samples, pass.format, echo), whole);
        std::int64_t first = 0;
        for (const std::int64_t lines :
             {1, 500, 37, 465}) {  // not in order of size, and the last one ends with the echo
            const auto* begin = echo.data() + first * pass.samples;
            plan->run_lines(put_as(lines, pass.samples, pass.format, std::vector(begin, begin + lines * pass.samples)),
                            first, blocks);
            first += lines;
        }
        EXPECT_EQ(device->bench().count_differences(whole, blocks, false), 0);
        const Matrix two =
            put_as(2, pass.samples, pass.format, std::vector(echo.begin(), echo.begin() + 2 * pass.samples));
        EXPECT_THROW(plan->run_lines(two, pass.lines - 1, blocks), std::logic_error) << "beyond the end";
        EXPECT_THROW(plan->run_lines(two, -1, blocks), std::logic_error);
        EXPECT_THROW(plan->run_lines(two.reshaped(1, 2 * pass.samples), 0, blocks), std::logic_error);
        EXPECT_THROW(plan_of(*device, AzimuthSpectrum{3, 5, 8})->run_lines(two, 0, blocks), std::logic_error)
            << "has no blocks";
    }
}

/// Several batches of lines in turn, whole and in blocks, against the plain method.
TEST_P(DevicePasses, FusedRangeCompressionOfLongLines) {
    if (device->place() == host_memory_place) GTEST_SKIP() << "no fused kernels";
    for (const std::int64_t length : {8192, 24576, 30720, 32768, 40960}) {
        SCOPED_TRACE(length);
        RangeCompression pass = range_pass(SampleFormat::int16, 150, length - 100, length);
        for (std::int32_t line = 0; line < pass.lines; ++line)
            pass.decoding.line_gain.push_back(1.0f + static_cast<float>(line % 7));
        const auto stored = integers<std::int16_t>(pass.lines * pass.samples, -32768, 32767);
        const Matrix echo = put_as(pass.lines, pass.samples, pass.format, stored);
        Matrix plain = device->allocate(native(), pass.lines, pass.samples),
               fused = device->allocate(native(), pass.lines, pass.samples),
               blocks = device->allocate(native(), pass.lines, pass.samples);
        plan_of(*device, pass)->run(echo, plain);
        const auto plan = plan_of(*device, pass, Chain::fused);
        plan->run(echo, fused);
        EXPECT_LT(relative_error(get(fused), get(plain)), tolerance());
        std::int64_t first = 0;
        for (const std::int64_t lines : {1, 100, 49}) {
            const auto* begin = stored.data() + first * pass.samples;
            plan->run_lines(put_as(lines, pass.samples, pass.format, std::vector(begin, begin + lines * pass.samples)),
                            first, blocks);
            first += lines;
        }
        EXPECT_EQ(device->bench().count_differences(fused, blocks, false), 0);
    }
}

TEST_P(DevicePasses, FusedRangeCompressionNoticesWhatIsNotFinite) {
    if (device->place() == host_memory_place) GTEST_SKIP() << "no fused kernels";
    RangeCompression pass = range_pass(SampleFormat::complex64, 20, 1000, 1024);
    const Samples samples = noise(pass.lines * pass.samples);
    std::vector<Stored<float>> echo;
    for (const auto& s : samples) echo.push_back({static_cast<float>(s.real()), static_cast<float>(s.imag())});
    Matrix out = device->allocate(native(), pass.lines, pass.samples);
    const auto plan = plan_of(*device, pass, Chain::fused);
    auto& noticing = dynamic_cast<Noticing&>(*plan);
    const auto noticed = [&] {
        plan->run(put_as(pass.lines, pass.samples, pass.format, echo), out);
        device->synchronize();
        return noticing.noticed();
    };
    EXPECT_EQ(noticing.notices(), Noticed::echo);
    EXPECT_FALSE(noticed());
    for (const std::size_t at : {std::size_t{0}, std::size_t{10 * 1000 + 7}, echo.size() - 1})
        for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
            const float before = std::exchange(echo[at].im, bad);
            EXPECT_TRUE(noticed()) << at << ", " << bad;
            EXPECT_FALSE(noticing.noticed()) << "what was asked for is forgotten";
            echo[at].im = before;
        }
    EXPECT_FALSE(noticed());
    EchoDecoding with_gaps;
    with_gaps.intervals_per_line = 1;
    with_gaps.valid_samples.assign(static_cast<std::size_t>(pass.lines), {0, 900});
    EXPECT_TRUE(plan->decode_as(with_gaps));
    EXPECT_EQ(noticing.notices(), Noticed::nothing) << "samples in gaps are not looked at";
}

}  // namespace
}  // namespace cornerturn
