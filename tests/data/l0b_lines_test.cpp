// SPDX-License-Identifier: Apache-2.0
// What raw echo tells of single lines: calibration, missing samples, gain, phase, and the chirp that was sent.
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "data/nisar/l0b_writer.h"
#include "tests/data/l0b_fixture.h"
#include "tests/data/nisar_groups.h"

namespace cornerturn {
namespace {

TEST_F(L0bTest, LeavesOutLinesOfCalibration) {
    Echo echo = small_echo(SampleFormat::complex64);
    const std::size_t line_bytes = echo.samples.size() / 37;
    const auto scale_line = [&](std::size_t line, float factor) {
        std::vector<float> values(line_bytes / sizeof(float));
        std::memcpy(values.data(), echo.samples.data() + line * line_bytes, line_bytes);
        for (float& value : values) value *= factor;
        std::memcpy(echo.samples.data() + line * line_bytes, values.data(), line_bytes);
    };
    for (const std::size_t line : {3u, 4u, 9u}) scale_line(line, 0.1f);
    write_l0b(path("a.h5"), echo);
    EXPECT_TRUE(left_out().empty()) << "weak, but nothing marks them";
    EXPECT_TRUE(warnings_.empty());

    Editor(path("a.h5")).change(l0b_pulses + "/calType", [](std::vector<double>& v) {
        v[3] = 1, v[4] = 2, v[9] = 255;
    });
    EXPECT_EQ(left_out(), (std::vector<std::int64_t>{3, 4, 9}));
    expect_one_warning({"3 of 37", "left out", "-20"});
}

TEST_F(L0bTest, BelievesNoCalTypeThatThePowerBelies) {
    write_l0b(path("a.h5"), small_echo(SampleFormat::complex64));
    {  // as real products have it: an enumeration
        Editor file(path("a.h5"));
        const h5::Type type(H5Tenum_create(H5T_STD_U8LE));
        for (const auto& [name, value] : {std::pair<const char*, std::uint8_t>{"HPA", 0}, {"LNA", 1}})
            H5Tenum_insert(type, name, &value);
        std::vector<std::uint8_t> values(37, 0);
        values[5] = 1;
        file.replace(l0b_pulses + "/calType", type, {37}, values.data());
    }
    EXPECT_TRUE(left_out().empty());
    expect_one_warning("1 of 37");
    const std::vector<std::uint8_t> all(37, 2);
    Editor(path("a.h5")).replace(l0b_pulses + "/calType", H5T_STD_U8LE, {37}, all.data());
    EXPECT_TRUE(left_out().empty());
    expect_one_warning("meaningless");
}

TEST_F(L0bTest, CountsLinesWithoutValidSamplesAsMissing) {
    Echo echo = small_echo(SampleFormat::complex64);
    EchoDecoding& decoding = echo.acquisition.decoding;
    decoding.intervals_per_line = 1;
    decoding.valid_samples.assign(37, {0, static_cast<std::int32_t>(echo.acquisition.samples)});
    decoding.valid_samples[11] = {};
    write_l0b(path("a.h5"), echo);
    const Acquisition back = header();
    expect_one_warning("1 of 37 lines hold no echo, at most 1 in a row");
    ASSERT_EQ(back.pulse_times_s.size(), 37u);
    EXPECT_NEAR(back.pulse_times_s[11], echo.acquisition.pulse_time_s(11), 1e-9);
}

TEST_F(L0bTest, AttenuationIsUsedWhereItMeansGainControl) {
    write_l0b(path("raw.h5"), small_echo(SampleFormat::complex64));
    const auto gain_of = [&](std::size_t channels, const std::function<float(int, std::size_t)>& db) {
        std::vector<float> values;
        for (int line = 0; line < 37; ++line)
            for (std::size_t channel = 0; channel < channels; ++channel) values.push_back(db(line, channel));
        Editor(path("raw.h5"))
            .replace(l0b_pulses + "/rxV/attenuation", H5T_NATIVE_FLOAT, {37, channels}, values.data());
        return header("raw.h5").decoding.line_gain;
    };
    const auto steps = gain_of(12, [](int line, std::size_t) { return line < 20 ? 6.0f : 12.0f; });
    ASSERT_EQ(steps.size(), 37u);
    EXPECT_NEAR(steps[36] / steps[0], std::pow(10.0, 6.0 / 20), 1e-6);
    EXPECT_EQ(warnings_of("attenuation"), 0);
    const auto expect_unused = [&](std::size_t channels, const std::function<float(int, std::size_t)>& db, int told) {
        EXPECT_TRUE(gain_of(channels, db).empty());
        EXPECT_EQ(warnings_of("attenuation"), told);
    };
    // A setting of each channel is no gain of the sum.
    expect_unused(
        12, [](int, std::size_t channel) { return static_cast<float>(channel); }, 1);
    expect_unused(
        12, [](int line, std::size_t channel) { return static_cast<float>(line * static_cast<int>(channel)); }, 1);
    expect_unused(
        1, [](int, std::size_t) { return 15.0f; }, 1);
    expect_unused(
        12, [](int, std::size_t) { return 0.0f; }, 0);
}

/// Of a chirp like that of small_echo whose middle lies this many samples late.
std::vector<std::complex<float>> waveform(const Acquisition& acquisition, double late_samples, double slope_part = 1) {
    std::vector<std::complex<float>> samples;
    for (int k = 0; k < static_cast<int>(acquisition.chirp_samples()); ++k) {
        const double t = (k - late_samples) / acquisition.sample_rate_hz() - acquisition.chirp.duration_s / 2;
        samples.emplace_back(std::polar(2.0, std::numbers::pi * slope_part * acquisition.chirp.slope_hz_s * t * t));
    }
    return samples;
}

TEST_F(L0bTest, TakesTheWaveformWhereItIsAnotherOne) {
    const Echo echo = small_echo(SampleFormat::int16);
    write_l0b(path("a.h5"), echo, L0bSamples::compact);
    const auto read_with = [&](const std::vector<std::complex<float>>& samples) {
        Editor(path("a.h5"))
            .replace(l0b_pulses + "/chirpWaveform", h5::complex_type(H5T_NATIVE_FLOAT), {samples.size()},
                     samples.data());
        return header().chirp;
    };
    const Chirp plain = header().chirp;
    EXPECT_TRUE(plain.replica.empty());
    EXPECT_EQ(read_with(waveform(echo.acquisition, 0)), plain) << "the chirp of slope and duration, twice as strong";
    const Chirp late = read_with(waveform(echo.acquisition, 0.5));
    ASSERT_EQ(late.replica.size(), waveform(echo.acquisition, 0.5).size());
    EXPECT_NEAR(std::abs(late.replica.front()), 1, 1e-5);
    EXPECT_EQ(warnings_of("chirpWaveform"), 0);
    EXPECT_EQ(read_with(waveform(echo.acquisition, 0, -1)), plain) << "a chirp the other way round is no replica";
    EXPECT_EQ(warnings_of("chirpWaveform"), 1);
}

TEST_F(L0bTest, ReadsThePhasesOfLines) {
    const Echo echo = small_echo(SampleFormat::int16);
    write_l0b(path("a.h5"), echo, L0bSamples::compact);
    const std::string name = l0b_pulses + "/rxV/basebandPhaseCorrection";
    const auto put = [&](const std::vector<std::complex<float>>& factors) {
        Editor(path("a.h5")).replace(name, h5::complex_type(H5T_NATIVE_FLOAT), {factors.size()}, factors.data());
    };
    std::vector<std::complex<float>> factors(37, 1.0f);
    put(factors);
    EXPECT_TRUE(header().line_phase_cycles.empty());
    factors[5] = {0.0f, 1.0f};
    put(factors);
    const std::vector<double> cycles = header().line_phase_cycles;
    ASSERT_EQ(cycles.size(), 37u);
    EXPECT_NEAR(cycles[5], 0.25, 1e-7);
    EXPECT_EQ(cycles[6], 0);
    factors[7] = {3.0f, 0.0f};
    put(factors);
    expect_refused([&] { read_quietly(path("a.h5")); }, {name, "line 7", "modulus 1"});
    factors.pop_back();
    put(factors);
    expect_refused([&] { read_quietly(path("a.h5")); }, {name, "36", "37"});
}

}  // namespace
}  // namespace cornerturn
