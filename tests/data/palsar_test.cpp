// SPDX-License-Identifier: Apache-2.0
// ALOS PALSAR level 1.0: files made here, with what goes wrong in some.
#include "data/ceos/palsar_reader.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "data/raw_file.h"
#include "tests/data/product_fixture.h"
#include "tests/support/palsar_set.h"

namespace cornerturn {
namespace {

constexpr int samples = 7;
constexpr double prf_hz = palsar_prf_hz;
constexpr double rate_hz = 16e6;

using Line = PalsarLine;

class PalsarTest : public ProductTest {
protected:
    static std::string leader() { return palsar_leader(); }
    static std::string image(const std::vector<Line>& lines) { return palsar_image(lines, samples); }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
    }
    void write_set(const std::vector<Line>& lines) const {
        write("LED-SCENE", leader());
        write("IMG-HH-SCENE", image(lines));
    }
    std::vector<std::complex<float>> read(const std::string& name) {
        const auto echo = open_raw(path(name), {}, warnings);
        const auto count = static_cast<std::size_t>(echo->acquisition().lines * echo->acquisition().samples);
        std::vector<std::complex<float>> values(count);
        echo->read(0, echo->acquisition().lines, std::as_writable_bytes(std::span(values)));
        return values;
    }
    Acquisition header(const std::string& name) { return read_raw_header(path(name), {}, warnings); }

