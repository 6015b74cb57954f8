// SPDX-License-Identifier: Apache-2.0
// Scene files: what is read, what is written, what is refused with which words.
#include "data/scene/scene_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class SceneFile : public testing::Test {
protected:
    Scene read(const std::string& text) const {
        std::ofstream(path_) << text;
        SceneSources sources;
        const Scene scene = read_scene_file(path_, sources);
        remarks_ = sources.remarks;
        positions_ = sources.positions;
        return scene;
    }

    void expect_text_refused(const std::string& text, const std::vector<std::string>& words) const {
        SCOPED_TRACE(text);
        expect_refused([&] { read(text); }, words);
    }

    const ScratchFolder folder_;
    const std::filesystem::path path_ = folder_.path() / "scene.yaml";
    mutable std::vector<std::string> remarks_ = {};
    mutable std::string positions_ = {};
};

TEST_F(SceneFile, WrittenSceneReadsBackTheSame) {
    for (const std::string& name : preset_names()) {
        SCOPED_TRACE(name);
        Scene scene = preset_scene(name);
        scene.noise_db = -12.345678901234567;
        scene.seed = 18446744073709551615u;
        scene.look_side = LookSide::left;
        scene.sample_type = SampleFormat::int16;
        scene.targets = scene_targets(scene);
        scene.targets->push_back({ZeroDopplerPosition{scene.near_range_m * 1.01 + 0.1, 1.0 / 3}, 0.25, -90});
        const Scene again = read(to_yaml(scene));
        EXPECT_EQ(to_yaml(again), to_yaml(scene));  // every number with all its digits
        EXPECT_EQ(again.carrier_hz, scene.carrier_hz);
        EXPECT_EQ(again.doppler_centroid_hz, scene.doppler_centroid_hz);
        EXPECT_EQ(again.altitude_m, scene.altitude_m);
        EXPECT_EQ(again.orbit, scene.orbit);
        EXPECT_EQ(again.beam, scene.beam);
        EXPECT_EQ(again.noise_db, scene.noise_db);
        EXPECT_EQ(again.seed, scene.seed);
        EXPECT_EQ(again.sample_type, scene.sample_type);
        EXPECT_EQ(again.look_side, scene.look_side);
        ASSERT_EQ(again.targets->size(), 10u);
        EXPECT_EQ(std::get<ZeroDopplerPosition>(again.targets->at(9).position).time_s, 1.0 / 3);
    }
}

TEST_F(SceneFile, PresetGivesWhatTheFileLeavesOut) {
    const Scene scene =
        read("preset: squint\nlines: 2048\nsample_type: int8\ntargets:\n  - {line: 1000.5, sample: 700}\n");
    EXPECT_EQ(scene.doppler_centroid_hz, -6900);
    EXPECT_EQ(scene.lines, 2048);
    EXPECT_EQ(scene.samples, 4096);
    EXPECT_EQ(scene.sample_type, SampleFormat::int8);
    ASSERT_EQ(scene.targets->size(), 1u);
    EXPECT_EQ(std::get<BeamCentrePosition>(scene.targets->at(0).position).line, 1000.5);
    EXPECT_EQ(scene.targets->at(0).amplitude, 1);
    EXPECT_FALSE(read("preset: airborne\n").targets.has_value());
    EXPECT_FALSE(read("preset: airborne\n").noise_db.has_value());
}

