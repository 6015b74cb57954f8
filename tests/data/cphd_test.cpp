// SPDX-License-Identifier: Apache-2.0
// CPHD: files made here in all domains and types, with what deliveries get wrong; lines against the closed form, images
// against what was put in.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <complex>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>

#include "data/cphd/reader.h"
#include "data/nisar/l0b_writer.h"
#include "data/raw_file.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/focus.h"
#include "tests/data/product_fixture.h"
#include "tests/support/cphd_scene.h"

namespace cornerturn {
namespace {

std::complex<double> turned(double cycles) {
    return std::polar(1.0, 2 * std::numbers::pi * (cycles - std::round(cycles)));
}

class CphdTest : public ProductTest {
protected:
    std::string write(const std::string& bytes) const {
        std::ofstream(path("a.cphd"), std::ios::binary) << bytes;
        return path("a.cphd");
    }
    std::unique_ptr<EchoSource> opened(const CphdScene& scene, const FrameSelection& selection = {}) {
        warnings.clear();
        return open_raw(write(scene.file()), selection, warnings);
    }
    bool told(const std::string& words) const {
        return std::any_of(warnings.begin(), warnings.end(),
                           [&](const std::string& w) { return w.find(words) != std::string::npos; });
    }
    static std::vector<std::complex<float>> line_of(EchoSource& echo, std::int64_t line) {
        std::vector<std::complex<float>> values(static_cast<std::size_t>(echo.acquisition().samples));
        echo.read(line, 1, std::as_writable_bytes(std::span(values)));
        return values;
    }
    /// The pixel that shows a target on the scene's plane: amplitude and phase there.
    static std::complex<float> shown_at(EchoSource& echo, FocusOptions options, const CphdScene::Target& target) {
        options.algorithm = "backprojection";
        options.height_m = target.z_m;
        options.map = MapRequest{.projection = MapProjection::plane_of_scene(),
                                 .spacing_m = 0,
                                 .grid = MapGrid{.projection = MapProjection::plane_of_scene(),
                                                 .rows = 33,
                                                 .columns = 33,
                                                 .first_x = target.x_m - 16,
                                                 .x_step = 1,
                                                 .first_y = target.y_m + 16,
                                                 .y_step = -1}};
        const auto device = open_device("cpu");
        EchoSource* const source = &echo;
        ImageInMemory sink;
        focus_frames(*device, std::span(&source, 1), options, sink);
        return sink.image.samples[16 * 33 + 16];
    }

