// SPDX-License-Identifier: Apache-2.0
// Bursts of Sentinel-1 as users meet them: one file of each, and all of them at once.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <pugixml.hpp>
#include <set>
#include <thread>

#include "app/verbs/each_burst.h"
#include "app/verbs/focus_bursts.h"
#include "app/verbs/focus_task.h"
#include "app/verbs/track_options.h"
#include "data/nisar/epoch.h"
#include "data/open_image.h"
#include "data/raw_file.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/thread_limit.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/degree.h"
#include "tests/app/burst_program.h"
#include "tests/app/image_program.h"
#include "tests/support/sentinel1_slice.h"

namespace cornerturn {
namespace {

TEST_F(BurstProgramTest, ARefusedBurstDoesNotStopTheOthers) {
    const std::string folder = "S1A_IW_RAW__0SDV_20250615T051942_20250615T051950_032518_03C421_9D2B.SAFE";
    std::filesystem::create_directory(file(folder));
    write(folder + "/a.dat", {.cycles = 3, .swaths = {1}, .samples = 220, .broken = {{1, 0}}});
    const Outcome outcome = run({"focus", file(folder), "-o", file("slc.h5"), "--burst", "all"});
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("error: burst IW1 0: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("are not those of the others"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("1 of 3 bursts were refused (IW1 0)"), std::string::npos) << outcome.err;
    const nlohmann::json facts = json_of({"info", file(folder), "--burst", "1", "--json"});
    const auto ids = facts["burst_ids"]["IW1"].get<std::vector<std::string>>();
    ASSERT_EQ(ids.size(), 3u);
    EXPECT_EQ(ids[0], "") << "which is refused";
    EXPECT_EQ(left(), (Words{folder, "slc-" + ids[1] + ".h5", "slc-" + ids[2] + ".h5"}));
    const nlohmann::json image = json_of({"info", file("slc-" + ids[2] + ".h5"), "--json"});
    EXPECT_EQ(image["burst_id"], ids[2]);
    EXPECT_EQ(image["absolute_orbit"], 32518);
    EXPECT_EQ(image["track_number"], 71);
    expect_bad_input({"focus", file(folder), "-o", file("one.h5"), "--swath", "IW1", "--burst", "0"},
                     {"are not those of the others"});
}

/// Rows reach as far as the beam is turned.
TEST_F(BurstProgramTest, ADopplerCentroidThatIsGivenLeavesTheSteeringAsItIs) {
    write("iw.dat", {.cycles = 2, .swaths = {1}, .samples = 220});
    const auto rows_of = [&](const Words& more) {
        const Words plan{"focus", file("iw.dat"), "-o", file("x.h5"), "--burst", "1", "--dry-run", "--json"};
        return json_of(with(plan, more))["frames"][0]["plan"]["image"]["rows"].get<double>();
    };
    const double rows = rows_of({"--doppler-centroid", "orbit"});
    EXPECT_NEAR(rows_of({"--doppler-centroid", "0"}) / rows, 1, 0.03);
    expect_bad_input({"focus", file("iw.dat"), "-o", file("x.h5"), "--burst", "1", "--doppler-centroid", "0,10", "-q"},
                     {"--doppler-centroid C0,C1", "steered"});
}

/// A folder as ESA's SLC products are, of the bursts that are not refused.
TEST_F(BurstProgramTest, BurstsGoIntoOneSafeFolder) {
    const std::string raw = "S1A_IW_RAW__0SDV_20250615T051942_20250615T051950_032518_03C421_9D2B.SAFE",
                      slc = "S1A_IW_SLC__1SDV_20250615T051942_20250615T051950_032518_03C421_0000.SAFE";
    std::filesystem::create_directory(file(raw));
    write(raw + "/a.dat", {.cycles = 2, .swaths = {1, 2}, .samples = 220, .broken = {{1, 0}}});
    const Outcome outcome = run({"focus", file(raw), "-o", file(slc), "--device", "cpu"});
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    expect_in(outcome.err, "1 of 4 bursts were refused (IW1 0)");
    EXPECT_EQ(left(), (Words{raw, slc}));
    std::map<std::string, std::vector<std::string>> bursts;  // of each sub-swath: what ESA calls them
    for (const auto& entry : std::filesystem::directory_iterator(file(slc) + "/annotation")) {
        if (!entry.is_regular_file()) continue;
        pugi::xml_document annotation;
        ASSERT_TRUE(annotation.load_file(entry.path().c_str()));
        const std::string swath = annotation.select_node("//adsHeader/swath").node().text().get();
        for (const auto& id : annotation.select_nodes("//burst/burstId"))
            bursts[swath].push_back(fmt::format("t071_{}_{}", id.node().text().get(), lower(swath)));
    }
    const nlohmann::json ids = json_of({"info", file(raw), "--burst", "1", "--json"})["burst_ids"];
    EXPECT_EQ(bursts["IW1"], (Words{ids["IW1"][1].get<std::string>()}));
    EXPECT_EQ(bursts["IW2"], ids["IW2"].get<Words>());
    const Words again{"focus", file(raw), "-o", file(slc)};
    expect_bad_input(again, {slc, "exists"});
    std::filesystem::remove_all(file(slc));
    expect_bad_input(with(again, {"--merge"}), {"--merge", "one above the other"});
    expect_bad_input(with(again, {"--grid", "utm", "--spacing", "20"}), {"--grid"});
    expect_bad_input(with(again, {"--sample-type", "f16"}), {"--sample-type f16", "int16"});
    expect_bad_input(with(again, {"--resume"}), {"--resume"});
    EXPECT_EQ(left(), (Words{raw}));
    std::ofstream(file("jobs.yaml")) << "scenes: [{input: " << raw << ", output: a.SAFE}]\n";
    expect_bad_input({"batch", file("jobs.yaml"), "-o", file("images")}, {"a.SAFE", "make it by focus"});
}

/// With several bursts in hand each image is that of its burst alone, and refused ones stop no other.
TEST_F(BurstProgramTest, BurstsInHandAtOnceDoNotTouchEachOther) {
    write("iw.dat", {.cycles = 3, .swaths = {1, 2}, .samples = 220, .broken = {{1, 0}, {2, 1}}});
    EXPECT_EQ(run({"focus", file("iw.dat"), "-o", file("slc.h5"), "-q", "--device", "cpu"}).code, 1);
    FocusJob job;
    job.input = file("iw.dat"), job.output = file("hand.h5");
    const std::vector<FocusJob> bursts = jobs_of_bursts(job);
    ASSERT_EQ(bursts.size(), 6u);
    const auto device = open_device("cpu", 3);
    Device* const one = device.get();
    std::mutex mutex;
    std::set<Device*> used;
    const auto work = [&](const FocusJob& burst, std::span<Device* const> devices, const Progress& progress) {
        {
            const std::lock_guard lock(mutex);
            used.insert(devices.front());
        }
        FocusTask(burst).run(devices, progress);
    };
    EXPECT_EQ(focus_each_burst(bursts, std::span(&one, 1), 3, work), 1);
    EXPECT_GT(used.size(), 1u);
    for (const FocusJob& burst : bursts) {
        const bool refused = (burst.frames.swath == "IW1" && burst.frames.burst == "0") ||
                             (burst.frames.swath == "IW2" && burst.frames.burst == "1");
        EXPECT_EQ(std::filesystem::exists(burst.output), !refused) << burst.output;
        if (refused) continue;
        std::string alone = burst.output;
        alone.replace(alone.find("hand-"), 5, "slc-");
        EXPECT_EQ(samples_of(burst.output), samples_of(alone)) << burst.output;
    }
}

TEST_F(BurstProgramTest, WhatFailsInOneBurstEndsAllOfThem) {
    std::vector<FocusJob> bursts(20);
    const auto device = open_device("cpu", 2);
    Device* const one = device.get();
    std::atomic<int> begun{0};
    const auto work = [&](const FocusJob&, std::span<Device* const>, const Progress&) {
        const int number = ++begun;
        if (number == 3) throw DeviceError("no space");
        if (number > 3) std::this_thread::sleep_for(std::chrono::milliseconds(50));  // time to tell the other threads
    };
    EXPECT_THROW(focus_each_burst(bursts, std::span(&one, 1), 2, work), DeviceError);
    EXPECT_LT(begun, 20);
    begun = 0;
    EXPECT_THROW(focus_each_burst(bursts, std::span(&one, 1), 1, work), DeviceError);
    EXPECT_EQ(begun, 3);
}

/// What was done before is there, and is told.
TEST_F(BurstProgramTest, ARequestToStopTellsHowManyBurstsAreDone) {
    std::vector<FocusJob> bursts(5);
    const auto device = open_device("cpu", 1);
    Device* const one = device.get();
    const StopRequest stop;
    const JobScope job(stop);
    int begun = 0;
    const auto told = [&](int last) {
        return error_of<Interrupted>([&] {
            begun = 0;
            focus_each_burst(bursts, std::span(&one, 1), 1,
                             [&](const FocusJob&, std::span<Device* const>, const Progress&) {
                                 if (begun++ < last) return;
                                 stop.request();
                                 throw_if_interrupted();
                             });
        });
    };
    EXPECT_EQ(told(2), "interrupted; 2 of 5 bursts are done");
    EXPECT_EQ(told(2), "interrupted; nothing was written") << "stopped before the first";
    EXPECT_EQ(begun, 0);
}

/// Each number once, by several threads that share the cores; what fails ends all.
TEST(WorkAtOnce, IsSharedOutAndEndsWhereOneFails) {
    const ThreadLimit limit(8);
    constexpr std::size_t count = 100;
    std::vector<std::atomic<int>> done(count);
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<int> others{0};
    work_at_once(count, 4, [&](std::size_t i) {
        ++done[i];
        if (omp_get_max_threads() != 2) ++others;
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
    });
    EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }));
    EXPECT_LE(threads.size(), 4u);
    EXPECT_EQ(others, 0);
    EXPECT_EQ(omp_get_max_threads(), 8);
    std::atomic<int> begun{0};
    const auto failing = [&](std::size_t i) {
        ++begun;
        if (i == 7) throw DeviceError("no space");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    EXPECT_THROW(work_at_once(1000, 3, failing), DeviceError);
    EXPECT_LT(begun, 1000);
    begun = 0;
    EXPECT_THROW(work_at_once(20, 1, failing), DeviceError);
    EXPECT_EQ(begun, 8);
    const StopRequest stop;
    stop.request();
    const JobScope job(stop);
    EXPECT_THROW(work_at_once(20, 3, [](std::size_t) {}), Interrupted);
}

TEST_F(BurstProgramTest, AsManyBurstsAtOnceAsThereIsRoomFor) {
    write("iw.dat", {.cycles = 3, .swaths = {1}, .samples = 220});
    std::vector<FocusJob> bursts(9);
    bursts.front().input = file("iw.dat");
    DeviceInfo cpu, gpu;
    cpu.memory_free_bytes = gpu.memory_free_bytes = std::size_t{64} << 30;
    cpu.shares_host_memory = true;
    EXPECT_EQ(bursts_at_once(bursts, cpu, 2), 1);
    EXPECT_EQ(bursts_at_once(bursts, cpu, 16), 3);
    EXPECT_EQ(bursts_at_once(bursts, gpu, 16), 4);
    gpu.memory_free_bytes = 1 << 20;
    EXPECT_EQ(bursts_at_once(bursts, gpu, 16), 1);
    EXPECT_EQ(plans_at_once(bursts, std::uint64_t{64} << 30, 2), 2);
    EXPECT_EQ(plans_at_once(bursts, std::uint64_t{64} << 30, 16), 9) << "as many as there are";
    EXPECT_EQ(plans_at_once(bursts, 1 << 20, 16), 1);
    bursts.front().image.max_memory = "1G";
    EXPECT_EQ(plans_at_once(bursts, std::uint64_t{64} << 30, 16), 1);
    bursts.front().image.max_memory.reset();
    bursts.front().input = file("nowhere.dat");
    EXPECT_EQ(bursts_at_once(bursts, cpu, 16), 1) << "nothing tells how large they are";
    bursts.front().input = file("iw.dat");
    for (FocusJob& burst : bursts) burst.json.to = "-";
    EXPECT_EQ(bursts_at_once(bursts, cpu, 16), 1) << "objects on the standard output come in order";
}

TEST_F(BurstProgramTest, WhatNoBurstCanBeIsSaidOnce) {
    write("iw.dat", {.swaths = {2}, .samples = 220});
    for (const Words& options : {Words{"--algorithm", "rda"}, Words{"--grid", "local"}, Words{"--grid", "utm"}})
        expect_bad_input(with({"focus", file("iw.dat"), "-o", file("slc.h5"), "-q"}, options),
                         {"none of 2 bursts was focused; burst IW2 0: ", options[0]});
    expect_bad_input({"focus", file("iw.dat"), "-o", file("slc.h5"), "--merge", "--grid", "utm", "-q"},
                     {"none of 2 bursts was focused; burst IW2 0: ", "--grid utm", "--spacing METRES"});
    EXPECT_EQ(left(), (Words{"iw.dat"}));
}

TEST_F(BurstProgramTest, ARefusedBurstIsLeftOutOfAMergedImage) {
    const auto merged = [&](const std::string& name, std::vector<Sentinel1Slice::Which> broken, const Words& options) {
        write("iw.dat", {.cycles = 3, .swaths = {1}, .samples = 220, .lines = 500, .broken = std::move(broken)});
        return run(with({"focus", file("iw.dat"), "-o", file(name), "--merge"}, options));
    };
    ASSERT_EQ(merged("whole.h5", {}, {}).code, 0);
    const Outcome outcome = merged("part.h5", {{1, 0}}, {});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("warning: burst IW1 0 is left out: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("are not those of the others"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("2 bursts, "), std::string::npos) << outcome.err;
    const auto grid_of = [&](const std::string& name) { return open_image(file(name)).header().grid; };
    const ImageGrid whole = grid_of("whole-IW1.h5"), part = grid_of("part-IW1.h5");
    EXPECT_GT(part.first_time_s, whole.first_time_s + 2);
    EXPECT_NEAR(part.time_s(static_cast<double>(part.rows)), whole.time_s(static_cast<double>(whole.rows)), 1e-6);

    const Outcome on_map = merged("map.h5", {{1, 1}}, {"--grid", "utm", "--spacing", "20"});
    EXPECT_EQ(on_map.code, 0) << on_map.err;
    EXPECT_NE(on_map.err.find("warning: burst IW1 1 is left out: "), std::string::npos) << on_map.err;

    write("iw.dat", {.swaths = {1}, .samples = 220, .lines = 500, .broken = {{1, 0}, {1, 1}}});
    expect_bad_input({"focus", file("iw.dat"), "-o", file("none.h5"), "--merge", "-q"},
                     {"none of 2 bursts was focused; burst IW1 0: ", "are not those of the others"});
    write("iw.dat", {.samples = 220, .lines = 500, .broken = {{1, 0}, {1, 1}}});
    const Outcome one = run({"focus", file("iw.dat"), "-o", file("one.h5"), "--merge"});
    EXPECT_EQ(one.code, 1) << one.err;
    EXPECT_NE(one.err.find("1 of 2 sub-swaths were refused (IW1)"), std::string::npos) << one.err;
    EXPECT_EQ(left(), (Words{"iw.dat", "map.h5", "one-IW2.h5", "part-IW1.h5", "whole-IW1.h5"}));
}

TEST_F(BurstProgramTest, MergedImagesTakeTheOrbitFileThatIsGiven) {
    write("iw.dat", {.swaths = {1}, .samples = 220, .lines = 500});
    std::ofstream(file("other-day.EOF")) << "<Earth_Explorer_File><Data_Block><List_of_OSVs/></Data_Block>"
                                            "</Earth_Explorer_File>";
    expect_bad_input({"focus", file("iw.dat"), "-o", file("slc.h5"), "--merge", "--orbit", file("other-day.EOF"), "-q"},
                     {"other-day.EOF", "does not cover"});
}

/// Packets that tell fewer than two state vectors.
class BurstsWithoutOrbitTest : public BurstProgramTest {
protected:
    BurstsWithoutOrbitTest() {
        Sentinel1Slice slice{.cycles = 2, .swaths = {1}, .samples = 220, .lines = 40};
        for (const int cycle : {0, 1})
            slice.targets.push_back(
                {.place_m = Sentinel1Slice::place_m(slice.broadside_s({1, cycle}), slice.near_m(1) + 100)});
        write("iw.dat", slice);
    }
    /// Of the slice's satellite, as ESA has it; mirrored at the equator it goes south.
    std::string write_orbit(const std::string& name, double north) const {
        const Epoch first = *parse_epoch("2025-06-15T05:19:42");  // first_gps_s in UTC
        std::ofstream eof(file(name));
        eof << "<Earth_Explorer_File><Data_Block><List_of_OSVs>";
        for (double second = -120; second <= 120; second += 10) {
            const auto [p, v] = Sentinel1Slice::antenna(second);
            eof << fmt::format(
                "<OSV><UTC>UTC={}.000000</UTC><X>{:.6f}</X><Y>{:.6f}</Y><Z>{:.6f}</Z><VX>{:.6f}</VX><VY>{:.6f}</VY>"
                "<VZ>{:.6f}</VZ></OSV>",
                first.plus(second).text(), p[0], p[1], north * p[2], v[0], v[1], north * v[2]);
        }
        eof << "</List_of_OSVs></Data_Block></Earth_Explorer_File>";
        return file(name);
    }
};

/// No velocity does instead: the beam goes over more than the PRF, and the data do not tell how.
TEST_F(BurstsWithoutOrbitTest, AreToldToTakeAnOrbitFile) {
    const Words focus{"focus", file("iw.dat"), "-o", file("slc.h5"), "--device", "cpu", "-q"};
    const Words missed{"orbit: 0 state vectors", "steered beam of a burst (IW1 0)", "; give --orbit FILE.EOF"};
    for (const Words& more : {Words{},
                              {"--velocity", "7100"},
                              {"--velocity", "data"},
                              {"--velocity", "7100", "--doppler-centroid", "0"},
                              {"--swath", "IW1", "--burst", "0"},
                              {"--merge"}})
        expect_bad_input(with(focus, more), missed);
    expect_bad_input({"verify", file("iw.dat"), "--velocity", "7100", "--device", "cpu", "-q"}, missed);
    EXPECT_EQ(left(), Words{"iw.dat"});
}

TEST_F(BurstsWithoutOrbitTest, AreFocusedAlongTheFileWithoutMissingTheirOwn) {
    const std::string orbit = write_orbit("day.EOF", 1);
    const std::string missed = "packets hold no two state vectors";
    expect_in(succeed({"info", file("iw.dat")}).err, missed);
    for (const Words& verb : {Words{"focus", file("iw.dat"), "-o", file("slc.h5"), "--device", "cpu"},
                              {"verify", file("iw.dat"), "--device", "cpu"}}) {
        const Outcome told = succeed(with(verb, {"--orbit", orbit}));
        EXPECT_EQ(told.err.find(missed), std::string::npos) << told.err;
    }
    EXPECT_GE(json_of({"info", file("slc-IW1-1.h5"), "--json"})["orbit_state_vectors"], 12)
        << "of a minute before and behind";
}

TEST_F(BurstsWithoutOrbitTest, GoTheWayThatTheFileSays) {
    for (const auto& [north, way] : {std::pair{1.0, "ascending"}, {-1.0, "descending"}}) {
        const auto track = GivenTrack::read({.orbit = write_orbit("day.EOF", north)});
        std::vector<std::string> warnings;
        const Acquisition along = track->along(read_raw_header(file("iw.dat"), {}, warnings), 0, warnings);
        EXPECT_EQ(along.identification.pass_direction, way);
    }
}

TEST_F(BurstProgramTest, SaysWhereItCannotNameBursts) {
    write("iw.dat", {.swaths = {2}, .samples = 220});
    const Outcome told = succeed({"info", file("iw.dat"), "--json"});
    EXPECT_NE(told.err.find("what ESA calls its bursts is not known"), std::string::npos) << told.err;
    EXPECT_FALSE(nlohmann::json::parse(told.out).contains("burst_ids"));
    succeed({"focus", file("iw.dat"), "-o", file("slc.h5"), "--dry-run"});
    succeed({"focus", file("iw.dat"), "-o", file("slc.h5"), "-q"});
    EXPECT_EQ(left(), (Words{"iw.dat", "slc-IW2-0.h5", "slc-IW2-1.h5"}));
}

/// Targets along a burst of IW1, on pixels, where the beam looks far behind to far ahead.
class DescallopingTest : public BurstProgramTest {
protected:
    static constexpr double tile_m = 12.3 / 14, wavelength_m = 299792458 / 5.405e9;

    DescallopingTest() {
        constexpr double row_s = 2.0555563e-3, day_s = 86400;
        const double of_day_s = std::fmod(Sentinel1Slice::first_gps_s, day_s);
        range_m_ = std::round((slice_.near_m(1) + 150) / slice_.sample_m()) * slice_.sample_m();
        for (const double off_s : {-1.1, -0.55, 0.0, 0.55, 1.1}) {
            rows_.push_back(std::llround((of_day_s + slice_.broadside_s({1, 0}) + off_s) / row_s));
            slice_.targets.push_back(
                {.place_m = Sentinel1Slice::place_m(static_cast<double>(rows_.back()) * row_s - of_day_s, range_m_)});
        }
        write("iw.dat", slice_);
    }
    std::vector<double> amplitudes(const std::string& name, const Words& options) {
        succeed(with({"focus", file("iw.dat"), "-o", file(name), "--swath", "IW1", "--burst", "0"}, options));
        ImageInMemory made;
        open_image(file(name)).pass_to(made);
        const ImageGrid& grid = made.image.grid;
        std::vector<double> found;
        for (const auto row : rows_) {
            const auto line = std::llround(static_cast<double>(row) - first_row(made.image)),
                       column = std::llround((range_m_ - grid.near_range_m) / grid.range_spacing_m);
            found.push_back(std::abs(made.image.samples[static_cast<std::size_t>(line * grid.columns + column)]));
        }
        return found;
    }
    /// In rows of the day.
    static double first_row(const Image& image) {
        return std::fmod(image.grid.first_time_s, 86400.0) / image.grid.time_spacing_s;
    }
    static double unevenness(const std::vector<double>& values) {
        const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
        return *greatest / *least - 1;
    }

    Sentinel1Slice slice_{.swaths = {1}, .samples = 260, .part_m = tile_m};
    double range_m_ = 0;
    std::vector<long long> rows_;
};

TEST_F(DescallopingTest, LevelsTheTargetsOfABurst) {
    const std::vector<double> dark = amplitudes("dark.h5", {});
    EXPECT_GT(unevenness(dark), 0.03);
    EXPECT_LT(dark.front(), dark[2]);
    EXPECT_LT(dark.back(), dark[2]);
    EXPECT_LT(unevenness(amplitudes("level.h5", {"--descalloping", "aperture"})), 0.004);
    std::string values;
    for (int i = -60; i <= 60; ++i) {
        const double x = std::numbers::pi * tile_m / wavelength_m * std::sin(0.02 * i * degree);
        values += fmt::format("{:+e} ", i == 0 ? 3.0 : 3.0 + 40 * std::log10(std::sin(x) / x));
    }
    const auto parameters = [&](const char* polarization, const std::string& of_them) {
        return fmt::format(
            "<calibrationParams><swath>IW1</swath><polarisation>{}</polarisation><azimuthAntennaElementPattern>"
            "<azimuthAngleIncrement>0.02</azimuthAngleIncrement><values count=\"121\">{}</values>"
            "</azimuthAntennaElementPattern></calibrationParams>",
            polarization, of_them);
    };
    const auto auxiliary = [&](const std::string& name, const std::string& contents) {
        std::ofstream(file(name)) << "<?xml version=\"1.0\"?><auxiliaryCalibration><calibrationParamsList>" << contents
                                  << "</calibrationParamsList></auxiliaryCalibration>";
    };
    auxiliary("s1a-aux-cal.xml", parameters("HH", "1 0 1") + parameters("VV", values));
    EXPECT_LT(unevenness(amplitudes("as-told.h5", {"--descalloping", file("s1a-aux-cal.xml")})), 0.004);

    const auto refused = [&](const std::string& pattern, const Words& words) {
        expect_bad_input({"focus", file("iw.dat"), "-o", file("a.h5"), "--burst", "0", "--swath", "IW1",
                          "--descalloping", file(pattern), "-q"},
                         words);
    };
    auxiliary("hh.xml", parameters("HH", values));
    refused("hh.xml", {"hh.xml", "no calibrationParamsList/calibrationParams of IW1 VV"});
    auxiliary("even.xml", parameters("VV", "1 2"));
    refused("even.xml", {"even.xml", "2 values", "odd"});
    auxiliary("text.xml", parameters("VV", "1 two 3"));
    refused("text.xml", {"text.xml", "\"two\" is no number"});
    refused("none.xml", {"none.xml"});
    simulate_small();
    expect_bad_input({"focus", file("raw.h5"), "-o", file("a.h5"), "--descalloping", "aperture", "-q"},
                     {"--descalloping", "raw.h5"});
}

}  // namespace
}  // namespace cornerturn