TEST_F(SceneFile, RefusesWithKeyValueAndChoices) {
    expect_text_refused("preset: banana\n", {"banana", "airborne", "spaceborne", "squint"});
    expect_text_refused("preset: squint\nbanana: 3\n", {"unknown key 'banana'", "line 2", "carrier_hz", "targets"});
    expect_text_refused("preset: squint\nlines: 3\nlines: 4\n", {"'lines' is given twice"});
    expect_text_refused("preset: squint\nlines: 4096.5\n", {"lines is '4096.5'", "line 2", "whole number"});
    expect_text_refused("preset: squint\nseed: -1\n", {"seed is '-1'", "whole number"});
    EXPECT_EQ(read("preset: squint\nseed: 010\n").seed, 10);
    expect_text_refused("preset: squint\nprf_hz: fast\n", {"prf_hz is 'fast'", "a number"});
    expect_text_refused("preset: squint\nprf_hz: [1, 2]\n", {"prf_hz is a list"});
    expect_text_refused("preset: squint\nprf_hz:\n", {"prf_hz is empty"});
    expect_text_refused("preset: squint\nlook_side: up\n", {"look_side is 'up'", "left or right"});
    expect_text_refused("preset: squint\nsample_type: f16\n", {"sample type f16", "f32, int16 or int8"});
    expect_text_refused("preset: squint\ntargets: 5\n", {"targets is '5'", "must be a list"});
    expect_text_refused("preset: squint\ntargets:\n  - {line: 5}\n", {"targets[0]", "either line and sample"});
    expect_text_refused("preset: squint\ntargets:\n  - {line: 5, sample: 1, range_m: 3}\n",
                        {"targets[0]", "either line and sample"});
    expect_text_refused("preset: squint\ntargets:\n  - {line: 5, sample: 1, phase: 3}\n",
                        {"targets[0]", "unknown key 'phase'", "phase_deg"});
    expect_text_refused("preset: squint\ntargets:\n  - 7\n", {"targets[0]", "must be a mapping", "'7'"});
    expect_text_refused("carrier_hz: 1e9\nprf_hz: 100\n", {"lines, samples, sample_rate_hz", "missing", "preset"});
    expect_text_refused("", {"must be a mapping", "empty"});
    expect_text_refused("- 1\n- 2\n", {"must be a mapping", "a list"});
    expect_text_refused("preset: [squint\n", {"no valid YAML"});
    expect_text_refused(std::string("\x89HDF\r\n\x1a\n\0\0\1", 11), {path_.filename().string()});
}

TEST_F(SceneFile, ReadsOrbitsBeamsClutterAndPlaces) {
    const Scene scene = read(
        "preset: radarsat\norbit: {altitude_m: 600e3, inclination_deg: 97}\nbeam: {steering: zero_doppler, pitch_deg: "
        "0.1}\nheight_m: 250\n"
        "polarizations: [VH, VV]\nclutter:\n  - {first_line: 1, last_line: 2, first_sample: 3, last_sample: 4, "
        "scatterers: 5}\n"
        "targets:\n  - {latitude_deg: 50.5, longitude_deg: -1, height_m: 30}\n  - {line: 1, sample: 2}\n");
    const auto& kepler = std::get<KeplerOrbit>(scene.orbit);
    EXPECT_EQ(kepler, (KeplerOrbit{.altitude_m = 600e3, .inclination_deg = 97}));
    EXPECT_EQ(scene.beam, (Beam{Steering::zero_doppler, 0, 0.1}));
    EXPECT_EQ(scene.height_m, 250);
    EXPECT_EQ(scene.polarizations, (std::vector<std::string>{"VH", "VV"}));
    ASSERT_EQ(scene.clutter.size(), 1u);
    EXPECT_EQ(scene.clutter[0], (ClutterPatch{1, 2, 3, 4, 5, 0}));
    EXPECT_EQ(std::get<GroundPosition>(scene.targets->at(0).position).latitude_deg, 50.5);
    EXPECT_EQ(scene.targets->at(0).height_m, 30);
    EXPECT_FALSE(scene.targets->at(1).height_m);

    Scene listed =
        read("preset: sentinel\norbit:\n  vectors:\n    - [1, 2, 3, 4, 5, 6, 7]\n    - [2, 0.1, 3, 4, 5, 6, 7]\n");
    const auto& vectors = std::get<Orbit>(listed.orbit);
    EXPECT_EQ(vectors.time_s, (std::vector<double>{1, 2}));
    EXPECT_EQ(vectors.position_m[1][0], 0.1);
    EXPECT_EQ(vectors.velocity_m_s[0][2], 7);
    listed.targets = std::vector<SceneTarget>{{GroundPosition{1, 2}, 1, 0}};
    listed.clutter = scene.clutter;
    EXPECT_EQ(to_yaml(read(to_yaml(listed))), to_yaml(listed));
    EXPECT_FALSE(read("preset: sentinel\norbit: straight\nvelocity_m_s: 7000\n").on_orbit());

    const Scene turned = read(
        "preset: sentinel\nphase_error: {quadratic_rad: 4, sine_rad: 0.5, sine_cycles: 2.5, walk_rad: 3, walk_seed: "
        "7}\n");
    EXPECT_EQ(turned.phase_error, (PhaseError{4, 0.5, 2.5, 3, 7}));
    EXPECT_EQ(read(to_yaml(turned)).phase_error, turned.phase_error);
    EXPECT_FALSE(scene.phase_error.any());
    expect_text_refused("preset: sentinel\nphase_error: {quadratic: 4}\n",
                        {"phase_error", "unknown key 'quadratic'", "quadratic_rad"});
    expect_text_refused("preset: sentinel\nvelocity_m_s: 7000\n",
                        {"velocity_m_s belongs to a straight flight", "orbit: straight"});
    expect_text_refused("preset: squint\nbeam: {yaw_deg: 1}\n", {"beam belongs to an orbit", "doppler_centroid_hz"});
    expect_text_refused("preset: squint\norbit: circle\n", {"orbit is 'circle'", "straight", "altitude_m"});
    expect_text_refused("preset: squint\norbit: {altitude_m: 7e5}\n", {"orbit", "inclination_deg"});
    expect_text_refused("preset: squint\norbit: {vectors: [[1, 2]]}\n", {"vectors[0]", "seven numbers"});
    expect_text_refused("preset: sentinel\nbeam: {steering: up}\n",
                        {"steering is 'up'", "zero_doppler, fixed or spotlight"});
    expect_text_refused("preset: sentinel\nclutter:\n  - {first_line: 1}\n", {"clutter[0]", "last_line is missing"});
    expect_text_refused("preset: sentinel\npolarizations: HH\n", {"polarizations is 'HH'", "a list"});
    expect_text_refused("preset: sentinel\ntargets:\n  - {latitude_deg: 5, sample: 1}\n",
                        {"targets[0]", "latitude_deg and longitude_deg"});
}

