// SPDX-License-Identifier: Apache-2.0
// Sentinel-1 Level-0: packets made here, with what goes wrong in some; a real packet, where it is there.
#include <filesystem>
#include <functional>
#include <random>

#include "pipeline/acquisition/geometry.h"
#include "tests/data/sentinel1_packets.h"
#include "tests/support/sentinel1_slice.h"

namespace cornerturn {
namespace {

TEST_F(Sentinel1Test, TellsAllOfTheEcho) {
    write("a.dat", calibration() + pulses(200));
    EXPECT_EQ(raw_format(path("a.dat")), "Sentinel-1 Level-0");
    EXPECT_EQ(list_raw(path("a.dat")).frequencies.at(0).polarizations, std::vector<std::string>{"VV"});
    const Acquisition a = header("a.dat");
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    EXPECT_EQ(a.lines, 200);
    EXPECT_EQ(a.samples, 2 * quads);
    EXPECT_EQ(a.polarization, "VV");
    EXPECT_EQ(a.epoch, "2025-12-16T23:59:42") << "the GPS day in UTC";
    EXPECT_EQ(a.product_epoch, (ProductEpoch{"1980-01-05T23:59:42", day_s}));
    EXPECT_DOUBLE_EQ(a.prf_hz, reference_hz / pri_code);
    EXPECT_NEAR(a.first_pulse_time_s, first_s - day_s + 1.439e-6 - rank * pri_code / reference_hz, 1.5e-6)
        << "stamps are cut to 15 us, all of them together are not";
    EXPECT_DOUBLE_EQ(a.sample_rate_hz(), rate_hz());
    EXPECT_DOUBLE_EQ(a.carrier_hz, 5.405e9);
    EXPECT_DOUBLE_EQ(a.chirp.slope_hz_s, chirp_rate_hz_s());
    EXPECT_EQ(a.chirp.replica.size(), 235u);
    const double delay_s = 433e-9, start_s = (rank * pri_code + start_code + 40) / reference_hz;
    EXPECT_NEAR(a.near_range_m, 0.5 * speed_of_light_m_s * (start_s - delay_s), 0.05)
        << "transmitter and receiver less what both share";
    ASSERT_TRUE(a.orbit);
    ASSERT_EQ(a.orbit->time_s.size(), 3u);
    EXPECT_NEAR(a.orbit->time_s[1], first_s - day_s + 64 * pri_code / reference_hz, 1e-6);
    EXPECT_EQ(a.orbit->position_m[2], (Vec3{x_m(2), x_m(2) + 1, x_m(2) + 2}));
    EXPECT_EQ(a.orbit->velocity_m_s[0], (Vec3{1000, 1001, 1002}));
    const auto echo = open_raw(path("a.dat"), {}, warnings);
    EXPECT_EQ(line(*echo, 123)[10], std::complex<float>(123, 3));
}

TEST_F(Sentinel1Test, LostAndDamagedPacketsAreMissingLines) {
    std::string file;
    std::size_t of_damaged = 0;
    for (const std::uint32_t pulse : {0, 1, 2, 3, 3, 5, 6, 9}) {
        if (pulse == 5) of_damaged = file.size();
        file += packet({.pulse = pulse});
    }
    file[of_damaged + 13] ^= 1;  // its sync marker
    file += "some rubbish" + packet({.pulse = 10}) + packet({.pulse = 11}).substr(0, 300);
    write("a.dat", file);
    const Acquisition a = header("a.dat");
    EXPECT_EQ(a.lines, 7);  // 0 1 2 3 6 and 10; 9 runs into the rubbish
    std::vector<double> intervals;
    for (const double time_s : a.pulse_times_s)
        intervals.push_back(std::round((time_s - a.first_pulse_time_s) * a.prf_hz));
    EXPECT_EQ(intervals, (std::vector<double>{0, 1, 2, 3, 6, 9, 10}));
    expect_in(told(), {"4 of 11 pulses have no echo", "1 echoes that repeat", "damaged at 2 places",
                       "ends within a packet", "no calibration packets", "no two state vectors"});
}

TEST_F(Sentinel1Test, PacketsThatComeTwiceTellTheSameOrbit) {
    const std::string once = Sentinel1Slice{.swaths = {2}, .samples = 220}.file();
    std::string twice;
    for (std::size_t at = 0; at + 6 <= once.size();) {
        const auto byte = [&](std::size_t number) { return static_cast<unsigned char>(once[at + number]); };
        const std::size_t size = static_cast<std::size_t>(byte(4) << 8 | byte(5)) + 7;
        twice += once.substr(at, size) + once.substr(at, size);
        at += size;
    }
    write("once.dat", once), write("twice.dat", twice);
    const Acquisition expected = header("once.dat"), got = header("twice.dat");
    ASSERT_TRUE(expected.orbit && got.orbit);
    EXPECT_EQ(got.orbit->time_s, expected.orbit->time_s);
    EXPECT_EQ(got.orbit->position_m, expected.orbit->position_m);
    EXPECT_EQ(got.lines, expected.lines);
}

TEST_F(Sentinel1Test, PacketsInAnotherOrderTellTheSame) {
    const std::string file = calibration() + pulses(200);
    write("a.dat", file);
    const std::size_t bytes = packet({}).size(), begin = calibration().size();
    std::string turned = calibration();
    for (std::size_t at = file.size(); at > begin; at -= bytes) turned += file.substr(at - bytes, bytes);
    write("b.dat", turned);
    const Acquisition expected = header("a.dat"), got = header("b.dat");
    ASSERT_TRUE(expected.orbit && got.orbit);
    EXPECT_EQ(got.orbit->position_m, expected.orbit->position_m);
    EXPECT_EQ(got.lines, expected.lines);
    EXPECT_DOUBLE_EQ(got.first_pulse_time_s, expected.first_pulse_time_s);
}

TEST_F(Sentinel1Test, WindowsMayMoveByWholeSamples) {
    std::string file;
    for (const std::uint32_t pulse : {0, 1, 2})
        file += packet({.pulse = pulse, .window_start = pulse == 1 ? start_code + 8 : start_code});
    write("a.dat", file);
    const Acquisition a = header("a.dat");
    EXPECT_EQ(a.samples, 2 * quads + 10);
    EXPECT_EQ(a.decoding.valid_samples, (std::vector<Interval>{{0, 240}, {10, 250}, {0, 240}}));
    const auto echo = open_raw(path("a.dat"), {}, warnings);
    const auto moved = line(*echo, 1);
    EXPECT_EQ(moved[9], 0.0f);
    EXPECT_EQ(moved[13], std::complex<float>(1, 3));
}

TEST_F(Sentinel1Test, WindowsThatMoveByPartsOfASampleAreInterpolated) {
    write("a.dat", packet({}) + packet({.pulse = 1, .window_start = start_code + 1}));
    const Acquisition a = header("a.dat");
    EXPECT_EQ(a.samples, 2 * quads + 1);
    EXPECT_EQ(a.decoding.valid_samples, (std::vector<Interval>{{0, 240}, {2, 241}}));
    expect_in(told(), "the windows of 1 of 2 pulses begin between samples");
}

TEST_F(Sentinel1Test, FindsThePolarizationInASafeFolder) {
    std::filesystem::create_directory(path("S1A.SAFE"));
    write("S1A.SAFE/s1a-s6-raw-s-vv-1.dat", pulses(3));
    std::string crossed;
    for (std::uint32_t pulse = 0; pulse < 5; ++pulse)
        crossed += packet({.pulse = pulse, .polarization = 7, .receiver = 1});
    write("S1A.SAFE/s1a-s6-raw-s-vh-1.dat", crossed);
    write("S1A.SAFE/s1a-s6-raw-s-vv-1-annot.dat", "annotation");
    EXPECT_EQ(list_raw(path("S1A.SAFE")).frequencies.at(0).polarizations, (std::vector<std::string>{"VV", "VH"}));
    const Acquisition first = read_raw_header(path("S1A.SAFE"), {}, warnings);
    EXPECT_EQ(first.polarization, "VV");
    EXPECT_TRUE(first.steered_to_zero_doppler);
    EXPECT_EQ(std::count(warnings.begin(), warnings.end(),
                         path("S1A.SAFE") + ": holds several polarizations; VV is taken (--polarization chooses)"),
              1);
    EXPECT_EQ(read_raw_header(path("S1A.SAFE"), {.frequency = {}, .polarization = "vv"}, warnings).lines, 3);
    EXPECT_EQ(read_raw_header(path("S1A.SAFE"), {.frequency = {}, .polarization = "VH"}, warnings).lines, 5);
    expect_refused([&] { read_raw_header(path("S1A.SAFE"), {.frequency = {}, .polarization = "HH"}, warnings); },
                   {"no polarization HH", "VV, VH"});
}

/// Whatever a byte says: a file is read, its damage told, or refused by name.
TEST_F(Sentinel1Test, TakesDamageOrRefusesIt) {
    std::minstd_rand random(5);
    const std::string whole = packet({.signal = 8, .swath = 56, .delay_s = 4e-7}) + pulses(30);
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
        std::string changed = whole;
        for (int k = 0; k <= i % 3; ++k)  // headers, mostly
            changed[random() % 31 * (whole.size() / 31) + random() % (i % 4 == 0 ? 600 : 68)] =
                static_cast<char>(random() & 0xff);
        if (i % 7 == 0) changed.resize(random() % changed.size());
        write("a.dat", changed);
        try {
            const auto echo = open_sentinel1(path("a.dat"), {}, warnings);
            ASSERT_LT(echo->acquisition().samples, 2000000);
            line(*echo, echo->acquisition().lines - 1);
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 100);
    EXPECT_LT(refused, 1200);
}

TEST_F(Sentinel1Test, FewFalseWindowsAreLeftOut) {
    std::string file;
    for (std::uint32_t pulse = 0; pulse < 40; ++pulse)
        file += packet({.pulse = pulse, .window_start = pulse == 17 ? start_code + 800 : start_code});
    write("a.dat", file);
    const Acquisition a = header("a.dat");
    EXPECT_EQ(a.lines, 39);
    EXPECT_EQ(a.samples, 2 * quads);
    EXPECT_TRUE(a.decoding.valid_samples.empty());
}

TEST_F(Sentinel1Test, LinesOfDamagedSamplesCountAsMissing) {
    std::string file;
    for (std::uint32_t pulse = 0; pulse < 40; ++pulse) {
        std::string whole = packet({.pulse = pulse});
        if (pulse == 17) {  // whose packet ends too early
            whole.resize(whole.size() - 100);
            whole[4] = static_cast<char>((whole.size() - 7) >> 8),
            whole[5] = static_cast<char>((whole.size() - 7) & 0xff);
        }
        file += whole;
    }
    write("a.dat", file);
    std::string remarks;
    {
        const auto echo =
            open_raw(path("a.dat"), {.tell = [&](const std::string& remark) { remarks += remark; }}, warnings);
        EXPECT_EQ(line(*echo, 17), std::vector<std::complex<float>>(2 * quads));
        EXPECT_EQ(line(*echo, 17), line(*echo, 17)) << "counted once";
        EXPECT_EQ(line(*echo, 18)[10].real(), 18);
        EXPECT_EQ(remarks, "");
    }
    expect_in(remarks, "the samples of 1 of 40 pulses are damaged (the first is pulse 17)");
    const auto strict = open_raw(path("a.dat"), {}, warnings);
    expect_refused([&] { line(*strict, 17); }, {"a.dat", "the samples of pulse 17", "are damaged"});
}

TEST_F(Sentinel1Test, APulseSweepsOverSomethingThatItsSamplesHold) {
    std::string file = packet({}) + packet({.pulse = 1});
    const std::size_t bytes = file.size() / 2;
    for (const std::size_t first : {std::size_t{0}, bytes}) file[first + 6 + 36] = file[first + 6 + 37] = 0;
    write("a.dat", file);
    expect_refused([&] { header("a.dat"); }, {"a.dat", "sweeps over 0 MHz"});
}

/// Packets round them to 0.5 mm/s.
TEST_F(Sentinel1Test, PositionsTellTheVelocitiesBetter) {
    write("a.dat", Sentinel1Slice{.cycles = 5, .swaths = {1, 2, 3}, .samples = 220}.file());
    const Acquisition a = header("a.dat");
    ASSERT_TRUE(a.orbit);
    const double begin_s = std::fmod(Sentinel1Slice::first_gps_s, 86400.0);
    constexpr std::size_t beyond = 5;  // and more are extrapolated at each end
    for (std::size_t i = beyond; i + beyond < a.orbit->time_s.size(); ++i) {
        const Vec3 exact_m_s = Sentinel1Slice::antenna(a.orbit->time_s[i] - begin_s).velocity_m_s;
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(a.orbit->velocity_m_s[i][axis], exact_m_s[axis], 1e-5) << i;
    }
    EXPECT_GT(a.orbit->time_s.size(), 3 * beyond);
}

TEST_F(Sentinel1Test, RefusesWhatIsNoEcho) {
    write("a.dat", packet({.swath = 7}) + packet({.pulse = 1, .swath = 9}));
    expect_refused([&] { header("a.dat"); }, {"echoes of the swaths 7, 9"});
    write("a.dat", packet({.swath = 10}) + packet({.pulse = 1, .swath = 11}));
    expect_refused([&] { header("a.dat"); }, {"no two echoes that belong together"});
    write("a.dat", packet({.signal = 1}));
    expect_refused([&] { header("a.dat"); }, {"no echoes"});
    write("a.dat", packet({}));
    expect_refused([&] { header("a.dat"); }, {"1 echoes"});
    write("a.dat", packet({}) + packet({.pulse = 1, .decimation = 8}));
    expect_refused([&] { header("a.dat"); }, {"pulse, interval, window or samples of 1 of 2"});
    write("a.dat", packet({.decimation = 2}) + packet({.pulse = 1, .decimation = 2}));
    expect_refused([&] { header("a.dat"); }, {"decimation 2"});
    write("a.dat", packet({}) + packet({.pulse = 20000000u}));  // within the hour of a data take
    expect_refused([&] { header("a.dat"); }, {"1 echoes"});
}

class Sentinel1BurstsTest : public Sentinel1Test {
protected:
    /// Three cycles of two swaths (IW1 and IW2) with their own pulses counted on, 40 echoes each, but for some that are
    /// lost.
    static std::string bursts(unsigned one = 10, unsigned other = 11,
                              const std::function<std::string(const MadePacket&)>& made = packet) {
        constexpr std::uint32_t cycle = 4551, echoes = 40;
        std::string file;
        for (std::uint32_t n = 0; n < 3; ++n)
            for (const unsigned swath : {one, other})
                for (std::uint32_t i = 0; i < echoes; ++i) {
                    const bool lost = (n == 1 && i < 5) || (n == 2 && swath == other && i > 30);
                    if (!lost) file += made({.pulse = n * cycle + (swath == other ? 1500 : 0) + i, .swath = swath});
                }
        return file;
    }
};

TEST_F(Sentinel1BurstsTest, BurstsAreEchoesOfTheirOwn) {
    write("a.dat", bursts());
    const RawContents contents = list_raw(path("a.dat"));
    ASSERT_EQ(contents.swaths.size(), 2u);
    EXPECT_EQ(contents.swaths[1].name, "IW2");
    EXPECT_EQ(contents.swaths[1].bursts, 3);
    const Acquisition whole = header("a.dat"),
                      cut = read_raw_header(path("a.dat"), {.swath = "iw1", .burst = 1}, warnings);
    ASSERT_TRUE(whole.burst && cut.burst);
    EXPECT_EQ(whole.lines, 40);
    EXPECT_EQ(cut.lines, 35);
    EXPECT_EQ(cut.burst->swath, "IW1");
    EXPECT_EQ(cut.burst->number, 1);
    EXPECT_NEAR(whole.burst->broadside_time_s,
                whole.first_pulse_time_s + 0.5 * (39 / whole.prf_hz + 2 / speed_of_light_m_s * whole.near_range_m),
                1e-5);
    EXPECT_NEAR(cut.burst->broadside_time_s - whole.burst->broadside_time_s, 4551 / whole.prf_hz, 1e-5)
        << "echoes that are lost at its beginning do not move the beam";
    EXPECT_GT(*whole.azimuth_bandwidth_hz, 150);
    EXPECT_LT(*whole.azimuth_bandwidth_hz, 400);
    expect_refused([&] { read_raw_header(path("a.dat"), {.swath = "IW3"}, warnings); }, {"no swath IW3", "IW1, IW2"});
    expect_refused([&] { read_raw_header(path("a.dat"), {.swath = "IW2", .burst = 3}, warnings); },
                   {"no burst 3 of IW2", "0 to 2"});
}

TEST_F(Sentinel1BurstsTest, BurstsOfEwAreSteeredAtRatesOfTheirOwn) {
    write("a.dat", bursts(13, 17));
    const RawContents contents = list_raw(path("a.dat"));
    ASSERT_EQ(contents.swaths.size(), 2u);
    EXPECT_EQ(contents.swaths[0].name, "EW1");
    EXPECT_EQ(contents.swaths[1].name, "EW5");
    EXPECT_EQ(contents.swaths[1].bursts, 3);
    constexpr double degree = std::numbers::pi / 180;
    for (const auto& [swath, rate_deg_s] : {std::pair{"EW1", 2.390895448}, {"EW5", 2.122855427}}) {
        const Acquisition a = read_raw_header(path("a.dat"), {.swath = swath, .burst = 0}, warnings);
        ASSERT_TRUE(a.burst) << swath;
        EXPECT_EQ(a.burst->swath, swath);
        EXPECT_NEAR(a.burst->steering_rad_s, rate_deg_s * degree, 1e-9) << swath;
        EXPECT_NEAR(a.burst->row_spacing_s, 2.919194958e-3, 1e-12) << swath;
    }
}

/// What the satellite looks at through WV1 and WV2 in turn are short strips, whose beam is not steered.
TEST_F(Sentinel1BurstsTest, VignettesAreStripsOfTheirOwn) {
    write("a.dat", bursts(18, 19));
    const RawContents contents = list_raw(path("a.dat"));
    ASSERT_EQ(contents.swaths.size(), 2u);
    EXPECT_EQ(contents.swaths[0].name, "WV1");
    EXPECT_EQ(contents.swaths[1].name, "WV2");
    EXPECT_EQ(contents.swaths[1].bursts, 3);
    const Acquisition first = header("a.dat"),
                      second = read_raw_header(path("a.dat"), {.swath = "wv2", .burst = 0}, warnings);
    EXPECT_FALSE(first.burst || second.burst);
    EXPECT_EQ(first.lines, 40);
    EXPECT_NEAR(second.first_pulse_time_s - first.first_pulse_time_s, 1500 / first.prf_hz, 1e-5);
    expect_refused([&] { read_raw_header(path("a.dat"), {.swath = "WV1", .burst = 3}, warnings); },
                   {"no burst 3 of WV1", "0 to 2"});
}

TEST_F(Sentinel1BurstsTest, FalseHeadersDoNotSpoilTheRest) {
    int count = 0;
    write("a.dat", bursts(10, 11, [&](MadePacket made) {
              if (++count == 20) made.pulse += 1000000;  // its stamp, too
              std::string bytes = packet(made);
              if (count == 60) bytes[6 + 44] ^= 1;  // interval between pulses
              return bytes;
          }));
    const Acquisition first = header("a.dat");
    EXPECT_EQ(first.lines, 39);
    expect_in(told(), "headers contradict");
    EXPECT_EQ(list_raw(path("a.dat")).swaths.at(0).bursts, 3);
}

}  // namespace
}  // namespace cornerturn
