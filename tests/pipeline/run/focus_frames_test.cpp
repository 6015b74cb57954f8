// SPDX-License-Identifier: Apache-2.0
// Focusing of echoes that stream in, and of several frames in one call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "kernels/device/device_bench.h"
#include "kernels/errors.h"
#include "pipeline/echo/echo_conveyor.h"
#include "pipeline/echo/sampled_lines.h"
#include "pipeline/formers/range_doppler.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/kept_frames.h"
#include "tests/pipeline/run/streamed_echo.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/stopped_job.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// A small X-band scene, as odd in size as can be.
Scene odd_scene() {
    Scene scene = small_scene(331, 307);
    scene.targets = {{SceneTarget{BeamCentrePosition{150.3, 100.4}, 2.0, 40.0}}};
    return scene;
}

Echo echo_of(const std::string& frequency, const std::string& polarization, float gain = 1) {
    static const Echo made = [] {
        Scene scene = odd_scene();
        scene.sample_type = SampleFormat::complex64;
        return simulate(scene);
    }();
    Echo echo = made;
    echo.acquisition.frequency = frequency;
    echo.acquisition.polarization = polarization;
    if (gain != 1) echo.acquisition.decoding.line_gain.assign(static_cast<std::size_t>(made.acquisition.lines), gain);
    return echo;
}

/// By which the Doppler centroid is estimated.
std::int64_t lines_looked_at(const Echo& echo) {
    StreamedEcho source(echo);
    sample_lines(source);
    return source.lines_read;
}

/// Echoes that stream, and how they are focused into `images`.
struct Streamed {
    std::vector<Echo> echoes;
    std::vector<StreamedEcho> sources;
    KeptFrames images;

    explicit Streamed(std::vector<Echo> from) : echoes(std::move(from)), sources(echoes.begin(), echoes.end()) {}
    std::vector<FocusReport> focus(Device& device, const FocusOptions& options = {}) {
        std::vector<EchoSource*> frames;
        for (StreamedEcho& source : sources) frames.push_back(&source);
        return focus_frames(device, frames, options, images);
    }
};

class FocusFrames : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, FocusFrames, every_device(), device_name);

TEST_P(FocusFrames, BlocksOfAnySizeGiveTheSameImage) {
    const Echo echo = echo_of("A", "HH");
    const Acquisition& acquisition = echo.acquisition;
    const Algorithm algorithm = range_doppler(acquisition, set_up_focus(*device, acquisition, {}).image).algorithm;
    StepRunner at_once(*device, algorithm);
    const Matrix whole = at_once.run(put_as(331, 307, acquisition.format, echo.samples));
    StreamedEcho source(echo);
    EchoConveyor conveyor(*device);
    for (const std::int64_t lines : {1, 37, 330, 331}) {
        SCOPED_TRACE(lines);
        StepRunner runner(*device, algorithm, {.block_lines = lines});
        conveyor.start(source, lines);
        conveyor.carry([&](const EchoConveyor::Chunk& block) { runner.take_lines(block.lines, block.first_line); });
        EXPECT_EQ(device->bench().count_differences(whole, runner.finish(), false), 0);
    }
}

TEST_P(FocusFrames, TwoPolarizationsEqualTwoRuns) {
    const std::vector<Echo> echoes{echo_of("A", "HH"), echo_of("A", "HV", 0.25f)};
    Streamed both(echoes);
    const auto reports = both.focus(*device);
    ASSERT_EQ(reports.size(), 2u);
    EXPECT_FALSE(reports[0].plans_reused);
    EXPECT_TRUE(reports[1].plans_reused) << "though their gains differ";
    for (std::size_t i = 0; i < 2; ++i) {
        const FocusResult alone = focus(*device, echoes[i], {});
        EXPECT_TRUE(both.images[i].samples == alone.image.samples) << i;
        EXPECT_EQ(both.images[i].grid.first_time_s, alone.image.grid.first_time_s);
        EXPECT_EQ(reports[i].acquisition.polarization, echoes[i].acquisition.polarization);
    }
    EXPECT_FALSE(both.images[0].samples == both.images[1].samples);
}

/// Where the data have to tell, lines that estimates look at are read once more.
TEST_P(FocusFrames, EveryLineIsReadAndUploadedOnce) {
    for (const bool estimated : {false, true}) {
        SCOPED_TRACE(estimated);
        std::vector<Echo> echoes{echo_of("A", "HH")};
        FocusOptions options;
        options.doppler_from = estimated ? ParameterSource::data : ParameterSource::automatic;
        reinterpret_cast<float*>(echoes[0].samples.data())[2 * 307 + 7] = std::numeric_limits<float>::quiet_NaN();
        const auto looked_at = estimated ? lines_looked_at(echoes[0]) : 0;
        Streamed run(echoes);
        const auto reports = run.focus(*device, options);
        EXPECT_EQ(run.sources[0].lines_read, 331 + looked_at);
        EXPECT_EQ(reports[0].transferred.uploaded_bytes, 331u * 307 * 8);
        EXPECT_EQ(reports[0].transferred.downloaded_bytes, run.images[0].samples.size() * bytes_per_sample(native()));
        EXPECT_EQ(reports[0].non_finite_samples, 1);
        EXPECT_EQ(reports[0].setup.doppler.origin == DopplerOrigin::estimate, estimated);
        EXPECT_NEAR(reports[0].setup.doppler.centroid_hz, 0, 5);
        EXPECT_GT(reports[0].busy_s("compute"), 0);
        EXPECT_GT(reports[0].busy_s("write"), 0);
    }
}