TEST_F(SceneFile, ReadsFlightsOfAircraft) {
    const std::string radar =
        "carrier_hz: 9.6e9\nprf_hz: 400\nsample_rate_hz: 80e6\nnear_range_m: 4600\nlines: 5120\nsamples: 900\n"
        "chirp_slope_hz_s: -15e12\nchirp_duration_s: 4e-6\nazimuth_bandwidth_hz: 110\n";
    const std::string flight =
        "flight:\n  latitude_deg: 47\n  heading_deg: 70\n  altitude_m: 2900\n  speed_m_s: 85\n  acceleration_m_s2: "
        "-0.15\n";
    const Scene scene = read(radar + flight +
                             "  sway:\n    - {up_m: 0.8, frequency_hz: 0.05, phase_deg: 40}\n    - {across_m: 1.5, "
                             "along_m: 0.1, frequency_hz: 0.04}\n"
                             "  turbulence: {gust_m_s: light, seed: 5, autopilot_hz: 0.2}\n");
    const auto& read_flight = std::get<Flight>(scene.orbit);
    EXPECT_EQ(read_flight.speed_m_s, 85);
    EXPECT_EQ(read_flight.heading_deg, 70);
    EXPECT_EQ(read_flight.acceleration_m_s2, -0.15);
    ASSERT_EQ(read_flight.sway.size(), 2u);
    EXPECT_EQ(read_flight.sway[0], (SwayWave{0, 0, 0.8, 0.05, 40}));
    EXPECT_EQ(read_flight.sway[1], (SwayWave{0.1, 1.5, 0, 0.04, 0}));
    EXPECT_EQ(read_flight.turbulence, (Turbulence{light_gust_m_s, 0.2, 5}));
    EXPECT_EQ(scene.beam.steering, Steering::fixed) << "an aircraft's antenna, where nothing is said";
    const Scene again = read(to_yaml(scene));
    EXPECT_EQ(again.orbit, scene.orbit);
    EXPECT_EQ(again.beam, scene.beam);
    EXPECT_EQ(read(radar + flight + "beam: {yaw_deg: 3}\n").beam, (Beam{Steering::fixed, 3, 0}));
    EXPECT_EQ(read(radar + flight + "beam: {steering: zero_doppler}\n").beam.steering, Steering::zero_doppler);
    EXPECT_EQ(std::get<Flight>(read(radar + flight + "  turbulence: {gust_m_s: 0.4}\n").orbit).turbulence.gust_m_s,
              0.4);
    // Of another's orbit nothing is left, of its beam neither.
    const Scene instead = read("preset: radarsat\n" + flight);
    EXPECT_TRUE(std::holds_alternative<Flight>(instead.orbit));
    EXPECT_EQ(instead.beam, (Beam{Steering::fixed, 0, 0}));

    expect_text_refused(radar + "flight: {altitude_m: 900}\n", {"flight", "speed_m_s is missing"});
    expect_text_refused(radar + "flight: fast\n", {"flight", "must be a mapping", "speed_m_s"});
    expect_text_refused(radar + flight + "  sways: []\n", {"flight", "unknown key 'sways'", "turbulence"});
    expect_text_refused(radar + flight + "  sway: 3\n", {"sway is '3'", "a list"});
    expect_text_refused(radar + flight + "  sway: [{up_m: 1}]\n", {"sway[0]", "frequency_hz is missing"});
    expect_text_refused(radar + flight + "  sway: [{up: 1}]\n", {"sway[0]", "unknown key 'up'", "up_m"});
    expect_text_refused(radar + flight + "  turbulence: {gust_m_s: heavy}\n",
                        {"turbulence", "gust_m_s is 'heavy'", "light, moderate, severe or a number"});
    expect_text_refused(radar + flight + "  turbulence: {seed: 3}\n", {"turbulence", "gust_m_s is missing"});
    expect_text_refused(radar + flight + "orbit: straight\n", {"orbit and flight are two tracks"});
    expect_text_refused(radar + flight + "velocity_m_s: 3\n",
                        {"velocity_m_s belongs to a straight flight", "a flight"});
}

