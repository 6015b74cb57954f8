// SPDX-License-Identifier: Apache-2.0
// The scene that pipeline tests begin with: X band, an aperture of some 200 lines; and what is asked of an algorithm
// for it.
#pragma once

#include "pipeline/formers/former.h"
#include "pipeline/plan/focus_options.h"
#include "pipeline/proof/scene.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {

inline Scene small_scene(std::int64_t lines, std::int64_t samples) {
    Scene scene;
    scene.carrier_hz = 9.65e9;
    scene.prf_hz = 400;
    scene.sample_rate_hz = 100e6;
    scene.near_range_m = 3000;
    scene.lines = lines;
    scene.samples = samples;
    scene.chirp_slope_hz_s = 36e12;
    scene.chirp_duration_s = 2e-6;
    scene.velocity_m_s = 120;
    scene.azimuth_bandwidth_hz = 180;
    return scene;
}

/// With a target at one of 900 samples of the swath, in mid-scene.
inline Scene one_target(double sample = 300.4) {
    Scene scene = small_scene(700, 900);
    scene.targets = {{SceneTarget{BeamCentrePosition{350.3, sample}, 2.0, 40.0}}};
    return scene;
}

/// The airborne preset, at less range; its band in a quarter of the time leaves more samples that the pulse fills.
inline Scene small_airborne_scene(std::int64_t lines, std::int64_t samples) {
    Scene scene = preset_scene("airborne");
    scene.near_range_m = 8000;
    scene.lines = lines;
    scene.samples = samples;
    scene.chirp_slope_hz_s *= 4;
    scene.chirp_duration_s /= 4;
    return scene;
}

/// C band from an orbit with an antenna that is not steered; at 0.6 degrees of yaw some -10 kHz.
inline Scene squinted_scene(double yaw_deg, std::int64_t lines, std::int64_t samples) {
    Scene scene = preset_scene("radarsat");
    scene.lines = lines;
    scene.samples = samples;
    scene.sample_rate_hz = 24e6;
    scene.chirp_slope_hz_s = -1.125e12;
    scene.chirp_duration_s = 16e-6;
    scene.azimuth_bandwidth_hz = 1000;
    scene.near_range_m = 930e3;
    std::get<KeplerOrbit>(scene.orbit).latitude_argument_deg = 5;
    scene.beam.yaw_deg = yaw_deg;
    return scene;
}

/// The whole PRF, at the file's velocity and Doppler centroid.
inline FormerParameters parameters_of(const Acquisition& acquisition) {
    FormerParameters parameters;
    parameters.doppler_centroid_hz = acquisition.doppler_centroid_hz.value();
    parameters.velocity = VelocityProfile(acquisition.effective_velocity_m_s.value());
    parameters.azimuth_bandwidth_hz = acquisition.prf_hz;
    return parameters;
}

/// A job by one algorithm.
inline FocusOptions by(std::string_view algorithm) {
    FocusOptions options;
    options.algorithm = algorithm;
    return options;
}

/// An echo by one algorithm, without what a whole job adds.
inline Image focus_by(std::string_view algorithm, Device& device, const Echo& echo, const FormerParameters& parameters,
                      const LoweringHints& hints = {}) {
    const Acquisition& acquisition = echo.acquisition;
    const ImagePlan plan = plan_image(acquisition, parameters);
    Matrix samples = device.allocate(acquisition.format, acquisition.lines, acquisition.samples);
    device.upload(echo.samples, samples);
    const Matrix focused =
        StepRunner(device, former_named(algorithm).form(acquisition, plan).algorithm, hints).run(samples);
    Image image{
        .acquisition = acquisition,
        .grid = plan.grid,
        .processing = {.algorithm = std::string(algorithm),
                       .doppler_centroid_hz = parameters.doppler_centroid_hz,
                       .effective_velocity_m_s = velocities_m_s(plan),
                       .range_bandwidth_hz = acquisition.chirp.bandwidth_hz(),
                       .azimuth_bandwidth_hz = parameters.azimuth_bandwidth_hz,
                       .range_window = parameters.range_window,
                       .azimuth_window = parameters.azimuth_window,
                       .software = "test"},
        .valid_columns = plan.coverage.valid.intervals,
        .intervals_per_row = plan.coverage.valid.intervals_per_row,
        .samples = std::vector<std::complex<float>>(static_cast<std::size_t>(plan.grid.rows * plan.grid.columns))};
    device.download(focused, std::span(image.samples));
    return image;
}

}  // namespace cornerturn
