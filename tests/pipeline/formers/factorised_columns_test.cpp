// SPDX-License-Identifier: Apache-2.0
// Factorised back-projection column by column, out to the edges of the swath: against the sum in double precision of
// lines that hold all that range compression makes of the echo, between whose cells nothing is neglected.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/formers/exact_sum.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

struct ColumnsCase {
    const char* name;
    Scene scene;
    double azimuth_bandwidth_hz;
    ImageExtent extent;
    std::vector<double> errors_db;
    const char* azimuth_window = "none";
};
void PrintTo(const ColumnsCase& of, std::ostream* to) { *to << of.name; }

Scene long_apertures() {
    Scene scene = preset_scene("nisar");
    scene.lines = 1500;
    scene.samples = 360;
    scene.chirp_slope_hz_s *= scene.chirp_duration_s / 8e-6;
    scene.chirp_duration_s = 8e-6;
    return scene;
}
/// Likewise with a range band that is such a part of the carrier: azimuth windows see its frequencies elsewhere.
Scene wide_band(double part, double yaw_deg = 0) {
    Scene scene = long_apertures();
    const double band_hz = part * scene.carrier_hz;
    scene.sample_rate_hz = 1.25 * band_hz;
    scene.chirp_duration_s = 154 / band_hz;
    scene.chirp_slope_hz_s = band_hz / scene.chirp_duration_s;
    scene.beam.yaw_deg = yaw_deg;
    return scene;
}
/// Beam centres that come later from column to column: the Doppler window begins and ends all along a row.
Scene held_level(std::int64_t lines, std::int64_t samples) {
    Scene scene = squinted_scene(0, lines, samples);
    scene.beam.steering = Steering::fixed;
    return scene;
}

class FactorisedColumns : public testing::TestWithParam<ColumnsCase> {};

/// Noise fills every frequency and every sample: the compressed lines end at both edges of the swath at their
/// brightest, and so does the Doppler band.
TEST_P(FactorisedColumns, HoldTheErrorThatWasChosenOutToTheEdgesOfTheSwath) {
    Scene scene = GetParam().scene;
    scene.targets = std::vector<SceneTarget>{};
    scene.noise_db = 0;
    const Echo echo = simulate(scene);
    const auto device = open_device("cpu", 2);
    std::optional<const ExactSum> exact;
    for (const double allowed_db : GetParam().errors_db) {
        FocusOptions options = by("ffbp");
        options.error_db = allowed_db;
        options.extent = GetParam().extent;
        options.azimuth_bandwidth_hz = GetParam().azimuth_bandwidth_hz;
        options.azimuth_window = Window::parse(GetParam().azimuth_window);
        const FocusResult result = focus(*device, echo, options);
        if (!exact) exact.emplace(echo, result.report.setup.image);
        expect_columns_within(result.image, *exact, allowed_db);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, FactorisedColumns,
    testing::Values(ColumnsCase{"Squint", squinted_scene(0.6, 800, 560), 1100, ImageExtent::full, {-40, -60, -80}},
                    ColumnsCase{"SquintValid", squinted_scene(0.6, 1000, 700), 1000, ImageExtent::valid, {-40, -60}},
                    ColumnsCase{"Broadside", squinted_scene(0, 800, 560), 1100, ImageExtent::full, {-60}},
                    ColumnsCase{"HeldLevel", held_level(800, 560), 700, ImageExtent::full, {-60}},
                    ColumnsCase{"LongApertures", long_apertures(), 1000, ImageExtent::full, {-40, -60}},
                    ColumnsCase{"Hamming", wide_band(0.03), 1000, ImageExtent::full, {-60}, "hamming"},
                    ColumnsCase{"HammingOnePercent", wide_band(0.01), 1000, ImageExtent::full, {-80}, "hamming"},
                    ColumnsCase{"Kaiser", wide_band(0.03), 1000, ImageExtent::full, {-40}, "kaiser:6"},
                    ColumnsCase{"TaylorSquint", wide_band(0.1, 1), 900, ImageExtent::full, {-60}, "taylor"}),
    [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace cornerturn