TEST_F(SceneFile, ReadsSpotlightsAndTurns) {
    const std::string flight = "preset: aircraft\nflight: {turn_radius_m: -3000}\n";
    const std::string spot = "{steering: spotlight, latitude_deg: 48.1, longitude_deg: 11.25}";
    const Scene scene = read(flight + "beam: " + spot + "\ntargets: [{latitude_deg: 48.1, longitude_deg: 11.25}]\n");
    EXPECT_EQ(std::get<Flight>(scene.orbit).turn_radius_m, -3000);
    EXPECT_EQ(scene.beam, (Beam{.steering = Steering::spotlight, .spot = {48.1, 11.25}}));
    const std::string deep = "beam: {steering: spotlight, latitude_deg: 48.1, longitude_deg: 11.25, height_m: -2500}\n";
    EXPECT_EQ(read(flight + deep).beam.spot_height_m, -2500);
    expect_text_refused(flight + "beam: {steering: fixed, height_m: 5}\n", {"height_m is of a spotlight"});
    EXPECT_EQ(to_yaml(read(to_yaml(scene))), to_yaml(scene));
    EXPECT_EQ(read(to_yaml(scene)).beam, scene.beam);
    expect_text_refused(flight + "beam: {steering: spotlight, latitude_deg: 48}\n", {"longitude_deg is missing"});
    expect_text_refused(flight + "beam: {steering: fixed, latitude_deg: 48}\n", {"latitude_deg is of a spotlight"});
    expect_text_refused(flight + "beam: {steering: spotlight, latitude_deg: 48, longitude_deg: 11, yaw_deg: 1}\n",
                        {"yaw_deg does not go with a spotlight"});
}