/// Samples that are finite, gains too; their product overflows a float, and so does the image of the double-precision
/// chain.
TEST_P(FocusFrames, AnImageThatIsNotFiniteIsRefused) {
    Streamed run({echo_of("A", "HH", 3e38f)});
    for (std::byte* sample = run.echoes[0].samples.data(); sample < run.echoes[0].samples.data() + 331 * 307 * 8;
         sample += 4) {
        float value;
        std::memcpy(&value, sample, sizeof(value));
        value *= 1e20f;
        std::memcpy(sample, &value, sizeof(value));
    }
    FocusOptions options;
    options.doppler_centroid_hz = 0;
    expect_error<DeviceError>([&] { run.focus(*device, options); }, {"frequency A HH: row ", "finite"});
}

/// PRF 2000 Hz at 10 m/s: of the bins of the PRF two thirds lie beyond 2 V / lambda, where there is no migration law.
TEST_P(FocusFrames, BeyondTheDopplerFrequenciesThatExistNothingSpreads) {
    Scene scene = odd_scene();
    scene.prf_hz = 2000;
    scene.velocity_m_s = 10;
    scene.near_range_m = 300;
    scene.azimuth_bandwidth_hz = 12;
    scene.lines = 2800;
    scene.samples = 300;
    scene.targets = {{SceneTarget{BeamCentrePosition{1400, 40}, 2.0, 40.0}}};
    const Echo echo = simulate(scene);
    const PointTarget& target = echo.acquisition.truth.at(0);
    for (const std::optional<double> band_hz : {std::optional<double>(), std::optional(300.0)}) {
        FocusOptions options;
        options.azimuth_bandwidth_hz = band_hz;
        const FocusResult result = focus(*device, echo, options);
        const Image& image = result.image;
        const double processed_hz = result.report.setup.image.parameters.azimuth_bandwidth_hz;
        const auto row =
            std::lround((target.zero_doppler_time_s - image.grid.first_time_s) / image.grid.time_spacing_s);
        const auto column = std::lround((target.range_m - image.grid.near_range_m) / image.grid.range_spacing_m);
        const auto peak = std::max_element(image.samples.begin(), image.samples.end(),
                                           [](auto a, auto b) { return std::norm(a) < std::norm(b); });
        const std::int64_t index = peak - image.samples.begin();
        EXPECT_LE(std::abs(index / image.grid.columns - row), 3) << "of 150 that a point is long";
        EXPECT_EQ(index % image.grid.columns, column);
        EXPECT_NEAR(std::abs(*peak) / (2.0 * 12 / processed_hz), 1,
                    0.02);  // illuminated in 12 of the processed Hz; Fresnel ripple
    }
}

TEST_P(FocusFrames, AnEstimateIsMadeOnceForAllFrames) {
    std::vector<Echo> echoes{echo_of("A", "HH"), echo_of("A", "VV"), echo_of("B", "HH")};
    for (auto& byte : echoes[1].samples) byte = std::byte{0};  // nothing to estimate from
    echoes[2].acquisition.carrier_hz *= 1.1;
    Streamed run(echoes);
    FocusOptions options;
    options.doppler_from = ParameterSource::data;
    const auto reports = run.focus(*device, options);
    const double found = reports[0].setup.doppler.centroid_hz;
    EXPECT_NE(found, 0);
    EXPECT_EQ(reports[1].setup.doppler.centroid_hz, found);
    EXPECT_DOUBLE_EQ(reports[2].setup.doppler.centroid_hz, 1.1 * found);
    EXPECT_TRUE(reports[1].setup.doppler.source.ends_with("(of frequency A HH)")) << reports[1].setup.doppler.source;
    EXPECT_TRUE(reports[1].plans_reused);
    EXPECT_FALSE(reports[2].plans_reused);
    EXPECT_EQ(run.sources[0].lines_read, 331 + lines_looked_at(echoes[0]));
    for (const std::size_t other : {1, 2}) EXPECT_EQ(run.sources[other].lines_read, 331) << other;
}

/// Given in Hz at the carrier of the first frame; what is the same for all is the look direction.
TEST_P(FocusFrames, AGivenDopplerCentroidGoesWithTheCarrier) {
    std::vector<Echo> echoes{echo_of("A", "HH"), echo_of("A", "VV"), echo_of("B", "HH")};
    echoes[2].acquisition.carrier_hz *= 1.1;
    Streamed run(echoes);
    FocusOptions options;
    options.doppler_centroid_hz = 40;
    const auto reports = run.focus(*device, options);
    EXPECT_EQ(reports[0].setup.doppler.centroid_hz, 40);
    EXPECT_EQ(reports[1].setup.doppler.centroid_hz, 40);
    EXPECT_DOUBLE_EQ(reports[2].setup.doppler.centroid_hz, 44);
    EXPECT_EQ(reports[0].setup.doppler.source, "option");
    EXPECT_EQ(reports[2].setup.doppler.source, "option (of frequency A HH)");
    EXPECT_EQ(reports[2].setup.doppler.origin, DopplerOrigin::option);
}

