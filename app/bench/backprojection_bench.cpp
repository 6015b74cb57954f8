// SPDX-License-Identifier: Apache-2.0
#include "app/bench/backprojection_bench.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "app/bench/bench_input.h"
#include "app/bench/timing.h"
#include "kernels/host/thread_limit.h"
#include "kernels/steps/steps.h"

namespace cornerturn {
namespace {

struct PixelPlace {
    std::int64_t row, column;
};

/// Pixels anywhere, and those of points.
std::vector<PixelPlace> pixels_to_check(const BackprojectionScene& scene, const std::vector<ScenePoint>& points,
                                        std::size_t anywhere, std::size_t of_points) {
    std::minstd_rand random(3);
    std::uniform_int_distribution<std::int64_t> row(0, scene.rows - 1), column(0, scene.columns - 1);
    std::vector<PixelPlace> pixels;
    for (std::size_t i = 0; i < anywhere; ++i) pixels.push_back({row(random), column(random)});
    for (std::size_t i = 0; i < of_points && i < points.size(); ++i)
        pixels.push_back({std::lround(points[i].row), std::lround(points[i].column)});
    return pixels;
}

class BackprojectionMeasurement {
public:
    BackprojectionMeasurement(Device& device, const BackprojectionRequest& request)
        : device_(device),
          request_(request),
          geometry_(backprojection_geometry(request.scene)),
          pass_(backprojection_pass(request.scene, geometry_)),
          points_(scene_points(request.scene)),
          places_(pixels_to_check(request.scene, points_, anywhere, of_points)) {}

    BackprojectionBench run(const Progress& progress) {
        bench_.cells = pass_.cells;
        if (progress) progress("lines", 0);
        {
            const auto compressed = compressed_lines(pass_, *geometry_, points_, request_.threads);
            lines_ = device_.allocate(device_.info().native, pass_.lines, pass_.cells);
            upload(compressed);
            find_expected(compressed);
        }
        image_ = device_.allocate(device_.info().native, pass_.rows, pass_.columns);
        for (std::size_t i = 0; i < request_.signal_to_error_db.size() && bench_.wrong.empty(); ++i) {
            const double db = request_.signal_to_error_db[i];
            if (progress)
                progress(fmt::format("{:.0f} dB", db),
                         0.2 + 0.8 * static_cast<double>(i) / static_cast<double>(request_.signal_to_error_db.size()));
            measure(db);
        }
        if (progress) progress("done", 1);
        return bench_;
    }

private:
    static constexpr std::size_t anywhere = 4096, of_points = 512;

    void upload(const std::vector<std::complex<float>>& compressed) {
        if (device_.info().native == SampleFormat::complex64)
            return device_.upload(std::as_bytes(std::span(compressed)), lines_);
        const std::vector<std::complex<double>> wide(compressed.begin(), compressed.end());
        device_.upload(std::as_bytes(std::span(wide)), lines_);
    }

    void find_expected(const std::vector<std::complex<float>>& compressed) {
        expected_.resize(places_.size());
#pragma omp parallel for num_threads(thread_count(request_.threads))
        for (std::size_t i = 0; i < places_.size(); ++i)
            expected_[i] = expected_pixel(pass_, *geometry_, compressed, places_[i].row, places_[i].column);
    }

    void measure(double db) {
        pass_.signal_to_error_db = db;
        const Algorithm algorithm{.least = {1, 1}, .steps = [this](const FftLengths&) {
                                      return Steps{{"image", "row", "column", pass_}};
                                  }};
        const Lowered lowered = device_.lower(algorithm, {});
        StepPlan& plan = *lowered.steps.front().plan;
        plan.run(lines_, image_);
        BackprojectionStep step{.asked_db = db};
        compare(step);
        if (step.seen_db < db - tolerated_db || step.of_points_db < db - tolerated_db) {
            bench_.wrong.push_back(
                fmt::format("back-projection: {:.1f} dB of signal to error anywhere and {:.1f} dB at points, {:.0f} dB "
                            "were asked for",
                            step.seen_db, step.of_points_db, db));
            return;
        }
        step.median_ms = median_ms(
            device_, [&] { plan.run(lines_, image_); }, request_.repeat);
        step.gpixel_lines_per_s = 1e-6 * static_cast<double>(pass_.rows) * static_cast<double>(pass_.columns) *
                                  static_cast<double>(pass_.lines) / step.median_ms;
        bench_.steps.push_back(step);
    }

    void compare(BackprojectionStep& step) {
        std::vector<std::complex<float>> got(static_cast<std::size_t>(pass_.rows * pass_.columns));
        device_.download(image_, std::span(got));
        const auto ratio_db = [&](std::size_t first, std::size_t last) {
            double signal = 0, error = 0;
            for (std::size_t i = first; i < last; ++i) {
                const auto value = std::complex<double>(
                    got[static_cast<std::size_t>(places_[i].row * pass_.columns + places_[i].column)]);
                signal += std::norm(expected_[i]);
                error += std::norm(value - expected_[i]);
            }
            return error > 0 ? 10 * std::log10(signal / error) : exact_db;
        };
        step.seen_db = ratio_db(0, anywhere);
        step.of_points_db = ratio_db(anywhere, places_.size());
    }

    Device& device_;
    BackprojectionRequest request_;
    std::shared_ptr<const AccumulationGeometry> geometry_;
    Accumulation pass_;
    std::vector<ScenePoint> points_;
    std::vector<PixelPlace> places_;
    std::vector<std::complex<double>> expected_;
    Matrix lines_, image_;
    BackprojectionBench bench_;
};

}  // namespace

BackprojectionBench measure_backprojection(Device& device, const BackprojectionRequest& request,
                                           const Progress& progress) {
    const Accumulation pass = backprojection_pass(request.scene, backprojection_geometry(request.scene));
    require_memory(
        device.info(),
        10.0 * static_cast<double>(pass.lines * pass.cells) + 10.0 * static_cast<double>(pass.rows * pass.columns),
        fmt::format("bench backprojection of {} x {} pixels, {} lines of {} cells", pass.rows, pass.columns, pass.lines,
                    pass.cells));
    return BackprojectionMeasurement(device, request).run(progress);
}

}  // namespace cornerturn
