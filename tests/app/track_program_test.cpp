// SPDX-License-Identifier: Apache-2.0
// Navigation files as users meet them: images by --track are those of the echo's own positions.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "data/raw_file.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "tests/app/image_program.h"
#include "tests/app/json_schema.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class TrackProgramTest : public ImageProgramTest {
protected:
    Acquisition recorded() const {
        std::vector<std::string> warnings;
        return read_raw_header(file("raw.h5"), {}, warnings);
    }
    /// One row for each step from so many seconds before the pulses until as many behind.
    void write_track(const std::string& name, const std::string& header, double step_s, double beyond_s,
                     const std::function<std::string(double time_s)>& row, double late_s = 0) const {
        const Acquisition echo = recorded();
        std::ofstream out(file(name));
        out << header << '\n';
        const double last_s = echo.pulse_time_s(static_cast<double>(echo.lines)) + beyond_s;
        for (double time_s = echo.pulse_time_s(0) - beyond_s; time_s <= last_s; time_s += step_s)
            out << fmt::format("{:.17g},{}\n", time_s + late_s, row(time_s));
    }
    static std::string numbers(const Vec3& v) { return fmt::format("{:.17g},{:.17g},{:.17g}", v[0], v[1], v[2]); }
    /// By the echo's own state vectors.
    void write_positions(const std::string& name, double step_s, double beyond_s) const {
        write_track(name, "time_s,x_m,y_m,z_m", step_s, beyond_s, [orbit = *recorded().orbit](double time_s) {
            return numbers(interpolate(orbit, time_s).position_m);
        });
    }
    void focus(const std::string& output, const Words& options) {
        Words words{"focus", file("raw.h5"), "-o", file(output), "-q", "--device", "cpu"};
        words.insert(words.end(), options.begin(), options.end());
        succeed(words);
    }
    double signal_to_error_db(const std::string& image) {
        const nlohmann::json report = json_of({"compare", file("slc.h5"), file(image), "--json", "-q"});
        const auto& db = report["signal_to_error_db"];
        return db.is_null() ? INFINITY : db.get<double>();
    }
};

/// A nanometre of C band is -110 dB.
TEST_F(TrackProgramTest, GivesTheSameImageByPositionsDenserOrSparserThanPulses) {
    make_image();
    write_positions("sparse.csv", 5, 30);
    write_positions("dense.csv", 1e-4, 0.2);
    write_track("degrees.csv", "time_s,height_m,latitude_deg,longitude_deg", 0.01, 1,
                [orbit = *recorded().orbit](double time_s) {
                    const Geographic place = geographic(interpolate(orbit, time_s).position_m);
                    return numbers({place.height_m, place.latitude_deg, place.longitude_deg});
                });
    for (const char* track : {"sparse.csv", "dense.csv", "degrees.csv"}) {
        SCOPED_TRACE(track);
        focus("by_track.h5", {"--track", file(track), "--json", file("report.json")});
        EXPECT_GT(signal_to_error_db("by_track.h5"), 90);
        const auto report = nlohmann::json::parse(text_of("report.json"));
        EXPECT_EQ(breaches_of_schema(report, "focus"), "");
        EXPECT_EQ(report["track"]["file"], file(track));
    }
}

/// The unit's positions, attitude and arm make up the antenna's positions.
TEST_F(TrackProgramTest, TakesLeverArmAndOffsetOff) {
    make_image();
    const Acquisition echo = recorded();
    constexpr double late_s = 18;
    const Vec3 arm_m{1.5, -0.75, 0.5};
    const auto row = [&](double time_s) {
        const double angle = 0.3 * std::sin(12 * time_s), c = std::cos(angle), s = std::sin(angle);  // about x
        const Vec3 arm_in_ecef{arm_m[0], c * arm_m[1] - s * arm_m[2], s * arm_m[1] + c * arm_m[2]};
        return numbers(interpolate(*echo.orbit, time_s).position_m - arm_in_ecef) +
               fmt::format(",{:.17g},{:.17g},0,0", std::cos(0.5 * angle), std::sin(0.5 * angle));
    };
    write_track("unit.csv", "time_s,x_m,y_m,z_m,qw,qx,qy,qz", 0.01, 0.5, row, late_s);
    const Words track{"--track", file("unit.csv"), "--track-time-offset", "-18"};
    expect_bad_input({"focus", file("raw.h5"), "-o", file("a.h5"), "--track", file("unit.csv")},
                     {"unit.csv", "covers", "--track-time-offset"});
    Words with_arm = track;
    with_arm.insert(with_arm.end(), {"--lever-arm", "1.5,-0.75,0.5"});
    focus("by_track.h5", with_arm);
    EXPECT_GT(signal_to_error_db("by_track.h5"), 90);
}