/// Under squint zero-Doppler times follow the range: frequencies with swaths of their own begin at different rows.
TEST_P(FocusFrames, FrequenciesShareOneAxisOfRows) {
    std::vector<Echo> echoes{echo_of("A", "HH"), echo_of("B", "HH")};
    for (Echo& echo : echoes) echo.acquisition.doppler_centroid_hz = 900;
    echoes[1].acquisition.near_range_m = 4000;
    Streamed run(echoes);
    run.focus(*device);
    const ImageGrid &a = run.images[0].grid, &b = run.images[1].grid;
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.first_time_s, b.first_time_s);
    for (std::size_t i = 0; i < 2; ++i) {
        const Image alone = focus(*device, echoes[i], {}).image;
        const Image& image = run.images[i];
        ASSERT_GT(image.grid.rows, alone.grid.rows) << "else this tests nothing";
        const std::int64_t offset =
            std::llround((alone.grid.first_time_s - image.grid.first_time_s) * echoes[i].acquisition.prf_hz);
        const auto columns = static_cast<std::size_t>(image.grid.columns);
        double error = 0, energy = 0;
        for (std::int64_t row = 0; row < image.grid.rows; ++row)
            for (std::size_t column = 0; column < columns; ++column) {
                const std::int64_t there = row - offset;
                const bool inside = there >= 0 && there < alone.grid.rows;
                const auto expected =
                    inside ? alone.samples[static_cast<std::size_t>(there) * columns + column] : std::complex<float>(0);
                error += static_cast<double>(
                    std::norm(image.samples[static_cast<std::size_t>(row) * columns + column] - expected));
                energy += static_cast<double>(std::norm(expected));
            }
        EXPECT_GT(energy, 0);
        EXPECT_LT(error, 1e-10 * energy) << "the phase of a row is rounded another way";
        for (std::int64_t row = 0; row < alone.grid.rows; ++row)
            ASSERT_EQ(image.valid_columns[static_cast<std::size_t>(row + offset)],
                      alone.valid_columns[static_cast<std::size_t>(row)]);
    }
}

/// Where frames get the rows of one axis, their steps are planned again.
TEST_P(FocusFrames, WhatIsPlannedAgainWarnsOnce) {
    std::vector<Echo> echoes{echo_of("A", "HH"), echo_of("B", "HH")};
    for (Echo& echo : echoes) {
        echo.acquisition.doppler_centroid_hz = 900;
        echo.acquisition.azimuth_bandwidth_hz = 1.2 * echo.acquisition.prf_hz;  // for which rda has no room
    }
    echoes[1].acquisition.near_range_m = 4000;
    Streamed run(echoes);
    FocusOptions options = by("rda");
    options.force = true;
    for (const FocusReport& report : run.focus(*device, options)) {
        const std::vector<std::string>& told = report.setup.warnings;
        EXPECT_EQ(
            std::count_if(told.begin(), told.end(), [](const std::string& t) { return t.starts_with("--force"); }), 1);
        EXPECT_EQ(std::set<std::string>(told.begin(), told.end()).size(), told.size());
    }
}

TEST_P(FocusFrames, FramesThatDoNotFitOneFileAreRefused) {
    const Echo first = echo_of("A", "HH");
    const auto expect_refusal = [&](const std::function<void(Acquisition&)>& spoil, const std::string& word) {
        Echo other = echo_of("A", "VV");
        spoil(other.acquisition);
        Streamed run({first, other});
        expect_refused([&] { run.focus(*device); }, {word, "frequency A VV"});
        EXPECT_TRUE(run.images.frames.empty()) << "refused before anything is written";
    };
    expect_refusal([](Acquisition& a) { a.first_pulse_time_s += 0.5 / a.prf_hz; }, "time axis");
    expect_refusal([](Acquisition& a) { a.prf_hz *= 1.001; }, "time axis");
    expect_refusal([](Acquisition& a) { a.epoch = "2001-01-01T00:00:00"; }, "time axis");
    expect_refusal([](Acquisition& a) { a.near_range_m += 100; }, "range axis");
}

TEST_P(FocusFrames, StopsInTheMiddle) {
    const std::vector<Echo> echoes{echo_of("A", "HH"), echo_of("A", "HV")};
    Streamed run(echoes);
    run.sources[1].before_read = [](std::int64_t first) {
        if (first >= 0) stop_job();
    };
    {
        const JobScope job;
        EXPECT_THROW(run.focus(*device), Interrupted);
    }
    Streamed damaged(echoes);
    damaged.sources[0].before_read = [](std::int64_t) { throw InputError("chunk 7 is damaged"); };
    EXPECT_THROW(damaged.focus(*device), InputError);
}

}  // namespace
}  // namespace cornerturn