    std::vector<std::string> warnings;
};

/// With the sign +1 samples are the conjugates of those with -1, of the target's own phase, too.
std::complex<double> amplitude_of(const CphdScene& scene, const CphdScene::Target& target) {
    return scene.sign > 0 ? std::conj(target.amplitude) : target.amplitude;
}

/// Of one target: the mean over the band of exp(j 2 pi (f - f_0)(t - tau)), with the phase -2 pi f_0 tau.
void expect_line(const CphdScene& scene, EchoSource& echo, int pulse, std::int64_t line, double tolerance) {
    const Acquisition& a = echo.acquisition();
    const auto at = static_cast<std::size_t>(line);
    const Vec3 place_m = CphdScene::place_m(scene.targets.front());
    const Vec3 antenna_m = 0.5 * (scene.antenna_m(scene.time_s(pulse)) + scene.receiver_m(pulse));
    const double air_s = scene.air_in_samples ? scene.air_delay_s : 0,
                 delay_s =
                     2 / c_m_s * norm(antenna_m - scene.reference_m(pulse)) + scene.arrival_s(pulse, place_m) - air_s;
    const double length = a.sample_rate_hz() / scene.step_hz(), per_bin = 1 / length;
    const std::vector<std::complex<float>> values = [&] {
        std::vector<std::complex<float>> read(static_cast<std::size_t>(a.samples));
        echo.read(line, 1, std::as_writable_bytes(std::span(read)));
        return read;
    }();
    double most = 0, peak = 0;
    for (std::int64_t k = 0; k < a.samples; ++k) {
        const double t = 2 / c_m_s * a.range_m(static_cast<double>(k)) + a.phase_history->opens_s[at] - delay_s;
        if (std::abs(t) > 0.45 * scene.window_s()) continue;
        std::complex<double> sum = 0;
        for (int bin = 0; bin < scene.samples; ++bin)
            sum += turned((scene.first_hz(pulse) + bin * scene.step_hz() - a.carrier_hz) * t);
        const std::complex<double> expected =
            amplitude_of(scene, scene.targets.front()) * per_bin * sum * turned(-a.carrier_hz * delay_s);
        most = std::max(most, std::abs(expected - std::complex<double>(values[static_cast<std::size_t>(k)])));
        peak = std::max(peak, std::abs(expected));
    }
    EXPECT_LT(most, tolerance * peak) << "pulse " << pulse;
}

TEST_F(CphdTest, LinesOfAllTypesAndSignsAreThoseOfTheirTargets) {
    for (const bool over_arrival_time : {false, true})
        for (const char* type : {"CF8", "CI4", "CI2"})
            for (const int sign : {-1, 1}) {
                SCOPED_TRACE(fmt::format("{} {} {:+d}", over_arrival_time ? "TOA" : "FX", type, sign));
                CphdScene scene{
                    .over_arrival_time = over_arrival_time, .sample_type = type, .sign = sign, .told_sign = sign};
                scene.targets = {{.x_m = 11, .y_m = -7, .z_m = 3, .amplitude = std::polar(0.9, 0.6)}};
                const auto echo = opened(scene);
                ASSERT_TRUE(echo->acquisition().phase_history);
                // Counts are rounded, and windows over TOA are cut where sidelobes are 3 % high.
                const double tolerance = (over_arrival_time ? 0.04 : 2e-4) + (type == std::string("CI2") ? 0.01 : 1e-3);
                for (const int pulse : {0, 50, 127}) expect_line(scene, *echo, pulse, pulse, tolerance);
            }
}

TEST_F(CphdTest, AxesOfALevelSurfaceAreToldInDegrees) {
    CphdScene scene;
    scene.targets = {{}};
    scene.edit = [](std::string& xml) {
        const auto from = xml.find("<Planar>"), to = xml.find("</Planar>") + 9;
        xml.replace(from, to - from,  // north and west, at a place on the equator
                    "<HAE><uIAXLL><Lat>9.04369e-06</Lat><Lon>0</Lon></uIAXLL><uIAYLL><Lat>0</Lat><Lon>-8.98315e-06"
                    "</Lon></uIAYLL></HAE>");
    };
    const ScenePlane plane = opened(scene)->acquisition().scene->plane;
    EXPECT_LT(norm(plane.x_axis - Vec3{0, 0, 1}), 1e-5);
    EXPECT_LT(norm(plane.y_axis - Vec3{0, -1, 0}), 1e-5);
}

TEST_F(CphdTest, TellsGeometryTimesAndScene) {
    CphdScene scene;
    scene.targets = {{}};
    const auto echo = opened(scene);
    const Acquisition& a = echo->acquisition();
    EXPECT_EQ(raw_format(path("a.cphd")), "CPHD");
    EXPECT_EQ(a.lines, scene.pulses);
    EXPECT_EQ(a.polarization, "VV");
    EXPECT_EQ(a.epoch, "2026-05-06T07:08:09");
    EXPECT_NEAR(a.first_pulse_time_s, 0.25, 1e-7) << "the fraction of the collection's start";
    EXPECT_NEAR(a.prf_hz, 1 / scene.interval_s, 1e-3);
    EXPECT_NEAR(a.carrier_hz, scene.carrier_hz, 1);
    EXPECT_NEAR(a.chirp.bandwidth_hz(), scene.bandwidth_hz, 1);
    EXPECT_EQ(a.identification.look_side, LookSide::right);
    EXPECT_EQ(a.identification.pass_direction, "ascending");
    ASSERT_TRUE(a.scene);
    EXPECT_EQ(a.scene->plane.y_axis, (Vec3{0, 0, 1}));
    EXPECT_EQ(a.scene->greatest_x_m, 40);
    EXPECT_NEAR(a.scene->height_m, 0, 1e-6);
    EXPECT_TRUE(warnings.empty());
    expect_refused([&] { write_l0b(path("raw.h5"), *echo); }, {"NISAR L0B", "compressed"});
}

TEST_F(CphdTest, MissingPulsesAreCountedAndShiftNothing) {
    CphdScene scene{.missing = {3, 60, 61, 62, 63, 64}};
    scene.targets = {{.x_m = -20, .y_m = 12, .z_m = 0, .amplitude = std::polar(1.5, -2.0)}};
    const auto echo = opened(scene);
    EXPECT_EQ(echo->acquisition().lines, 122);
    EXPECT_TRUE(told("6 of 128 pulses are missing"));
    EXPECT_NEAR(echo->acquisition().pulse_time_s(60) - echo->acquisition().pulse_time_s(0), 66 * scene.interval_s,
                1e-6);
    expect_line(scene, *echo, 127, 121, 2e-3);
    const std::complex<float> value = shown_at(*echo, {}, scene.targets.front());
    EXPECT_LT(std::abs(std::complex<double>(value) - scene.targets.front().amplitude), 0.01);
}

TEST_F(CphdTest, SpotlightsShowTargetsOnThePlaneAndAtTheirOwnHeight) {
    CphdScene scene{.reference_speed_m_s = 11, .band_step_hz = 2e4};
    scene.targets = {{.x_m = 20, .y_m = 30, .z_m = 0, .amplitude = std::polar(1.0, 1.1)},
                     {.x_m = -30, .y_m = -22, .z_m = 25, .amplitude = std::polar(0.7, -0.4)}};
    const auto echo = opened(scene);
    for (const CphdScene::Target& target : scene.targets) {
        const std::complex<double> value(shown_at(*echo, {}, target));
        EXPECT_NEAR(std::abs(value) / std::abs(target.amplitude), 1, 0.02);
        EXPECT_LT(std::abs(std::arg(value / target.amplitude)), 0.02) << "sidelobes of the other one";
    }
}

TEST_F(CphdTest, TakesTheSignThatFocuses) {
    CphdScene scene{.sign = -1, .told_sign = 1, .reference_speed_m_s = 200};
    scene.targets = {
        {.x_m = 20, .y_m = 10}, {.x_m = -15, .y_m = -25, .amplitude = std::polar(0.8, 2.0)}, {.x_m = 5, .y_m = 33}};
    for (const int sign : {-1, 1}) {
        scene.sign = sign, scene.told_sign = -sign;
        const auto echo = opened(scene);
        EXPECT_TRUE(told(fmt::format("SGN is {:+d}", -sign))) << sign;
        const std::complex<double> value(shown_at(*echo, {}, scene.targets[1]));
        EXPECT_LT(std::abs(value - amplitude_of(scene, scene.targets[1])), 0.05);
        scene.told_sign = sign;
        opened(scene);
        EXPECT_TRUE(warnings.empty()) << sign;
    }
}

TEST_F(CphdTest, ReadsAnImageAreaThatCountsPixels) {
    CphdScene scene;
    scene.targets = {{}};
    scene.image_area = "<X1Y1><X>0</X><Y>0</Y></X1Y1><X2Y2><X>79</X><Y>159</Y></X2Y2>";
    const auto echo = opened(scene);
    EXPECT_TRUE(told("it counts lines and samples"));
    EXPECT_EQ(echo->acquisition().scene->least_x_m, -40);
    EXPECT_EQ(echo->acquisition().scene->greatest_y_m, 40);
}

TEST_F(CphdTest, TakesTheDelayOfTheAirOffWhereItIsAsked) {
    CphdScene scene{.air_delay_s = 20e-9};
    scene.targets = {{.x_m = 12, .y_m = 5, .z_m = 0, .amplitude = std::polar(1.0, 0.3)}};
    opened(scene);
    EXPECT_TRUE(told("TDTropoSRP is 20 ns")) << "and what could be done";
    scene.air_in_samples = true;
    const auto echo = opened(scene, {.told_delay = ToldDelay::remove});
    EXPECT_TRUE(warnings.empty());
    expect_line(scene, *echo, 77, 77, 1e-3);
}

TEST_F(CphdTest, FindsByThePointsWhetherTheDelayOfTheAirIsInTheSamples) {
    CphdScene scene{.pulses = 400, .air_delay_s = 60e-9};
    scene.targets = {{.x_m = 20, .y_m = 10},
                     {.x_m = -31, .y_m = -25, .amplitude = std::polar(0.8, 2.0)},
                     {.x_m = 5, .y_m = 33, .amplitude = std::polar(1.2, -1.0)},
                     {.x_m = -6, .y_m = -18, .amplitude = std::polar(0.9, 0.4)}};
    const auto near_m = [&](ToldDelay told_delay) {
        return opened(scene, {.told_delay = told_delay})->acquisition().near_range_m;
    };
    const double kept_m = near_m(ToldDelay::keep), removed_m = near_m(ToldDelay::remove);
    EXPECT_NEAR(kept_m - removed_m, 0.5 * c_m_s * 60e-9, 1e-6);
    EXPECT_EQ(near_m(ToldDelay::automatic), kept_m);
    EXPECT_TRUE(told("it was taken out of them"));
    scene.air_in_samples = true;
    EXPECT_EQ(near_m(ToldDelay::automatic), removed_m);
    EXPECT_TRUE(told("8.99 m of range are taken off"));
    scene.targets.resize(2);
    EXPECT_EQ(near_m(ToldDelay::automatic), kept_m) << "two points are too few to tell";
    EXPECT_TRUE(told("give --troposphere remove"));
}

TEST_F(CphdTest, ChoosesChannelsByNameAndPolarization) {
    CphdScene scene{.pulses = 32};
    scene.channels = {
        {.name = "one"}, {.name = "two", .received = "H", .amplitude = 2}, {.name = "three", .amplitude = 3}};
    scene.targets = {{}};
    const auto brightest = [&](const FrameSelection& selection) {
        const auto echo = opened(scene, selection);
        double most = 0;
        for (const auto value : line_of(*echo, 7)) most = std::max(most, static_cast<double>(std::abs(value)));
        return most;
    };
    const double one = brightest({});
    EXPECT_TRUE(told("one (VV), two (VH), three (VV); one (VV) is taken"));
    EXPECT_NEAR(brightest({.polarization = "vh"}), 2 * one, 1e-3 * one);
    EXPECT_NEAR(brightest({.channel = "three"}), 3 * one, 1e-3 * one);
    EXPECT_EQ(list_raw(path("a.cphd")).frequencies.at(0).polarizations, (std::vector<std::string>{"VV", "VH"}));
    expect_refused([&] { opened(scene, {.channel = "four"}); }, {"a.cphd", "four", "one (VV), two (VH), three (VV)"});
    expect_refused([&] { opened(scene, {.polarization = "HH"}); }, {"HH", "two (VH)"});
    expect_refused([&] { opened(scene, {.frequency = "B"}); }, {"frequency B"});
}

TEST_F(CphdTest, ReferencePointsThatGoAlongMakeAStrip) {
    CphdScene scene{.pulses = 256, .interval_s = 1 / 220.0, .speed_m_s = 120, .height_m = 4600, .ground_range_m = 6500};
    scene.receiver_stands = true, scene.reference_speed_m_s = 120, scene.beam_hz = 110;
    scene.targets = {{.x_m = 5, .y_m = 0, .z_m = 0, .amplitude = std::polar(1.0, 0.7)}};
    const auto echo = opened(scene);
    const Acquisition& a = echo->acquisition();
    ASSERT_FALSE(a.phase_history);
    EXPECT_FALSE(a.uneven());
    EXPECT_NEAR(a.doppler_centroid_hz.value(), 0, 1e-6);
    const Vec3 antenna_m = scene.antenna_m(scene.middle_s());
    const double closest_m = norm(CphdScene::place_m(scene.targets[0]) - antenna_m);
    const auto device = open_device("cpu");
    for (const char* algorithm : {"rda", "omegak", "backprojection"}) {
        FocusOptions options;
        options.algorithm = algorithm;
        EchoSource* const source = echo.get();
        ImageInMemory sink;
        focus_frames(*device, std::span(&source, 1), options, sink);
        const Image& image = sink.image;
        double most = 0, row = 0, column = 0;
        for (std::int64_t i = 0; i < image.grid.rows * image.grid.columns; ++i)
            if (const double power = std::norm(image.samples[static_cast<std::size_t>(i)]); power > most)
                most = power, row = static_cast<double>(i / image.grid.columns),
                column = static_cast<double>(i % image.grid.columns);
        EXPECT_LE(std::abs(image.grid.time_s(row) - 0.25 - scene.middle_s()), 0.51 * scene.interval_s) << algorithm;
        EXPECT_LE(std::abs(image.grid.range_m(column) - closest_m), 0.51 * image.grid.range_spacing_m) << algorithm;
    }
    FocusOptions options;
    options.algorithm = "csa";
    EXPECT_THROW(set_up_focus(*device, a, options), InputError);
}

TEST_F(CphdTest, PulsesThatCannotBeAreLeftOut) {
    CphdScene scene{.pulses = 40};
    scene.targets = {{}};
    const std::string whole = scene.file();
    const std::size_t pulses_at = block_of(whole, "PVP");
    const auto with = [&](int pulse, std::size_t field, double value) {
        std::string changed = whole;
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (std::size_t i = 0; i < 8; ++i)
            changed[pulses_at + static_cast<std::size_t>(pulse) * cphd_record_bytes + field + i] =
                static_cast<char>(bits >> (56 - 8 * i) & 0xff);
        return changed;
    };
    const auto lines = [&](const std::string& bytes) {
        warnings.clear();
        return read_raw_header(write(bytes), {}, warnings).lines;
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(lines(with(7, cphd_srp, nan)), 39);
    EXPECT_TRUE(told("1 of 40 pulses of channel first have parameters that cannot be"));
    EXPECT_EQ(lines(with(7, cphd_srp, 1e300)), 39);
    for (const double gain : {0.0, -1.0, 1e300, 1e9}) {
        EXPECT_EQ(lines(with(7, cphd_gain, gain)), 39) << gain;
        EXPECT_TRUE(told("1 of 40 pulses of channel first have parameters that cannot be"));
    }
    std::string in_the_earth = whole;
    for (int pulse = 0; pulse < 40; ++pulse)
        in_the_earth.replace(pulses_at + static_cast<std::size_t>(pulse) * cphd_record_bytes + cphd_srp, 24, 24, '\0');
    expect_refused([&] { lines(in_the_earth); }, {"has 0 pulses that can be used"});
    for (const double time_s : {0.0, 50.0}) {
        EXPECT_EQ(lines(with(7, cphd_tx_time, time_s)), 39) << time_s;
        EXPECT_TRUE(told("1 of 40 pulses of channel first have times (TxTime) that do not ascend"));
    }
    EXPECT_EQ(lines(with(7, cphd_signal, 0)), 39) << "SIGNAL 0";
    EXPECT_TRUE(told("have no signal"));
    EXPECT_EQ(lines(with(7, cphd_sc0, 5e9)), 39);
    EXPECT_TRUE(told("no samples between FX1 and FX2"));
}

TEST_F(CphdTest, PulsesInAnotherOrderAreReadInTheirs) {
    CphdScene scene{.pulses = 40};
    scene.targets = {{.x_m = 5, .y_m = -3}};
    const std::string whole = scene.file();
    std::string turned = whole;
    const auto turn = [&](const char* block, std::size_t bytes) {
        const std::size_t at = block_of(whole, block);
        for (std::size_t i = 0; i < 40; ++i) turned.replace(at + i * bytes, bytes, whole, at + (39 - i) * bytes, bytes);
    };
    turn("PVP", cphd_record_bytes), turn("SIGNAL", 96 * 8);
    const auto expected = open_raw(write(whole), {}, warnings);
    std::ofstream(path("b.cphd"), std::ios::binary) << turned;
    warnings.clear();
    const auto got = open_raw(path("b.cphd"), {}, warnings);
    EXPECT_FALSE(told("do not ascend"));
    ASSERT_EQ(got->acquisition().lines, 40);
    EXPECT_EQ(got->acquisition().first_pulse_time_s, expected->acquisition().first_pulse_time_s);
    EXPECT_EQ(line_of(*got, 11), line_of(*expected, 11));
}

TEST_F(CphdTest, LinesOfItsHeaderMayEndWithCarriageReturns) {
    CphdScene scene{.pulses = 16};
    scene.targets = {{}};
    std::string file = scene.file();
    const std::string released = "UNRESTRICTED\n";  // which makes room for them
    file.replace(file.find("CPHD/1.0.1\n"), 11, "CPHD/1.0.1\r\n");
    file.replace(file.find("\nPVP_BLOCK_SIZE"), 1, "\r\n");
    file.replace(file.find(released), released.size(), "UNRESTRICT\n");
    EXPECT_EQ(read_raw_header(write(file), {}, warnings).lines, 16);
}

TEST_F(CphdTest, NamesWhatIsWrong) {
    CphdScene scene{.pulses = 16};
    scene.targets = {{}};
    const std::string whole = scene.file();
    const auto refused = [&](const std::string& bytes, const std::vector<std::string>& words) {
        expect_refused([&] { read_raw_header(write(bytes), {}, warnings); }, words);
    };
    const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return text.replace(at, from.size(), to);
    };
    refused(whole.substr(0, whole.size() - 1), {"a.cphd", "SIGNAL block", "is it whole?"});
    refused(whole.substr(0, 100), {"header does not end"});
    refused(replaced(whole, "CPHD/1.0.1", "CPHD/0.3.0"), {"CPHD 0.3.0", "1.0 or 1.1"});
    refused(replaced(whole, "PVP_BLOCK_SIZE", "PVP_BLOCK_SIZ_"), {"no PVP_BLOCK_SIZE"});
    refused(replaced(whole, "XML_BLOCK_SIZE := ", "XML_BLOCK_SIZE := 9999999"), {"XML block"});
    refused(replaced(whole, "XML_BLOCK_SIZE := ", "XML_BLOCK_SIZE := x"), {"XML_BLOCK_SIZE is 'x"});
    const std::string signal_at = "SIGNAL_BLOCK_BYTE_OFFSET := " + std::to_string(block_of(whole, "SIGNAL"));
    refused(replaced(whole, signal_at, "SIGNAL_BLOCK_BYTE_OFFSET := 7"),
            {"SIGNAL block", "begins at byte 7", "within its header"});
    refused(replaced(whole, signal_at, fmt::format("SIGNAL_BLOCK_BYTE_OFFSET := {}", block_of(whole, "PVP") + 8)),
            {"SIGNAL block begins at byte", "within its PVP block"});
    const auto xml_refused = [&](const std::string& from, const std::string& to,
                                 const std::vector<std::string>& words) {
        CphdScene other = scene;
        other.edit = [&](std::string& xml) { xml = replaced(xml, from, to); };
        refused(other.file(), words);
    };
    xml_refused("</Global>", "</Globe>", {"not well-formed"});
    xml_refused("<SGN>-1</SGN>", "<SGN>0</SGN>", {"/CPHD/Global/SGN", "'0'", "+1 or -1"});
    xml_refused("<SGN>-1</SGN>", "", {"/CPHD/Global", "has no SGN"});
    xml_refused(">FX<", ">TIME<", {"DomainType", "TIME", "FX or TOA"});
    xml_refused(">CF8<", ">CF4<", {"SignalArrayFormat", "CF4"});
    xml_refused("<NumBytesPVP>240", "<NumBytesPVP>232", {"/CPHD/PVP/TxTime", "words 29 to 30"});
    xml_refused("<NumVectors>16", "<NumVectors>17", {"channel first", "17 pulses"});
    xml_refused("<NumSamples>96", "<NumSamples>97", {"channel first", "97 samples"});
    xml_refused("<NumSamples>96", "<NumSamples>many", {"/CPHD/Data/Channel/NumSamples", "many"});
    xml_refused("<SRPPos>", "<SRP>", {"not well-formed"});
    xml_refused("<RcvPos><Offset>11<", "<RcvPos><Offset>17<", {"channel first", "receiver", "bistatic"});
    xml_refused("<uIAX><X>0</X><Y>1</Y>", "<uIAX><X>0</X><Y>2</Y>", {"uIAX", "right angles"});
    xml_refused("2026-05-06T", "yesterday", {"CollectionStart", "yesterday"});
    xml_refused("<NumCPHDChannels>", "<SignalCompressionID>J2K</SignalCompressionID><NumCPHDChannels>",
                {"J2K", "compressed"});
    expect_refused(
        [&] {
            opened({.pulses = 4}, {.threads = 1})->acquisition();
            read_raw_header(write("CPHD/1.0.1\n\f\n"), {}, warnings);
        },
        {"no XML_BLOCK_BYTE_OFFSET"});
}

/// Bytes of header, XML and parameters, mostly: what is read tells its damage or is refused by name.
TEST_F(CphdTest, TakesDamageOrRefusesIt) {
    std::minstd_rand random(7);
    CphdScene scene{.pulses = 24, .samples = 40};
    scene.targets = {{}};
    const std::string whole = scene.file();
    scene.over_arrival_time = true;
    const std::string over_arrival_time = scene.file();
    const std::size_t pulses_at = block_of(whole, "PVP");
    int refused = 0;
    constexpr int files = 3000;
    for (int i = 0; i < files; ++i) {
        std::string changed = i % 2 == 0 ? whole : over_arrival_time;
        const auto [from, bytes] = i % 3 == 0   ? std::pair<std::size_t, std::size_t>{0, 400}
                                   : i % 3 == 1 ? std::pair<std::size_t, std::size_t>{512, pulses_at - 512}
                                                : std::pair{pulses_at, std::size_t{24} * cphd_record_bytes};
        for (int k = 0; k <= i % 4; ++k) {
            char& byte = changed[from + random() % bytes];
            byte = i % 5 < 2 ? static_cast<char>('0' + random() % 10) : static_cast<char>(random() & 0xff);
        }
        if (i % 11 == 0) changed.resize(random() % changed.size());
        try {
            warnings.clear();
            const auto echo = open_raw(write(changed), {}, warnings);
            ASSERT_LT(echo->acquisition().samples, 4000);
            line_of(*echo, echo->acquisition().lines - 1);
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
            ++refused;
        }
    }
    EXPECT_GT(refused, files / 10);
    EXPECT_LT(refused, files * 8 / 10);
}

}  // namespace
}  // namespace cornerturn
