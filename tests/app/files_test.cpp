// SPDX-License-Identifier: Apache-2.0
// Files as users name them: two names for one thing, one name for two, blanks and UTF-8, full disks and pipes.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "data/files/sha256.h"
#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/product_origin.h"
#include "tests/app/image_program.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

class FilesTest : public ImageProgramTest {
protected:
    FilesTest() { simulate_small(); }

    Words focus(const Words& more) const {
        Words words{"focus", file("raw.h5"), "--device", "cpu", "--threads", "1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    /// All over the Earth.
    void write_dem(const std::string& name, float height_m = 321) const {
        h5::Writer dem(file(name), 0);
        dem.numbers("/latitude", std::vector<double>{-89, 89});
        dem.numbers("/longitude", std::vector<double>{-179, 179});
        dem.table("/height", std::vector<float>(4, height_m), 2);
        dem.commit();
    }
    std::string sum(const std::string& name) const { return sha256_of_file(file(name)); }
};

TEST_F(FilesTest, NoVerbWritesOneFileTwiceOrOverItsInput) {
    fs::create_directory(file("folder"));
    fs::create_directory_symlink(file("folder"), file("way"));
    fs::create_hard_link(file("raw.h5"), file("other.h5"));
    const std::string raw = sum("raw.h5");
    expect_bad_input(focus({"-o", file("slc.h5"), "--json=" + file("./slc.h5")}), {"two outputs"});
    expect_bad_input(focus({"-o", file("folder/slc.h5"), "--json=" + file("way/slc.h5")}), {"two outputs"});
    expect_bad_input(focus({"-o", file("other.h5")}), {"output and input", "same file"});
    write_dem("dem.h5");
    const std::string dem = sum("dem.h5");
    expect_bad_input(focus({"--dem", file("dem.h5"), "-o", file("folder/../dem.h5")}), {"dem.h5", "same file"});
    EXPECT_EQ(sum("dem.h5"), dem);
    std::ofstream(file("grid.yaml")) << "projection: local\nbounds: [0, 0, 9, 9]\nspacing: 3\n";
    expect_bad_input(focus({"--grid", file("grid.yaml"), "-o", file("slc.h5"), "--json=" + file("./grid.yaml")}),
                     {"grid.yaml", "same file"});
    succeed(focus({"-o", file("slc.h5"), "-q"}));
    const std::string slc = sum("slc.h5");
    fs::create_symlink(file("slc.h5"), file("link.png"));
    const auto either = [&](const Words& words) { expect_bad_input(words, {}); };
    either({"quicklook", file("slc.h5"), "-o", file("link.png")});
    either({"multilook", file("slc.h5"), "-o", file("./slc.h5")});
    either({"analyze", file("slc.h5"), "--png", file("a.png"), "--spectrum", file("./a.png")});
    either({"compare", file("raw.h5"), file("slc.h5"), "--json=" + file("link.png")});
    either({"doppler", file("raw.h5"), "--json=" + file("d.png"), "--png", file("folder/../d.png")});
    either({"simulate", file("scene.yaml"), "-o", file("./scene.yaml")});
    either({"verify", file("scene.yaml"), "--json=" + file("./scene.yaml")});
    either({"verify", file("raw.h5"), "--json=" + file("other.h5")});
    EXPECT_EQ(sum("raw.h5"), raw);
    EXPECT_EQ(sum("slc.h5"), slc);
}

TEST_F(FilesTest, StagesLeaveFilesOfTheRunAlone) {
    fs::create_directory(file("stages"));
    succeed(focus({"-o", file("slc.h5"), "--dump-stages", file("stages"), "-q"}));
    std::string first;
    for (const auto& entry : fs::directory_iterator(file("stages")))
        if (entry.path().filename().string().starts_with("01_")) first = entry.path().filename();
    ASSERT_FALSE(first.empty());
    fs::create_symlink("stages", file("way"));
    expect_bad_input(focus({"-o", file("way/" + first), "--dump-stages", file("stages"), "-q"}),
                     {first, "written over"});
    expect_bad_input(focus({"-o", file("slc.h5"), "--dump-stages", file("refused"), "--block-rows", "100", "-q"}),
                     {"--dump-stages", "blocks"});
    EXPECT_FALSE(fs::exists(file("refused")));
}

TEST_F(FilesTest, ABatchWritesOverNothingThatItReads) {
    fs::create_directory(file("raw"));
    for (const char* name : {"raw/a.h5", "raw/b.h5"}) fs::copy_file(file("raw.h5"), file(name));
    const std::string sums = sum("raw/a.h5") + sum("raw/b.h5");
    const auto refused = [&](const std::string& jobs, const std::string& folder, const Words& words) {
        std::ofstream(file("jobs.yaml")) << jobs;
        SCOPED_TRACE(jobs);
        expect_bad_input({"batch", file("jobs.yaml"), "-o", file(folder), "--device", "cpu"}, words);
    };
    refused("scenes: [{input: raw/a.h5, output: c.h5}, raw/b.h5]", "raw", {"b.h5", "written over"});
    refused("scenes: [{input: raw/a.h5, output: b.h5}, {input: raw/b.h5, output: c.h5}]", "raw",
            {"scenes[0]", "b.h5", "scenes[1] reads"});
    refused("scenes: [raw/a.h5, {input: raw/b.h5, options: {report: ../raw/a.h5}}]", "out", {"scenes[1]", "written"});
    refused("scenes: [raw/a.h5, {input: raw/b.h5, options: {json: ../jobs.yaml}}]", "out", {"the batch reads"});
    refused("scenes: [raw/a.h5, {input: raw/b.h5, options: {report: x/../a.h5}}]", "out", {"already that of"});
    refused("scenes: [raw/a.h5, {input: raw/b.h5, options: {report: a.status.json}}]", "out", {"already that of"});
    EXPECT_EQ(sum("raw/a.h5") + sum("raw/b.h5"), sums);
}

TEST_F(FilesTest, NamesOfTheProgramAreNoFiles) {
    for (const char* folder : {"utm", "squint", "local"}) fs::create_directory(file(folder));
    const auto in_folder = [&] {
        if (chdir(file("").c_str()) != 0) _exit(125);
    };
    const Outcome scene = succeed({"simulate", "squint", "--print-scene"}, in_folder);
    const Outcome verified = run({"verify", "squint", "--polarization", "XX"}, in_folder);
    expect_in(verified.err, "no polarization XX in the scene");
    const Outcome map = run(focus({"--dry-run", "--grid", "utm", "--spacing", "10"}), in_folder);
    EXPECT_EQ(map.err.find("folder"), std::string::npos) << map.err;
    EXPECT_EQ(map.err.find("has its own"), std::string::npos) << map.err;
}

TEST_F(FilesTest, FilesOfAJobsFileLieWhereItLies) {
    fs::create_directory(file("list"));
    std::ofstream(file("list/grid.yaml")) << "projection: nowhere\nbounds: [0, 0, 9, 9]\nspacing: 3\n";
    std::ofstream(file("list/jobs.yaml"))
        << "options: {algorithm: backprojection, grid: grid.yaml}\nscenes:\n  - ../raw.h5\n"
           "  - {input: ../raw.h5, output: b.h5, options: {grid: utm}}\n";
    const Outcome outcome = run({"batch", file("list/jobs.yaml"), "-o", file("out"), "--device", "cpu"});
    expect_in(outcome.err, {"map 'nowhere'", "--grid utm: how large"});
}

TEST_F(FilesTest, ReportsMeasureTheDiskOnlyWhereThatWasAskedFor) {
    const auto little_room = [] {  // enough for the image, and not for the 64 MiB of a measurement
        const rlimit limit{4 << 20, 4 << 20};
        setrlimit(RLIMIT_FSIZE, &limit);
    };
    const auto report = [&] { return nlohmann::json::parse(text_of("slc.json")).at("job"); };
    const Words job = focus({"-o", file("slc.h5"), "--report", file("slc.json")});
    const Outcome usual = succeed(job, little_room);
    EXPECT_EQ(usual.err.find("warning"), std::string::npos) << usual.err;
    EXPECT_TRUE(report().at("disk_bound_s").is_null());
    EXPECT_TRUE(report().at("disk_gbytes_per_s").at("read").is_null());

    Words measured = job;
    measured.push_back("--measure-rates");
    const Outcome tight = succeed(measured, little_room);
    expect_in(tight.err, "--measure-rates: ");
    EXPECT_TRUE(report().at("disk_gbytes_per_s").at("write").is_null());
    EXPECT_GT(report().at("disk_gbytes_per_s").at("read"), 0);
    succeed(measured);
    EXPECT_GT(report().at("disk_bound_s"), 0);
    expect_bad_input(focus({"-o", file("slc.h5"), "--measure-rates"}), {"--measure-rates", "--report"});
}

TEST_F(FilesTest, AnElevationModelIsKnownByWhatIsInIt) {
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    succeed({"simulate", "radarsat", "-o", file("orbit.h5"), "--lines", "1600", "--samples", "2048"});
    write_dem("dem.h5", 321);
    std::ofstream(file("jobs.yaml")) << "options: {dem: dem.h5}\nscenes: [orbit.h5]\n";
    const auto done_before = [&] {
        const auto result =
            json_of({"batch", file("jobs.yaml"), "-o", file("out"), "--device", "cpu", "--resume", "--json"});
        return result.at("scenes")[0].at("done_before").get<bool>();
    };
    EXPECT_FALSE(done_before());
    const std::string image = sum("out/orbit.h5");
    fs::last_write_time(file("dem.h5"), fs::file_time_type::clock::now() + std::chrono::hours(1));
    EXPECT_TRUE(done_before()) << "touched";
    succeed({"focus", file("orbit.h5"), "-o", file("again.h5"), "--device", "cpu", "--dem", file("dem.h5")});
    const auto parameters = [&](const std::string& name) { return read_origin(file(name))->parameters_sha256; };
    EXPECT_EQ(parameters("again.h5"), parameters("out/orbit.h5"));
    write_dem("dem.h5", 322);
    EXPECT_FALSE(done_before()) << "other heights";
    EXPECT_NE(sum("out/orbit.h5"), image);
    unsetenv("SOURCE_DATE_EPOCH");
}

/// Blanks, letters of many bytes, and what formats, shells, YAML and pages could take for their own.
TEST_F(FilesTest, NamesMayHoldAnythingThatFilesMay) {
    const std::string folder = file("für 山 100 % {} <b>&'q' #1"), raw = folder + "/a {0} 山.h5";
    fs::create_directory(folder);
    fs::copy_file(file("raw.h5"), raw);
    const auto expect_good = [&](const Words& words) {
        SCOPED_TRACE(testing::PrintToString(words));
        succeed(words);
    };
    const std::string slc = folder + "/b %s ü.h5";
    expect_good({"focus", raw, "-o", slc, "--device", "cpu", "--png", folder + "/ö .png", "--report",
                 folder + "/r é.json", "--dump-stages", folder + "/stages {}"});
    expect_good({"focus", raw, "-o", slc, "--device", "cpu", "--report", folder + "/r.html", "--resume"});
    expect_good({"info", slc});
    expect_good({"analyze", slc, "--png", folder + "/{}.png", "--spectrum", folder + "/% d.png"});
    expect_good({"quicklook", slc, "-o", folder + "/q q.png"});
    expect_good({"multilook", slc, "-o", folder + "/{} .tif"});
    expect_good({"compare", slc, slc, "--json", folder + "/c {}.json"});
    expect_good({"verify", raw, "--device", "cpu", "--json", folder + "/v {}.json"});
    std::ifstream page(folder + "/r.html");
    const std::string html(std::istreambuf_iterator<char>(page), {});
    EXPECT_EQ(html.find("<b>"), std::string::npos) << "a name is no mark-up";
    for (const char* left : {"/ö .png", "/r é.json", "/stages {}", "/{}.png", "/% d.png", "/q q.png", "/{} .tif"})
        EXPECT_TRUE(fs::exists(folder + left)) << left;

    std::ofstream(folder + "/jobs.yaml") << "options: {png: '{name}.png'}\nscenes:\n  - \"a {0} 山.h5\"\n";
    expect_good({"batch", folder + "/jobs.yaml", "-o", folder + "/out put", "--device", "cpu"});
    for (const char* made : {"/out put/a {0} 山.h5", "/out put/a {0} 山.png", "/out put/a {0} 山.status.json"})
        EXPECT_TRUE(fs::exists(folder + made)) << made;
    const Outcome missing = run({"info", folder + "/none {} %s.h5"});
    EXPECT_EQ(missing.code, 2);
    expect_in(missing.err, "/none {} %s.h5: cannot be read");
}

/// Whatever is written, a disk that is full is told of as such, and leaves no half of it.
TEST_F(FilesTest, AFullDiskLeavesNothingBehind) {
    constexpr int not_allowed = 99;
    fs::create_directory(file("disk"));
    const auto on_little_disk = [&](const std::string& size) {
        return [this, size] {
            const std::string options = "size=" + size;
            if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                mount("none", file("disk").c_str(), "tmpfs", 0, options.c_str()) != 0)
                _exit(not_allowed);
            if (size == "4k") std::ofstream(file("disk/filler")) << std::string(4096, 'x');
        };
    };
    const auto ends = [&](const Words& words, const std::string& size) { return run(words, on_little_disk(size)); };
    const std::string out = file("disk/slc.h5");
    if (ends({"--version"}, "64k").code == not_allowed) GTEST_SKIP() << "no file system can be mounted here";
    for (const char* size : {"64k", "256k", "600k"}) {
        const Outcome focused = ends(focus({"-o", out}), size);
        EXPECT_EQ(focused.code, 3) << size << ": " << focused.err;
        EXPECT_EQ(std::count(focused.err.begin(), focused.err.end(), '\n'), 1) << focused.err;
        expect_in(focused.err, "slc.h5");
    }
    const Outcome picture = ends(focus({"-o", file("whole.h5"), "--png", file("disk/slc.png")}), "4k");
    EXPECT_EQ(picture.code, 3) << picture.err;
    expect_in(picture.err, "slc.png");
    const Outcome simulated = ends({"simulate", file("scene.yaml"), "-o", file("disk/raw.h5")}, "64k");
    EXPECT_EQ(simulated.code, 3) << simulated.err;
    std::ofstream(file("jobs.yaml")) << "scenes: [raw.h5]\n";
    const Outcome batch = ends({"batch", file("jobs.yaml"), "-o", file("disk/out"), "--device", "cpu"}, "64k");
    EXPECT_EQ(batch.code, 1) << batch.err;
    expect_in(batch.out, "1 failed");
}

/// In the place of standard output.
std::function<void()> printing_to(const char* path) {
    return [path] {
        const int file = open(path, O_WRONLY);
        if (file < 0 || dup2(file, STDOUT_FILENO) < 0) _exit(126);
    };
}

TEST_F(FilesTest, AFullStandardOutputIsAFailure) {
    const std::string raw = file("raw.h5");
    const std::vector<Words> jobs{{"info", raw},
                                  {"info", raw, "--json"},
                                  {"--help-all"},  // more than a buffer
                                  {"--version"},
                                  {"simulate", "spaceborne", "--print-scene"},
                                  {"completion", "man"},
                                  {"devices"},
                                  {"focus", raw, "--dry-run", "--device", "cpu"}};
    for (const Words& words : jobs) {
        SCOPED_TRACE(testing::PrintToString(words));
        const Outcome full = run(words, printing_to("/dev/full"));
        EXPECT_EQ(full.code, 3) << full.err;
        expect_in(full.err, "standard output: cannot be written: No space left");
        EXPECT_EQ(run(words, [] { close(STDOUT_FILENO); }).code, 3) << "closed";
        succeed(words);
    }
    EXPECT_EQ(run({"info", file("none.h5")}, printing_to("/dev/full")).code, 2) << "what comes first is told";
}

TEST_F(FilesTest, AReaderThatHasGoneIsNoFault) {
    const auto to_nobody = [](bool ignored) {
        return [ignored] {
            std::signal(SIGPIPE, ignored ? SIG_IGN : SIG_DFL);
            int ends[2];
            if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) _exit(126);
            close(ends[0]), close(ends[1]);
        };
    };
    for (const Words& words : {Words{"info", file("raw.h5")}, Words{"--help-all"}}) {
        const Outcome ignored = run(words, to_nobody(true)), usual = run(words, to_nobody(false));
        EXPECT_EQ(ignored.code, 128 + SIGPIPE);
        EXPECT_EQ(ignored.err, "");
        EXPECT_EQ(usual.code, -SIGPIPE);
    }
}

}  // namespace
}  // namespace cornerturn