TEST_F(TrackProgramTest, IsToldInEveryVerbThatHasIt) {
    make_image();
    write_positions("nav.csv", 0.01, 1);
    const Words track{"--track", file("nav.csv"), "--json", "-q"};
    const auto report = [&](Words words, const std::string& schema) {
        SCOPED_TRACE(words.front());
        words.insert(words.end(), track.begin(), track.end());
        const nlohmann::json told = json_of(words);
        EXPECT_EQ(breaches_of_schema(told, schema), "") << told.dump(1);
        EXPECT_EQ(told["track"]["file"], file("nav.csv"));
        return told;
    };
    EXPECT_GT(report({"info", file("raw.h5")}, "info")["orbit_state_vectors"], 250);
    report({"info", file("raw.h5"), "--geo"}, "info");
    report({"focus", file("raw.h5"), "--dry-run"}, "focus");
    report({"doppler", file("raw.h5")}, "doppler");
    expect_bad_input({"info", file("slc.h5"), "--track", file("nav.csv")}, {"nav.csv", "is an image"});
    expect_bad_input({"verify", "airborne", "--track", file("nav.csv")}, {"--track", "a scene has its own"});
    expect_bad_input({"info", file("raw.h5"), "--track", file("nav.csv"), "--json=" + file("nav.csv")}, {"same file"});
}

TEST_F(TrackProgramTest, RefusesWhatDoesNotGoTogether) {
    make_image();
    write_positions("nav.csv", 0.01, 1);
    const auto refused = [&](Words options, const Words& words) {
        options.insert(options.begin(), {"focus", file("raw.h5"), "-o", file("a.h5"), "-q"});
        expect_bad_input(options, words);
    };
    const std::string nav = file("nav.csv");
    refused({"--lever-arm", "1,2,3"}, {"--lever-arm 1,2,3", "--track FILE"});
    refused({"--track-time-offset", "1"}, {"--track-time-offset 1", "--track FILE"});
    refused({"--track", nav, "--lever-arm", "1,2"}, {"--lever-arm 1,2", "expected three numbers"});
    refused({"--track", nav, "--lever-arm", "1,2,900"}, {"900 m is no part"});
    refused({"--track", nav, "--lever-arm", "1,2,3"}, {"nav.csv", "holds no attitude"});
    refused({"--track", nav, "--track-origin", "47,11,0"}, {"nav.csv", "--track-origin is of no use"});
    refused({"--track", nav, "--track-origin", "147,11,0"}, {"--track-origin 147,11,0", "latitude 147"});
    refused({"--track", nav, "--track-time-offset", "soon"}, {"--track-time-offset soon", "not a number"});
    refused({"--track", nav, "--track-time-offset", "3"}, {"nav.csv", "covers", "+3 s of offset"});
    refused({"--track", file("none.csv")}, {"none.csv", "cannot be opened"});
    std::ofstream(file("bad.csv")) << "time_s,x_m,y_m,z_m\n1,2,3,4\n2,3,4,five\n";
    refused({"--track", file("bad.csv")}, {"bad.csv: line 3", "'five' as z_m"});
    EXPECT_EQ(std::filesystem::exists(file("a.h5")), false);
}

TEST_F(TrackProgramTest, IsWhatAScenesEchoIsMadeAlong) {
    make_image();
    write_positions("nav.csv", 0.01, 1);
    std::ofstream(file("scene.yaml")) << "preset: sentinel\nlines: 100\norbit: {positions: nav.csv}\nnoise_db: 0\n"
                                         "targets: []\n";
    succeed({"simulate", file("scene.yaml"), "-o", file("flown.h5"), "-q"});
    std::vector<std::string> warnings;
    const Acquisition flown = read_raw_header(file("flown.h5"), {}, warnings), echo = recorded();
    const double time_s = flown.pulse_time_s(50);
    EXPECT_NEAR(norm(interpolate(*flown.orbit, time_s).position_m - interpolate(*echo.orbit, time_s).position_m), 0,
                1e-6);
    expect_bad_input({"simulate", file("scene.yaml"), "-o", file("nav.csv")}, {"nav.csv", "same file"});
    expect_bad_input({"verify", file("scene.yaml"), "--json=" + file("nav.csv")}, {"nav.csv", "same file"});
    std::filesystem::remove(file("nav.csv"));
    expect_bad_input({"simulate", file("scene.yaml"), "-o", file("flown.h5")}, {"nav.csv", "cannot be opened"});
}

TEST_F(TrackProgramTest, IsFoundBesideTheJobsAndTellsRunsApart) {
    make_image();
    write_positions("nav.csv", 0.01, 1);
    std::ofstream(file("jobs.yaml"))
        << "scenes:\n  - {input: raw.h5, output: by_track.h5, options: {track: nav.csv}}\n";
    const Words batch{"batch", file("jobs.yaml"), "-o", file("out"), "--device", "cpu", "-q", "--resume", "--json"};
    EXPECT_EQ(json_of(batch)["scenes"][0]["done_before"], false);
    EXPECT_EQ(json_of(batch)["scenes"][0]["done_before"], true);
    write_positions("nav.csv", 0.02, 1);
    EXPECT_EQ(json_of(batch)["scenes"][0]["done_before"], false);
    EXPECT_GT(signal_to_error_db("out/by_track.h5"), 90);
}

