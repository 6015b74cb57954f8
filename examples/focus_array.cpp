// SPDX-License-Identifier: Apache-2.0
// Focuses an echo that lies in memory of our own into memory of our own. The echo is one point target's, simulated;
// exit code 1 where it is found more than a thousandth of a pixel from its place.
#include <cornerturn/kernels/device/device.h>
#include <cornerturn/pipeline/measure/point_analysis.h>
#include <cornerturn/pipeline/proof/simulator.h>
#include <cornerturn/pipeline/run/focus.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <vector>

namespace ct = cornerturn;

namespace {

/// X band, an aperture of some 200 lines.
ct::Scene one_point() {
    ct::Scene scene;
    scene.carrier_hz = 9.65e9;
    scene.prf_hz = 400;
    scene.sample_rate_hz = 100e6;
    scene.near_range_m = 3000;
    scene.lines = scene.samples = 512;
    scene.chirp_slope_hz_s = 36e12;
    scene.chirp_duration_s = 2e-6;
    scene.velocity_m_s = 120;
    scene.azimuth_bandwidth_hz = 180;
    scene.targets = {{.position = ct::BeamCentrePosition{.line = 256.3, .sample = 150.7}}};
    return scene;
}

}  // namespace

int main() try {
    const ct::Echo echo = ct::simulate(one_point());
    ct::EchoInMemory source(echo.acquisition, std::as_bytes(std::span(echo.samples)));
    std::vector<std::complex<float>> pixels;
    ct::Image header;
    ct::ImageInto sink([&](const ct::Image& image) {
        header = image;
        pixels.resize(static_cast<std::size_t>(image.grid.rows * image.grid.columns));
        return std::span(pixels);
    });
    ct::focus(*ct::open_device("cpu"), source, {}, sink);

    header.samples = pixels;
    const ct::PointAnalysis point = ct::analyze_point(header, ct::known_targets(header).at(0));
    const double range_px = point.range.position_error_px.value(), azimuth_px = point.azimuth.position_error_px.value();
    std::printf("off by %.6f px in range, %.6f px in azimuth\n", range_px, azimuth_px);
    return std::hypot(range_px, azimuth_px) < 1e-3 ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
