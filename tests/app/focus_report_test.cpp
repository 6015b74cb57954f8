// SPDX-License-Identifier: Apache-2.0
// What a run says of itself, of times and rates that are known.
#include "app/verbs/focus_report.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "app/json_text.h"
#include "pipeline/proof/simulator.h"
#include "tests/data/product_fixture.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class FocusReports : public ProductTest {
protected:
    FocusReports() {
        Scene scene = small_scene(500, 600);
        scene.targets.emplace();
        scene.noise_db = 0;
        acquisition_ = describe(scene);
        options_.software = "test";
        options_.velocity_m_s = 120;
        setup_ = set_up_focus(*device_, acquisition_, options_);
    }
    /// 8 MB up, 32 MB down; a second of reading beside three of computing, half a second of a turn, two of writing.
    FocusReport frame() const {
        FocusReport report;
        report.acquisition = acquisition_;
        report.setup = setup_;
        report.stages = {{"range_compression", 3, {{"read", 1}, {"compute", 3}}},
                         {"corner_turn", 0.5},
                         {"write", 2, {{"write", 2}}}};
        report.wall_s = 5.5;
        report.transferred = {.uploaded_bytes = 8000000, .downloaded_bytes = 32000000};
        report.stored_bytes = 6000000;
        return report;
    }
    FocusRun run_of(std::size_t frames) const {
        FocusRun run;
        run.input = "raw.h5";
        run.output = "slc.h5";
        run.options = options_;
        run.device = device_->info();
        run.frames.assign(frames, frame());
        run.devices = {{.device = "cpu", .blocks = 2, .busy_s = 4}};
        run.written_bytes = 32000000;
        run.wall_s = 6;
        run.rates = {.bus = {4e6, 8e6}, .disk_read = 3e6, .disk_write = 16e6};
        run.products = {{.path = "slc.h5", .bytes = 7, .sha256 = std::string(64, 'a')}};
        return run;
    }
    static nlohmann::json report_of(const FocusRun& run) { return nlohmann::json::parse(report_text(focus_json(run))); }
    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

    std::unique_ptr<Device> device_ = open_device("cpu", 1);
    Acquisition acquisition_;
    FocusOptions options_;
    FocusSetup setup_;
};

TEST_F(FocusReports, BoundsAreBytesOverRates) {
    const FocusRun one = run_of(1), two = run_of(2);
    EXPECT_DOUBLE_EQ(one.busy_s("read"), 1);
    EXPECT_DOUBLE_EQ(two.busy_s("write"), 4);
    EXPECT_DOUBLE_EQ(one.transfer_bound_s(), 8 / 4.0 + 32 / 8.0);
    EXPECT_DOUBLE_EQ(two.transfer_bound_s(), 12);
    EXPECT_DOUBLE_EQ(one.disk_bound_s(), 32 / 16.0 + 6 / 3.0);
    EXPECT_DOUBLE_EQ(two.disk_bound_s(), 32 / 16.0 + 2 * 6 / 3.0);
    FocusRun shared = two;
    shared.devices.push_back({.device = "cpu"});
    EXPECT_DOUBLE_EQ(shared.transfer_bound_s(), 6) << "each device has a bus";
    shared.rates = {};
    EXPECT_EQ(shared.transfer_bound_s(), 0) << "not measured";
    EXPECT_EQ(shared.disk_bound_s(), 0);
}

TEST_F(FocusReports, SummariesAreOneLine) {
    EXPECT_EQ(summary_line(run_of(1)),
              "slc.h5: 500 rows x 600 columns on cpu in 6.00 s (busy: read 1.00, upload 0.00, compute 3.50, download "
              "0.00, write 2.00 s; bounds: bus 6.000, disk 4.000 s)");
    FocusRun ranks = run_of(2);
    ranks.rates = {};
    ranks.ranks.resize(3);
    EXPECT_EQ(summary_line(ranks),
              "slc.h5: 2 images, 500 rows x 600 columns on 3 ranks in 6.00 s (rank 0 busy: read 2.00, upload 0.00, "
              "compute 7.00, download 0.00, write 4.00 s)");
}

TEST_F(FocusReports, PlansNameEchoParametersAndMemory) {
    const std::string text = setup_text(acquisition_, setup_, options_, device_->info());
    for (const char* line :
         {"echo                  500 lines x 600 samples, A HH, PRF 400.000 Hz, sampled at 100.000 MHz\n",
          "pulse                 9.65 GHz, 72.000 MHz in 2.00 us (200 samples), up-chirp\n",
          "Doppler centroid      0.00 Hz (file)\n", "effective velocity    120.000 to 120.000 m/s (option)\n",
          "windows               range none, azimuth none\n", "algorithm             rda (range-Doppler)\n",
          "azimuth blocks        one: the scene fits\n"})
        expect_in(text, line);
    EXPECT_FALSE(has(text, "autofocus")) << text;
    EXPECT_FALSE(has(text, "delays")) << text;
    FocusOptions more = options_;
    more.autofocus = Autofocus::phase_gradient;
    more.range_delay_m = -3;
    const std::string longer = setup_text(acquisition_, setup_, more, device_->info());
    expect_in(longer, "autofocus             phase gradient (PGA); before the image itself");
    expect_in(longer, "delays                -3 m of the instrument, troposphere none\n");
}

