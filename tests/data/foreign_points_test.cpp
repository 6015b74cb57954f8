// SPDX-License-Identifier: Apache-2.0
// Echoes that other programs wrote, of nine points each, without attitude and without a Doppler centroid: with no
// option at all every point is where the truth has it, as wide as theory says.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/nisar/l0b_reader.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/run/focus.h"
#include "tests/data/product_fixture.h"
#include "tests/support/on_cpu.h"
#include "tests/support/whole_files.h"

namespace cornerturn {
namespace {

class ForeignPoints : public testing::TestWithParam<const char*> {};

TEST_P(ForeignPoints, FocusWithNoOption) {
    const std::string name = GetParam();
    const auto file = shared_file(name + ".h5"), truth = shared_file(name + "_truth.json");
    if (!file || !truth) GTEST_SKIP() << "shared data are not here";
    std::vector<std::string> warnings;
    const Echo echo = read_l0b(*file, {}, warnings);
    ASSERT_FALSE(echo.acquisition.doppler_centroid_hz || predicted_doppler(echo.acquisition));
    const auto device = open_device("cpu");
    EchoInMemory recorded(echo);
    const FocusOptions options;
    const auto uniform = on_even_lines(recorded, options, on_cpu());
    EchoSource* const source = uniform ? uniform.get() : &recorded;
    ImageInMemory sink;
    const auto report = focus_frames(*device, std::span(&source, 1), options, sink).front();
    const nlohmann::json known = nlohmann::json::parse(std::ifstream(*truth));
    EXPECT_NEAR(report.setup.doppler.centroid_hz, known.at("params").at("fdc").get<double>(),
                3 * report.setup.doppler.error_hz.value());
    EXPECT_LT(*report.setup.doppler.error_hz, 0.02 * echo.acquisition.prf_hz);
    for (const auto& target : known.at("targets")) {
        const PointAnalysis point =
            analyze_point(ImageView(sink.image),
                          {.range_m = target.at("R0"), .time_s = target.at("eta0"), .exact = true, .amplitude = {}});
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::abs(point.range.position_error_px.value()), 0.01);
        EXPECT_LT(std::abs(point.azimuth.position_error_px.value()), 0.01);
        // Of all that is wide here (neither file knows its beam): what the truth says the beam is.
        const double beam_hz = known.at("params").at("ba"),
                     theory_px = 0.886 / (beam_hz * sink.image.grid.time_spacing_s);
        EXPECT_NEAR(point.azimuth.measured.irw_px, theory_px, 0.02 * theory_px);
    }
}

INSTANTIATE_TEST_SUITE_P(Files, ForeignPoints,
                         testing::Values("foreign/nisar_l0b", "foreign/nisar_dithered_l0b", "points/xband",
                                         "points/xband_squint"),
                         [](const auto& one) {
                             const std::string name = one.param;
                             return name.substr(name.find('/') + 1);
                         });

}  // namespace
}  // namespace cornerturn