TEST_F(TrackProgramTest, PutsAnImageOnTheRowsOfAnother) {
    make_image();
    const Words options{"--reference-track", file("slc.h5"), "--json", file("report.json")};
    focus("again.h5", options);
    const auto report = nlohmann::json::parse(text_of("report.json"));
    EXPECT_EQ(breaches_of_schema(report, "focus"), "");
    EXPECT_EQ(report["reference_track"], file("slc.h5"));
    const nlohmann::json compared = json_of({"compare", file("slc.h5"), file("again.h5"), "--json", "-q"});
    EXPECT_EQ(breaches_of_schema(compared, "compare"), "");
    EXPECT_LT(std::abs(compared["offset_of_samples"]["azimuth_px"]["median"].get<double>()), 1e-3);
    EXPECT_LT(compared["tracks"]["apart_m"], 1e-3);
    const nlohmann::json here = json_of({"info", file("slc.h5"), "--geo", "--json"}),
                         there = json_of({"info", file("again.h5"), "--geo", "--json"});
    for (const char* angle : {"latitude_deg", "longitude_deg"})
        EXPECT_NEAR(here["middle"][angle].get<double>(), there["middle"][angle].get<double>(), 1e-7);

    expect_bad_input({"focus", file("raw.h5"), "-o", file("a.h5"), "--reference-track", file("slc.h5"), "--grid", "utm",
                      "--spacing", "5"},
                     {"--reference-track", "--grid"});
    Words bad{"focus", file("raw.h5"), "-o", file("a.h5"), "-q", "--reference-track", file("none.csv")};
    expect_bad_input(bad, {"none.csv", "cannot be opened"});
    bad.back() = file("slc.h5");
    bad.insert(bad.end(), {"--velocity", "7000"});
    expect_bad_input(bad, {"--reference-track", "--velocity"});
    std::ofstream(file("local.csv")) << "time_s,east_m,north_m,up_m\n3599,0,0,0\n3600,7000,0,0\n3601,14000,0,0\n"
                                        "3602,21000,0,0\n";
    bad = {"focus", file("raw.h5"), "-o", file("a.h5"), "-q", "--reference-track", file("local.csv")};
    expect_bad_input(bad, {"local.csv", "--track-origin"});
    bad.insert(bad.end(), {"--track-origin", "0,0,700000"});
    expect_bad_input(bad, {"local.csv", "from the flight"});
}

/// An hour later along the same way.
TEST_F(TrackProgramTest, ComparesImagesOfOneTrackAtTwoTimes) {
    make_image();
    std::filesystem::copy_file(file("slc.h5"), file("later.h5"));
    {
        Editor editor(file("later.h5"));
        for (const char* times :
             {"/science/LSAR/RSLC/swaths/zeroDopplerTime", "/science/LSAR/RSLC/metadata/orbit/time"})
            editor.change(times, [](std::vector<double>& time_s) {
                for (double& time : time_s) time += 3600;
            });
    }
    const nlohmann::json compared = json_of({"compare", file("slc.h5"), file("later.h5"), "--json", "-q"});
    EXPECT_NEAR(compared["tracks"]["later_s"].get<double>(), 3600, 1e-9);
    EXPECT_GT(compared["samples"], 100000);
    EXPECT_LT(std::abs(compared["grid_shift_px"]["azimuth"].get<double>()), 1e-3);
    expect_in(run({"compare", file("slc.h5"), file("later.h5"), "-q"}).out, "3600.000000 s later");
}

/// Straight flight in a frame of the scene's own, 1 km above its plane.
TEST_F(TrackProgramTest, PutsAnEchoWithoutAnOrbitOnALocalMap) {
    simulate_small();
    std::ofstream out(file("nav.csv"));
    out << "time_s,east_m,north_m,up_m\n";
    for (int i = -20; i < 140; ++i) out << fmt::format("{},{},0,1000\n", 3600 + 0.01 * i, 120 * 0.01 * i);
    out.close();
    expect_bad_input({"focus", file("raw.h5"), "-o", file("a.h5"), "-q", "--track", file("nav.csv")}, {"--grid local"});
    const PointTarget target = recorded().truth.at(0);  // to the right of the flight
    const double x_m = 120 * (target.zero_doppler_time_s - 3600),
                 y_m = -std::sqrt(target.range_m * target.range_m - 1e6);
    std::ofstream(file("grid.yaml")) << fmt::format("projection: local\nbounds: [{}, {}, {}, {}]\nspacing: 0.25\n",
                                                    x_m - 8.125, y_m - 8.125, x_m + 8.125, y_m + 8.125);
    focus("map.h5", {"--track", file("nav.csv"), "--grid", file("grid.yaml"), "--algorithm", "backprojection"});
    const nlohmann::json points = json_of({"analyze", file("map.h5"), "--json", "-q"});
    ASSERT_EQ(points["targets"].size(), 1u);
    const auto& found = points["targets"][0];
    EXPECT_NEAR(found["found"]["x"].get<double>(), x_m, 0.01);
    EXPECT_NEAR(found["found"]["y"].get<double>(), y_m, 0.1);     // of 2 m of resolution
    EXPECT_NEAR(found["pixel_phase_deg"].get<double>(), 0, 0.1);  // of 23 degrees a millimetre
}

}  // namespace
}  // namespace cornerturn