TEST_F(FocusReports, SharesSayWhoDoesWhat) {
    FocusSetup setup = setup_;
    const auto text = [&] { return shares_text(std::span(&setup, 1), "cpu,cpu", 2); };
    setup.memory.why_no_slabs = "too short";
    expect_in(text(), "2 devices             one of cpu,cpu does it");
    expect_in(text(), "(too short)");
    setup.memory.blocks.resize(5);
    setup.memory.waiting_bytes = 3 << 20;
    expect_in(text(), "cpu,cpu share 5 blocks of 1 image;");
    expect_in(text(), "up to 3 MiB");
    setup.memory.slabs = 2;
    expect_in(text(), "cpu,cpu hold the scene, which is one block, in parts");
}

TEST_F(FocusReports, SharesOfRanksSayWhoDoesWhat) {
    FocusSetup setup = setup_;
    const auto text = [&] { return ranks_text(std::span(&setup, 1), 3); };
    setup.memory.why_no_slabs = "too short";
    expect_in(text(), "3 ranks               one of them does it");
    expect_in(text(), "(too short)");
    setup.memory.blocks.resize(5);
    expect_in(text(), "they share 5 blocks of 1 image\n");
    setup.memory.blocks.resize(1);
    setup.memory.slabs = 3;
    expect_in(text(), "they hold the scene, which is one block, in parts");
    expect_in(setup_text(acquisition_, setup, options_, device_->info()), "azimuth blocks        one, in 3 parts\n");
}

TEST_F(FocusReports, JsonTellsOfEveryFrameAndDevice) {
    FocusRun run = run_of(1);
    run.warnings = {"of the file"};
    run.frames[0].warnings = {"of the frame"};
    run.devices.push_back({.device = "cpu", .lost = "no memory"});
    const nlohmann::json one = report_of(run);
    EXPECT_EQ(one["warnings"], (nlohmann::json{"of the file", "of the frame"}));
    EXPECT_EQ(one["devices"][0], (nlohmann::json{{"name", "cpu"}, {"blocks", 2}, {"busy_s", 4.0}}));
    EXPECT_EQ(one["devices"][1]["lost"], "no memory");
    EXPECT_EQ(one["products"][0]["sha256"], std::string(64, 'a'));
    EXPECT_EQ(one["job"]["transfer_bound_s"], run.transfer_bound_s());
    EXPECT_EQ(one["job"]["busy_s"]["compute"], 3.5);
    EXPECT_EQ(one["job"]["disk_gbytes_per_s"]["read"], 3e-3);
    EXPECT_EQ(one["frames"][0]["stages"][0]["busy_s"]["read"], 1);
    EXPECT_EQ(one["frames"][0]["plan"]["velocity_m_s"], (nlohmann::json{120.0, 120.0}));
    EXPECT_EQ(one["frames"][0]["plan"]["image"]["rows"], 500);
    EXPECT_EQ(one["frames"].size(), 1u) << "the shape of several";
    EXPECT_FALSE(one["frames"][0].contains("non_finite_samples"));
    run = run_of(2);
    run.rates = {};
    run.frames[1].non_finite_samples = 11;
    const nlohmann::json two = report_of(run);
    ASSERT_EQ(two["frames"].size(), 2u);
    EXPECT_EQ(two["frames"][1]["non_finite_samples"], 11);
    EXPECT_TRUE(two["job"]["disk_bound_s"].is_null()) << "not measured";
    EXPECT_TRUE(two["job"]["bus_gbytes_per_s"]["upload"].is_null()) << "not measured";
}

TEST(JsonText, TakesBytesThatAreNoText) {
    const nlohmann::json json{{"input", "\xff.h5"}};
    EXPECT_EQ(report_text(json), "{\n  \"input\": \"\xEF\xBF\xBD.h5\",\n  \"schema_version\": 1\n}\n");
    const std::string report = report_text(nlohmann::ordered_json{{"a", std::numeric_limits<double>::infinity()}});
    EXPECT_EQ(report, "{\n  \"schema_version\": 1,\n  \"a\": null\n}\n");
}

TEST_F(FocusReports, AutofocusIsTold) {
    AutofocusReport report;
    report.record.method = Autofocus::phase_gradient;
    report.verdict = "phase error taken away";
    report.wall_s = 2.25;
    EXPECT_EQ(autofocus_line(report), "autofocus by phase gradient (PGA): phase error taken away (2.2 s)");
    report.rms_rad = 1.5;
    report.largest_rad = 3;
    report.bend_rad = 0.75;
    report.told_lines = 400;
    report.rounds = {{.rms_rad = 1.5, .targets = 8}, {.rms_rad = 0.1, .targets = 9}};
    report.residual_rad = 0.0625;
    EXPECT_EQ(
        autofocus_line(report),
        "autofocus by phase gradient (PGA): phase error taken away; 1.500 rad rms (85.9 degrees), 3.000 rad (171.9 "
        "degrees) at most over 400 lines (0.750 rad of it bend within apertures), in 2 rounds; against the truth of "
        "the file 0.062 rad rms are left (2.2 s)");
    FocusRun run = run_of(1);
    run.autofocus = report;
    const nlohmann::json json = report_of(run)["autofocus"];
    EXPECT_EQ(json["method"], "pga");
    EXPECT_EQ(json["rounds"][1]["targets"], 9);
    EXPECT_EQ(json["residual_rms_rad"], 0.0625);
    EXPECT_EQ(json["lines_used"], 400);
}

}  // namespace
}  // namespace cornerturn