    std::vector<std::string> warnings;
};

TEST_F(PalsarTest, TellsAllOfTheEcho) {
    write_set({{0}, {1}, {2}});
    for (const char* name : {"", "IMG-HH-SCENE", "LED-SCENE"}) {
        SCOPED_TRACE(name);
        EXPECT_EQ(raw_format(path(name)), "ALOS PALSAR level 1.0");
        EXPECT_EQ(list_raw(path(name)).frequencies.at(0).polarizations, std::vector<std::string>{"HH"});
        const Acquisition a = header(name);
        EXPECT_EQ(a.lines, 3);
        EXPECT_EQ(a.samples, samples);
        EXPECT_EQ(a.epoch, "2008-02-29T00:00:00");
        EXPECT_NEAR(a.first_pulse_time_s, 10, 1e-6);
        EXPECT_NEAR(a.prf_hz, prf_hz, 4);  // of three times that are cut to microseconds
        EXPECT_FALSE(a.uneven());
        EXPECT_NEAR(a.carrier_hz, speed_of_light_m_s / 0.2360571, 1);
        EXPECT_EQ(a.near_range_m, 850000);
        EXPECT_DOUBLE_EQ(a.sample_rate_hz(), rate_hz);
        EXPECT_EQ(a.chirp.slope_hz_s, -8.75e11);
        EXPECT_EQ(a.chirp.duration_s, 0.5e-6);
        ASSERT_EQ(a.chirp.replica.size(), 8u);
        const double u_s = 2.5 / rate_hz;  // of sample 6 from the middle, 3.5
        EXPECT_NEAR(std::arg(a.chirp.replica[6]), -std::numbers::pi * 8.75e11 * u_s * u_s, 1e-6);
        ASSERT_TRUE(a.orbit);
        EXPECT_EQ(a.orbit->time_s, (std::vector<double>{86400, 86460, 86520}));  // from the day of the first line on
        EXPECT_EQ(a.orbit->position_m[1], (Vec3{4e6 + 60 * 6997, 4e6 + 1 + 60 * 6996, 4e6 + 2 + 60 * 6995}));
        EXPECT_EQ(a.orbit->velocity_m_s[2], (Vec3{6997, 6996, 6995}));
    }
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    const auto values = read("IMG-HH-SCENE");
    EXPECT_EQ(values[samples * 2 + 3], std::complex<float>(20 + 3 - 15.5f, 20 + 3 - 16.0f));
}

TEST_F(PalsarTest, PutsLinesWhereTheirTimesAre) {
    write_set({{0}, {1}, {1}, {4}, {5}});
    const Acquisition a = header("IMG-HH-SCENE");
    EXPECT_EQ(a.lines, 4);
    ASSERT_EQ(a.pulse_times_s.size(), 4u);
    EXPECT_NEAR(a.pulse_times_s[2] - a.pulse_times_s[1], 3 / prf_hz, 2e-6);
    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_NE(warnings[0].find("2 of 6 lines are missing"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[1].find("1 lines that repeat"), std::string::npos) << warnings[1];
}

TEST_F(PalsarTest, FindsMicrosecondsAtEitherEnd) {
    for (const int shift : {0, 4}) {
        std::vector<Line> lines;
        for (int i = 0; i < 12; ++i) lines.push_back({.number = i, .fine_shift = shift});
        write_set(lines);
        EXPECT_NEAR(header("IMG-HH-SCENE").first_pulse_time_s, 10, 1.1e-6) << shift;
    }
}

TEST_F(PalsarTest, TakesMillisecondsWhereThereIsNothingFiner) {
    std::vector<Line> lines;
    for (int i = 0; i < 12; ++i) lines.push_back({.number = 2 * i, .near_m = 850000, .prf = 1000, .fine_shift = -1});
    write_set(lines);
    const Acquisition a = header("IMG-HH-SCENE");
    EXPECT_EQ(a.lines, 12);
    EXPECT_NEAR(a.first_pulse_time_s, 10, 5e-4);
}

/// At 2 kHz one or two lines have the same time; where more are missing than that, times tell.
TEST_F(PalsarTest, CountsLinesThatMillisecondsDoNotTellApart) {
    std::vector<Line> lines;
    for (int i = 0; i < 60; ++i) lines.push_back({.number = i < 40 ? i : i + 20, .fine_shift = -1});
    write_set(lines);
    const Acquisition a = header("IMG-HH-SCENE");
    EXPECT_EQ(a.lines, 60);
    ASSERT_EQ(a.pulse_times_s.size(), 60u);
    EXPECT_NEAR((a.pulse_times_s[39] - a.pulse_times_s[0]) * prf_hz, 39, 0.5);
    EXPECT_NEAR((a.pulse_times_s[59] - a.pulse_times_s[0]) * prf_hz, 79, 2.5);
}

TEST_F(PalsarTest, TakesThePrfOfLinesWherePulsesOfBothPolarizationsAlternate) {
    std::vector<Line> lines;
    for (int i = 0; i < 20; ++i) lines.push_back({.number = 2 * i});
    write_set(lines);
    const Acquisition a = header("IMG-HH-SCENE");
    EXPECT_FALSE(a.uneven());
    EXPECT_NEAR(a.prf_hz, 0.5 * prf_hz, 0.1);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(PalsarTest, ShiftsLinesWhoseNearRangeChanges) {
    const int step_m = static_cast<int>(std::lround(2 * speed_of_light_m_s / (2 * rate_hz)));  // two samples
    write_set({{0, 850000 + step_m}, {1, 850000}, {2, 850000 + step_m}});
    const Acquisition a = header("IMG-HH-SCENE");
    EXPECT_EQ(a.samples, samples + 2);
    EXPECT_EQ(a.near_range_m, 850000);
    EXPECT_NEAR(a.first_pulse_time_s, 10, 2e-6) << "by the near range of each line";
    EXPECT_EQ(a.decoding.valid_samples, (std::vector<Interval>{{2, 9}, {0, 7}, {2, 9}}));
    const auto values = read("IMG-HH-SCENE");
    EXPECT_EQ(values[1], 0.0f);
    EXPECT_EQ(values[2], std::complex<float>(-15.5f, 4));
    EXPECT_EQ(values[samples + 2], std::complex<float>(10 - 15.5f, 4));
}

/// Whatever a byte says: a file is read, or refused by name.
TEST_F(PalsarTest, TakesDamageOrRefusesIt) {
    const std::string whole = image({{0}, {1}, {3}, {4}}), led = leader();
    std::minstd_rand random(5);
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string changed = i % 2 == 0 ? whole : led;
        for (int k = 0; k <= i % 3; ++k)
            changed[random() % (i % 2 == 0 ? changed.size() : 6000)] =
                static_cast<char>(i % 5 == 0 ? '9' : random() & 0xff);
        if (i % 7 == 0) changed.resize(random() % changed.size());
        write("IMG-HH-SCENE", i % 2 == 0 ? changed : whole);
        write("LED-SCENE", i % 2 == 0 ? led : changed);
        try {
            const auto echo = open_palsar(path("IMG-HH-SCENE"), {}, warnings);
            ASSERT_LT(echo->acquisition().samples, 2000000);
            ASSERT_LE(echo->acquisition().chirp.replica.size(), 1000000u);
            std::vector<std::complex<float>> line(static_cast<std::size_t>(echo->acquisition().samples));
            echo->read(1, 1, std::as_writable_bytes(std::span(line)));
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 500);
    EXPECT_LT(refused, 2500);
}

TEST_F(PalsarTest, RefusesWhatIsNone) {
    write_set({{0}, {1}});
    std::filesystem::remove(path("LED-SCENE"));
    expect_refused([&] { header("IMG-HH-SCENE"); }, {"no leader LED-"});
    write("LED-SCENE", leader().substr(0, 720));
    expect_refused([&] { header("IMG-HH-SCENE"); }, {"LED-SCENE", "data set summary"});
    write("LED-SCENE", leader().substr(0, 5000));
    expect_refused([&] { header("IMG-HH-SCENE"); }, {"LED-SCENE", "record at byte 4816", "4680 bytes"});
    write_set({{0}, {1, 850000, 1999}});
    expect_refused([&] { header("IMG-HH-SCENE"); }, {"PRF changes from 2000.000 to 1999.000"});
    write_set({{0}, {1}});
    std::string cut = image({{0}, {1}});
    cut.resize(cut.size() - 5);
    write("IMG-HH-SCENE", cut);
    expect_refused([&] { header("IMG-HH-SCENE"); }, {"IMG-HH-SCENE", "record at byte 1150"});
    std::string wrong = image({{0}, {1}});
    wrong.replace(248, 8, "   seven");
    write("IMG-HH-SCENE", wrong);
    expect_refused([&] { header("IMG-HH-SCENE"); }, {"bytes 249 to 256", "'seven'", "samples of a line"});
    std::string processed = image({{0}, {1}});
    processed.replace(216, 4, "  32");
    write("IMG-HH-SCENE", processed);
    expect_refused([&] { header("IMG-HH-SCENE"); }, {"32 bits a number", "raw echo (level 1.0)"});
    std::string of_another = leader();
    of_another.replace(720 + 396, 5, "ALOS2");
    write_set({{0}, {1}});
    write("LED-SCENE", of_another);
    expect_refused([&] { header("IMG-HH-SCENE"); }, {"LED-SCENE", "is of ALOS2"});
    std::filesystem::create_directory(path("ers"));
    write("ers/DAT_01.001", image({{0}, {1}}));
    for (const char* name : {"ers", "ers/DAT_01.001"})
        expect_refused([&] { header(name); }, {"DAT_01.001", "not named as ALOS PALSAR's", "ERS"});
    write_set({{0}, {1}});
    write("IMG-HV-OTHER", image({{0}, {1}}));
    expect_refused([&] { header(""); }, {"several scenes"});
    expect_refused([&] { read_raw_header(path("IMG-HH-SCENE"), {.frequency = {}, .polarization = "VV"}, warnings); },
                   {"no polarization VV", "HH"});
}

}  // namespace
}  // namespace cornerturn
