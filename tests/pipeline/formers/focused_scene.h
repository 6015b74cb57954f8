// SPDX-License-Identifier: Apache-2.0
// What is asked of every algorithm for small scenes.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "kernels/device/device_bench.h"
#include "kernels/errors.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {

inline Scene at_doppler(Scene scene, double centroid_hz) {
    scene.doppler_centroid_hz = centroid_hz;
    return scene;
}

/// 1 GHz, 20 % of it as band, 20 degrees as beam.
inline Scene wide_scene() {
    Scene scene = small_scene(1800, 1300);
    scene.carrier_hz = 1e9;
    scene.prf_hz = 200;
    scene.sample_rate_hz = 240e6;
    scene.near_range_m = 700;
    scene.chirp_slope_hz_s = 1e14;
    scene.velocity_m_s = 60;
    scene.azimuth_bandwidth_hz = 139;
    scene.targets = {{SceneTarget{BeamCentrePosition{900.3, 80.4}, 1.0, 40.0}}};
    return scene;
}

/// Those of the reference stage.
struct FocusLimits {
    double position_px = 0.01, width = 0.01, phase_deg = 1;
};

inline void expect_focused(const Image& image, const FocusLimits& limits = {}) {
    const std::vector<AnalysisTarget> targets = known_targets(image);
    ASSERT_FALSE(targets.empty()) << "nothing to measure";
    for (const AnalysisTarget& target : targets) {
        const PointAnalysis point = analyze_point(image, target);
        ASSERT_EQ(point.refused, "");
        for (const AxisAnalysis& axis : {point.range, point.azimuth}) {
            EXPECT_LT(std::abs(axis.position_error_px.value()), limits.position_px);
            EXPECT_NEAR(axis.measured.irw_px / axis.theory.irw_px, 1, limits.width);
        }
        EXPECT_LT(std::abs(point.phase_error_deg.value()), limits.phase_deg);
    }
}

/// A scene as it is; with the chirp the other way round; of prime numbers of lines and samples; and with each of these
/// Doppler centroids.
inline void expect_focused_scenes(std::string_view algorithm, Device& device, const Scene& scene,
                                  std::initializer_list<double> dopplers_hz) {
    const auto expect = [&](const char* what, const Scene& changed) {
        SCOPED_TRACE(testing::Message() << what << ", Doppler centroid " << changed.doppler_centroid_hz << " Hz");
        const Echo echo = simulate(changed);
        expect_focused(focus_by(algorithm, device, echo, parameters_of(echo.acquisition)));
    };
    expect("as it is", scene);
    Scene down = scene;
    down.chirp_slope_hz_s = -scene.chirp_slope_hz_s;
    expect("down-chirp", down);
    Scene prime = scene;
    prime.lines = 701;
    prime.samples = 907;
    expect("prime numbers", prime);
    for (const double doppler_hz : dopplers_hz) {
        Scene ambiguous = scene;
        ambiguous.doppler_centroid_hz = doppler_hz;
        expect("ambiguous", ambiguous);
    }
}

inline double power_of(const Image& image, Interval rows, Interval columns) {
    double sum = 0;
    for (std::int64_t row = rows.first; row < rows.last; ++row)
        for (std::int64_t column = columns.first; column < columns.last; ++column)
            sum += std::norm(image.samples[static_cast<std::size_t>(row * image.grid.columns + column)]);
    return sum;
}

/// The last column reads a chirp and its migration beyond the echo, the first one before it; a target at the first line
/// leaves nothing at the last ones. A scene of 700 lines and 900 samples.
inline void expect_nothing_wraps(std::string_view algorithm, Device& device, Scene scene) {
    struct Case {
        BeamCentrePosition target;
        bool in_rows, at_begin;  ///< where it would wrap to
    };
    for (const Case& c : {Case{{350, 2}, false, false}, Case{{350, 700}, false, true}, Case{{5, 300}, true, false}}) {
        scene.targets = {{SceneTarget{c.target, 1.0, 0.0}}};
        const Echo echo = simulate(scene);
        const Image image = focus_by(algorithm, device, echo, parameters_of(echo.acquisition));
        const Interval rows{0, static_cast<std::int32_t>(image.grid.rows)},
            columns{0, static_cast<std::int32_t>(image.grid.columns)};
        const auto part = [&](Interval all) {
            return c.at_begin ? Interval{0, 200} : Interval{all.last - 200, all.last};
        };
        EXPECT_LT(power_of(image, c.in_rows ? part(rows) : rows, c.in_rows ? columns : part(columns)),
                  1e-5 * power_of(image, rows, columns));
    }
}

