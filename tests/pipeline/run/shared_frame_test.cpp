// SPDX-License-Identifier: Apache-2.0
// One frame over several devices gives the image of one.
#include "pipeline/run/shared_frame.h"

#include <gtest/gtest.h>

#include <random>

#include "kernels/errors.h"
#include "kernels/steps/steps.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

/// All of it noise: any sample that is missing or at the wrong place shows.
Echo noise_of(const Scene& scene) {
    Scene noisy = scene;
    noisy.targets = std::vector<SceneTarget>{};
    noisy.noise_db = 0;
    return simulate(noisy);
}

Scene with_type(Scene scene, SampleFormat type) {
    scene.sample_type = type;
    return scene;
}

class SharedFrames : public EveryDevice {
protected:
    void open(int count) {
        for (int i = 0; i < count; ++i) pointers.push_back(devices.emplace_back(open_device(GetParam(), 2)).get());
    }
    Algorithm algorithm_of(const Echo& echo, std::string_view name = "rda") {
        const Acquisition& acquisition = echo.acquisition;
        const FocusSetup setup = set_up_focus(*pointers.front(), acquisition, by(name));
        return former_named(name).form(acquisition, setup.image).algorithm;
    }
    std::vector<std::complex<float>> by_one(const Echo& echo, const Algorithm& algorithm, const LoweringHints& hints) {
        const Acquisition& acquisition = echo.acquisition;
        Matrix samples = device->allocate(acquisition.format, acquisition.lines, acquisition.samples);
        device->upload(echo.samples, samples);
        const Matrix image = StepRunner(*device, algorithm, hints).run(std::move(samples));
        rows = image.rows;
        std::vector<std::complex<float>> values(static_cast<std::size_t>(image.rows * image.columns));
        device->download(image, std::span(values));
        return values;
    }
    std::vector<std::complex<float>> by_all(const Echo& echo, SharedFrame& frame, std::int64_t lines_at_once) {
        const Acquisition& acquisition = echo.acquisition;
        const std::size_t line_bytes =
            static_cast<std::size_t>(acquisition.samples) * bytes_per_sample(acquisition.format);
        std::vector<Matrix> kept;
        for (std::size_t i = 0; i < pointers.size(); ++i) {
            const std::int64_t last = frame.lines().first(static_cast<int>(i) + 1);
            for (std::int64_t first = frame.lines().first(static_cast<int>(i)); first < last; first += lines_at_once) {
                const std::int64_t count = std::min(lines_at_once, last - first);
                kept.push_back(pointers[i]->allocate(acquisition.format, count, acquisition.samples));
                pointers[i]->upload(
                    std::span(echo.samples).subspan(static_cast<std::size_t>(first) * line_bytes, kept.back().bytes()),
                    kept.back());
                frame.take_lines(i, kept.back(), first);
            }
        }
        frame.finish();
        frame.wait();
        const std::vector<ImageStrip> strips = frame.image();
        std::vector<std::complex<float>> values(static_cast<std::size_t>(rows * strips.back().columns.last));
        download_rows(pointers, strips, 0, rows, values);
        return values;
    }
    double db_of_all(const Echo& echo, const Algorithm& algorithm, const LoweringHints& hints = {},
                     std::int64_t strip_columns = 100) {
        const auto expected = by_one(echo, algorithm, hints);
        SharedFrame frame(pointers, algorithm, hints, strip_columns);
        by_all(echo, frame, 90);  // whatever a frame leaves behind does not show in the next
        return signal_to_error_db(by_all(echo, frame, 64), expected);
    }

    std::vector<std::unique_ptr<Device>> devices;
    std::vector<Device*> pointers;
    std::int64_t rows = 0;
};
INSTANTIATE_TEST_SUITE_P(Devices, SharedFrames, every_device(), device_name);

TEST_P(SharedFrames, GiveTheImageOfOneDevice) {
    for (const int count : {2, 3}) {
        SCOPED_TRACE(count);
        devices.clear();
        pointers.clear();
        open(count);
        const Echo echo = noise_of(small_scene(411, 503));
        EXPECT_GT(db_of_all(echo, algorithm_of(echo)), 120);
    }
}

TEST_P(SharedFrames, GoInAnyChain) {
    open(2);
    const Echo echo = noise_of(with_type(small_scene(500, 700), SampleFormat::int8));
    const Algorithm algorithm = algorithm_of(echo);
    for (const Chain chain : device->bench().chains()) {
        SCOPED_TRACE(name_of(chain));
        EXPECT_GT(db_of_all(echo, algorithm, {.chain = chain}), 120);
    }
}

/// Of a curved orbit, squinted: the range histories drift along the block, so that phases are taken off lines and
/// image.
TEST_P(SharedFrames, FollowSquintAndDrift) {
    open(2);
    const Echo echo = noise_of(squinted_scene(0.3, 900, 800));
    const Algorithm algorithm = algorithm_of(echo);
    const Steps steps = algorithm.steps(algorithm.least);
    EXPECT_GT(std::count_if(steps.begin(), steps.end(),
                            [](const Step& s) { return std::holds_alternative<PhaseCorrection>(s.work); }),
              0);
    EXPECT_GT(db_of_all(echo, algorithm), 110);
}

TEST_P(SharedFrames, LeaveGapsAndGainsWithTheirLines) {
    open(3);
    Echo echo = noise_of(small_scene(300, 400));
    std::minstd_rand random(7);
    for (std::int64_t line = 0; line < 300; ++line) {
        echo.acquisition.decoding.line_gain.push_back(1.0f + 0.01f * static_cast<float>(random() % 100));
        const auto gap = static_cast<std::int32_t>(random() % 300);
        echo.acquisition.decoding.valid_samples.push_back({0, gap});
        echo.acquisition.decoding.valid_samples.push_back({gap + 20, 400});
    }
    echo.acquisition.decoding.intervals_per_line = 2;
    EXPECT_GT(db_of_all(echo, algorithm_of(echo)), 120);
}

TEST_P(SharedFrames, HaveFewerStripsThanDevicesWhereColumnsAreFew) {
    open(3);
    const Echo echo = noise_of(small_scene(256, 300));
    Algorithm algorithm = algorithm_of(echo);
    const auto steps_of = algorithm.steps;
    algorithm.steps = [=](const FftLengths& fft) {
        Steps steps = steps_of(fft);
        for (Step& step : steps)
            if (auto* gather = std::get_if<AzimuthCompression>(&step.work))
                gather->band_shift.assign(1, 0);  // one group: one strip
        return steps;
    };
    EXPECT_GT(db_of_all(echo, algorithm), 120);
}

TEST_P(SharedFrames, SayWhyAnAlgorithmDoesNotGo) {
    open(2);
    const Echo echo = noise_of(small_scene(256, 300));
    EXPECT_EQ(SharedFrame::why_not(*pointers[0], algorithm_of(echo), {}), "");
    for (const char* name : {"csa", "omegak", "backprojection"}) {
        SCOPED_TRACE(name);
        const Algorithm algorithm = algorithm_of(echo, name);
        EXPECT_NE(SharedFrame::why_not(*pointers[0], algorithm, {}), "");
        EXPECT_THROW(SharedFrame(pointers, algorithm, {}), InputError);
    }
    EXPECT_THROW(SharedFrame(pointers, algorithm_of(echo), {.precision = Precision::half_middle}), InputError);
}

}  // namespace
}  // namespace cornerturn
