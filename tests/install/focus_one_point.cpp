// SPDX-License-Identifier: Apache-2.0
// Simulates one point target, focuses it on the CPU, writes and reads the image, and measures how far the point lies
// from where it should be. Exit code 1 beyond a thousandth of a pixel.
#include <cornerturn/data/nisar/rslc_reader.h>
#include <cornerturn/data/nisar/rslc_writer.h>
#include <cornerturn/kernels/device/device.h>
#include <cornerturn/pipeline/proof/point_analysis.h>
#include <cornerturn/pipeline/proof/simulator.h>
#include <cornerturn/pipeline/run/focus.h>

#include <cmath>
#include <cstdio>
#include <exception>

namespace ct = cornerturn;

namespace {

/// X band, an aperture of some 200 lines.
ct::Scene one_point() {
    ct::Scene scene;
    scene.carrier_hz = 9.65e9;
    scene.prf_hz = 400;
    scene.sample_rate_hz = 100e6;
    scene.near_range_m = 3000;
    scene.lines = 512;
    scene.samples = 512;
    scene.chirp_slope_hz_s = 36e12;
    scene.chirp_duration_s = 2e-6;
    scene.velocity_m_s = 120;
    scene.azimuth_bandwidth_hz = 180;
    scene.targets = {{.position = ct::BeamCentrePosition{.line = 256.3, .sample = 150.7}}};
    return scene;
}

int focus_one_point(const char* file) {
    const auto device = ct::open_device("cpu");
    ct::write_rslc(file, ct::focus(*device, ct::simulate(one_point()), {}).image);
    const ct::Image image = ct::read_rslc(file);
    const ct::PointAnalysis point = ct::analyze_point(image, ct::known_targets(image).at(0));
    if (!point.refused.empty()) {
        std::fprintf(stderr, "not measured: %s\n", point.refused.c_str());
        return 1;
    }
    const double range_px = point.range.position_error_px.value(), azimuth_px = point.azimuth.position_error_px.value();
    std::printf("off by %.6f px in range, %.6f px in azimuth\n", range_px, azimuth_px);
    return std::hypot(range_px, azimuth_px) < 1e-3 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
    return focus_one_point(argc > 1 ? argv[1] : "one_point.h5");
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
