// SPDX-License-Identifier: Apache-2.0
#include "app/bench/pipeline_scene.h"

#include <algorithm>
#include <random>

#include "app/bench/bench_input.h"
#include "pipeline/formers/former.h"
#include "pipeline/proof/scene.h"
#include "pipeline/proof/simulator.h"

namespace cornerturn {
namespace {

/// Random numbers in the geometry of the spaceborne preset.
Acquisition acquisition_of(const PipelineRequest& request) {
    Scene scene = preset_scene("spaceborne");
    scene.lines = request.lines;
    scene.samples = request.samples;
    scene.sample_type = request.format;
    scene.targets = std::vector<SceneTarget>{};
    scene.noise_db = 0;
    scene.chirp_duration_s =
        std::min(scene.chirp_duration_s, 0.5 * static_cast<double>(request.samples) / scene.sample_rate_hz);
    return describe(scene);
}

}  // namespace

std::vector<std::byte> random_echo(const PipelineRequest& request) {
    const auto count = static_cast<std::size_t>(2 * request.lines * request.samples);
    if (request.format == SampleFormat::complex64) {
        const std::vector<float> numbers = random_numbers(count);
        const auto bytes = std::as_bytes(std::span(numbers));
        return {bytes.begin(), bytes.end()};
    }
    const std::size_t component = bytes_per_sample(request.format) / 2;
    std::vector<std::byte> bytes(count * component);
    std::minstd_rand generator(1);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(generator() >> 8);
        // Halves below 2: no infinities, no NaN.
        if (request.format == SampleFormat::float16 && i % 2 == 1) bytes[i] &= std::byte{0xbf};
    }
    return bytes;
}

Algorithm algorithm_for(const PipelineRequest& request) {
    const Acquisition acquisition = acquisition_of(request);
    const ImagePlan image =
        plan_image(acquisition, {.velocity = VelocityProfile(acquisition.effective_velocity_m_s.value()),
                                 .azimuth_bandwidth_hz = acquisition.azimuth_bandwidth_hz.value(),
                                 .range_window = {},
                                 .azimuth_window = {},
                                 .interpolation_taps = request.taps});
    Algorithm algorithm = former_named(request.algorithm).form(acquisition, image).algorithm;
    if (!request.padded) algorithm.least = {request.samples, request.lines};
    return algorithm;
}

}  // namespace cornerturn