struct PlaceInGrid {
    std::int64_t row, column;
};
/// Of the first pixel of another grid.
inline PlaceInGrid place_in(const ImageGrid& full, const ImageGrid& part) {
    return {std::lround((part.first_time_s - full.first_time_s) / full.time_spacing_s),
            std::lround((part.near_range_m - full.near_range_m) / full.range_spacing_m)};
}

/// The samples of an image at the places of another one on the same grid, which covers less.
inline std::vector<std::complex<float>> same_area(const Image& full, const ImageGrid& part) {
    const PlaceInGrid at = place_in(full.grid, part);
    std::vector<std::complex<float>> same;
    for (std::int64_t row = at.row; row < at.row + part.rows; ++row) {
        const auto begin = full.samples.begin() + row * full.grid.columns + at.column;
        same.insert(same.end(), begin, begin + part.columns);
    }
    return same;
}

/// Strong noise over 1800 lines.
inline Scene noisy(Scene scene) {
    scene.noise_db = 0;
    scene.lines = 1800;
    return scene;
}

/// `valid` against the same area of `full`, all of which is covered there; returns the signal-to-error ratio in dB.
inline double valid_against_full_db(std::string_view algorithm, Device& device, const Echo& echo,
                                    FormerParameters parameters) {
    const Image full = focus_by(algorithm, device, echo, parameters);
    parameters.extent = ImageExtent::valid;
    const Image valid = focus_by(algorithm, device, echo, parameters);
    EXPECT_GT(valid.grid.rows, 0);
    const PlaceInGrid at = place_in(full.grid, valid.grid);
    EXPECT_LE(at.row + valid.grid.rows, full.grid.rows);
    for (std::int64_t row = at.row; row < at.row + valid.grid.rows; ++row) {
        const Interval covered = full.valid_columns[static_cast<std::size_t>(row)];
        EXPECT_LE(covered.first, at.column);
        EXPECT_GE(covered.last, at.column + valid.grid.columns);
    }
    return signal_to_error_db(valid.samples, same_area(full, valid.grid));
}

/// Single precision, and on a GPU every way through the steps with a gather of its own, against the same passes in
/// double.
inline void expect_100_decibels(std::string_view algorithm, Device& device, Scene scene,
                                const std::optional<FftLengths>& lengths = {}) {
    scene.noise_db = -10;
    scene.sample_type = SampleFormat::int16;
    const Echo echo = simulate(scene);
    const FormerParameters parameters = parameters_of(echo.acquisition);
    const Image twice = focus_by(algorithm, *open_device("cpu-double", 2), echo, parameters, {.fft_lengths = lengths});
    for (const Chain chain : device.bench().chains()) {
        if (chain == Chain::turn_free) continue;
        SCOPED_TRACE(name_of(chain));
        const Image once = focus_by(algorithm, device, echo, parameters, {.chain = chain, .fft_lengths = lengths});
        EXPECT_GT(signal_to_error_db(once.samples, twice.samples), 100);
    }
}

/// That of the target of one_target, but for the Fresnel ripple of a beam with sharp edges.
inline void expect_amplitude_within_the_beam(std::string_view algorithm, Device& device, const Scene& scene,
                                             double part = 0.8) {
    const Echo echo = simulate(scene);
    FormerParameters parameters = parameters_of(echo.acquisition);
    parameters.azimuth_bandwidth_hz = part * echo.acquisition.azimuth_bandwidth_hz.value();
    const Image image = focus_by(algorithm, device, echo, parameters);
    EXPECT_NEAR(analyze_point(image, known_targets(image).at(0)).magnitude, 2.0, 0.02);
}

/// That an algorithm does not hold for a scene, by an error that names why.
inline void expect_refused(std::string_view algorithm, const Scene& scene, const FormerParameters& parameters,
                           std::string_view naming) {
    const Acquisition acquisition = describe(scene);
    expect_refused([&] { former_named(algorithm).form(acquisition, plan_image(acquisition, parameters)); },
                   std::string(naming));
}

}  // namespace cornerturn
