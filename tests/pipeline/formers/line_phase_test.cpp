// SPDX-License-Identifier: Apache-2.0
// Phases that a file gives for its lines are taken back, whatever the algorithm.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/phasor.h"

namespace cornerturn {
namespace {

class LinePhase : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, LinePhase, every_device(), device_name);

/// The same echo with other phases, and what takes them back.
Echo turned(Echo echo) {
    auto* samples = reinterpret_cast<std::complex<float>*>(echo.samples.data());
    for (std::int64_t line = 0; line < echo.acquisition.lines; ++line) {
        const double cycles = std::sin(0.7 * static_cast<double>(line)) + 0.01 * static_cast<double>(line);
        echo.acquisition.line_phase_cycles.push_back(-cycles);
        for (std::int64_t k = 0; k < echo.acquisition.samples; ++k)
            samples[line * echo.acquisition.samples + k] *= std::complex<float>(phasor(cycles));
    }
    return echo;
}

TEST_P(LinePhase, IsTakenBackByEveryAlgorithm) {
    Scene scene = small_airborne_scene(600, 700);
    scene.azimuth_bandwidth_hz = 40;
    scene.targets = {{SceneTarget{BeamCentrePosition{300.3, 200.4}, 1.0, 40.0}}};
    const Echo plain = simulate(scene), other = turned(plain);
    for (const char* algorithm : {"rda", "csa", "omegak"})
        for (const std::optional<std::int64_t> rows :
             {std::optional<std::int64_t>{}, std::optional<std::int64_t>{150}}) {
            SCOPED_TRACE(algorithm);
            FocusOptions options = by(algorithm);
            options.memory.block_rows = rows;
            const Image expected = focus(*device, plain, options).image, got = focus(*device, other, options).image;
            EXPECT_GT(signal_to_error_db(got.samples, expected.samples), 110);
        }
    FocusOptions options;
    options.doppler_from = ParameterSource::data;  // before any algorithm: the phases of lines are no Doppler frequency
    EXPECT_NEAR(focus(*device, other, options).image.processing.doppler_centroid_hz,
                focus(*device, plain, options).image.processing.doppler_centroid_hz, 0.1);
}

}  // namespace
}  // namespace cornerturn