/// Beside the scene file, which another folder may be the current one of.
TEST_F(SceneFile, FliesAlongPositionsOfANavigationFile) {
    const std::string radar =
        "carrier_hz: 9.6e9\nprf_hz: 400\nsample_rate_hz: 80e6\nnear_range_m: 4600\nlines: 4001\nsamples: 900\n"
        "chirp_slope_hz_s: -15e12\nchirp_duration_s: 4e-6\nazimuth_bandwidth_hz: 110\n";
    const auto write = [&](const std::string& name, const std::string& columns, double north_m_s, double from_s,
                           const std::string& behind = "") {
        std::ofstream out(folder_.path() / name);
        out << columns << '\n';
        for (int i = 0; i <= 60; ++i)
            out << from_s + 0.5 * i << fmt::format(",0,{},3000{}\n", north_m_s * 0.5 * i, behind);
    };
    write("local.csv", "time_s,east_m,north_m,up_m", 80, 100);
    const std::string flight = radar + "flight: {positions: local.csv, origin: [48, 11, 500]}\n";
    const Scene scene = read(flight);
    EXPECT_EQ(positions_, (folder_.path() / "local.csv").string());
    EXPECT_TRUE(remarks_.empty());
    const auto& track = std::get<Orbit>(scene.orbit);
    EXPECT_NEAR(scene.first_pulse_time_s, 110, 1e-9) << "ten seconds in the middle of thirty";
    EXPECT_EQ(scene.epoch, Scene().epoch);
    EXPECT_EQ(scene.beam.steering, Steering::fixed) << "of an aircraft";
    const StateVector at = interpolate(track, 115);
    const Geographic origin = geographic(interpolate(track, 100).position_m);
    EXPECT_NEAR(origin.latitude_deg, 48, 1e-9);
    EXPECT_NEAR(origin.longitude_deg, 11, 1e-9);
    EXPECT_NEAR(origin.height_m, 3500, 1e-4);
    EXPECT_NEAR(norm(at.velocity_m_s), 80, 1e-6);
    EXPECT_NEAR(norm(at.position_m - interpolate(track, 100).position_m), 1200, 1e-6);
    EXPECT_EQ(to_yaml(read(to_yaml(scene))), to_yaml(scene)) << "as vectors, without the file";
    EXPECT_NEAR(read(flight + "first_pulse_time_s: 101\n").first_pulse_time_s, 101, 0);
    EXPECT_EQ(read(radar + "orbit: {positions: local.csv, origin: [48, 11, 0]}\n").beam.steering,
              Steering::zero_doppler);
    EXPECT_NEAR(
        read(radar + "flight: {positions: local.csv, origin: [48, 11, 0], time_offset_s: -18}\n").first_pulse_time_s,
        92, 1e-9);

    std::ofstream utc(folder_.path() / "utc.csv");
    utc << "utc,latitude_deg,longitude_deg,height_m,roll_deg,pitch_deg,yaw_deg\n";
    for (int i = 0; i < 30; ++i) utc << fmt::format("2024-05-06T23:59:{:02}.25,48.{:03},11,3000,0,0,0\n", i, i);
    utc.close();
    const std::string absolute = radar + "flight: {positions: " + (folder_.path() / "utc.csv").string() + "}\n";
    const Scene dated = read(absolute);
    EXPECT_EQ(dated.epoch, "2024-05-06T00:00:00");
    EXPECT_NEAR(dated.first_pulse_time_s, 86340 + 9.75, 1e-6);
    ASSERT_EQ(remarks_.size(), 1u);
    expect_in(remarks_[0], "attitude is left out");
    EXPECT_EQ(read(to_yaml(dated)).epoch, dated.epoch);
    EXPECT_NEAR(read(absolute + "epoch: 2024-05-06T23:00:00\n").first_pulse_time_s, 3540 + 9.75, 1e-6);

    expect_text_refused(flight + "first_pulse_time_s: 99\n", {"local.csv covers 100.000 to 130.000 s", "109.000 s"});
    expect_text_refused(radar + "flight: {positions: none.csv}\n", {"none.csv", "cannot be opened"});
    expect_text_refused(radar + "flight: {positions: .}\n", {"is a folder"});
    expect_text_refused(radar + "flight: {positions: local.csv}\n", {"local.csv", "local frame", "origin"});
    expect_text_refused(radar + "flight: {positions: utc.csv, origin: [1, 2, 3]}\n", {"origin", "utc.csv"});
    expect_text_refused(radar + "flight: {positions: local.csv, origin: [1, 2]}\n", {"origin in line 10", "latitude"});
    expect_text_refused(radar + "flight: {positions: local.csv, speed_m_s: 80}\n",
                        {"unknown key 'speed_m_s'", "origin"});
    expect_text_refused(radar + "orbit: {positions: [1, 2]}\n", {"positions is a list", "name of a file"});
    expect_text_refused(radar + "orbit: {positions: ''}\n", {"positions is empty"});
    expect_text_refused(radar + "epoch: yesterday\norbit: {positions: utc.csv}\n", {"epoch is 'yesterday'"});
    expect_text_refused(flight + "velocity_m_s: 80\n", {"velocity_m_s", "a flight of its own"});
    std::ofstream(folder_.path() / "short.csv") << "time_s,x_m,y_m,z_m\n1,6.4e6,0,0\n2,6.4e6,0,9\n";
    expect_text_refused(radar + "orbit: {positions: short.csv}\nfirst_pulse_time_s: 1\n", {"short.csv"});
}

TEST_F(SceneFile, NamesThePresetsWhereThereIsNoSuchFile) {
    const auto load = [](const std::string& name) {
        SceneSources sources;
        return load_scene(name, sources);
    };
    EXPECT_EQ(load("airborne").carrier_hz, 9.65e9);
    for (const std::string name : {"banana", "", "/no/such/folder/scene.yaml"}) {
        expect_refused([&] { load(name); },
                       "airborne, aircraft, drone, nisar, pband, radarsat, sentinel, sliding, spaceborne, "
                       "spotlight, squint, wide, xfine");
    }
    EXPECT_THROW(load(std::filesystem::temp_directory_path().string()), InputError);
    std::ofstream(path_) << "preset: spaceborne\nlines: 1300\n";
    EXPECT_EQ(load(path_.string()).lines, 1300);
}

TEST(SceneText, IsThatOfAFileAndJsonToo) {
    SceneSources sources;
    const Scene scene = read_scene_text(R"({"preset": "spaceborne", "lines": 2048})", "scene", sources);
    EXPECT_EQ(scene.lines, 2048);
    EXPECT_EQ(scene.carrier_hz, preset_scene("spaceborne").carrier_hz);
    expect_refused([&] { read_scene_text(R"({"lins": 2048})", "scene", sources); }, "scene: unknown key 'lins'");
}

}  // namespace
}  // namespace cornerturn
