// SPDX-License-Identifier: Apache-2.0
#include "app/bench/pipeline_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/bench/bench_input.h"
#include "app/bench/pipeline_scene.h"
#include "app/bench/timing.h"
#include "kernels/device/device_bench.h"
#include "kernels/errors.h"
#include "pipeline/run/step_runner.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"

namespace cornerturn {
namespace {

constexpr std::int64_t largest_in_double = std::int64_t{1}
                                           << 24;  // samples; what a GPU's host computes in double while one waits

class PipelineMeasurement {
public:
    PipelineMeasurement(Device& device, const PipelineRequest& request)
        : device_(device), request_(request), samples_(random_echo(request)), algorithm_(algorithm_for(request)) {}

    PipelineBench run(const Progress& progress) {
        const std::vector<Chain> all = device_.bench().chains();
        measure_copy();
        echo_ = device_.allocate(request_.format, request_.lines, request_.samples);
        device_.upload(samples_, echo_);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (request_.chain && all[i] != *request_.chain) continue;
            if (progress) progress(name_of(all[i]), static_cast<double>(i) / static_cast<double>(all.size()));
            measure(all[i]);
            if (!bench_.chains.wrong.empty()) return bench_;
        }
        if (progress) progress("stages", 0.9);
        if (bench_.chains.steps.empty() && bench_.chains.left_out.empty())
            throw Unsupported(fmt::format("bench pipeline --chain {}: {} has none; choose auto",
                                          name_of(request_.chain.value_or(Chain::plain)), device_.info().name));
        if (bench_.chains.steps.empty())
            throw Unsupported(fmt::format("bench pipeline: {}", fmt::join(bench_.chains.left_out, "; ")));
        measure_fastest();
        if (progress) progress("done", 1);
        return bench_;
    }

private:
    LoweringHints hints(Chain chain) const { return {.chain = chain, .precision = request_.precision}; }

    double matrix_bytes() const { return 8.0 * static_cast<double>(request_.lines * request_.samples); }

    void measure_copy() {
        const Matrix from = device_.allocate(SampleFormat::complex64, request_.lines, request_.samples);
        Matrix to = device_.allocate(SampleFormat::complex64, request_.lines, request_.samples);
        bench_.chains.copy_gbytes_per_s = copy_gbytes_per_s(device_, from, to, request_.repeat);
    }

    void measure(Chain chain) try {
        StepRunner runner(device_, algorithm_, hints(chain));
        const auto recording = runner.record(echo_);
        BenchStep step{.name = std::string(name_of(chain))};
        step.check_db = checked_db(runner, *recording);
        if (!bench_.chains.wrong.empty()) return;
        step.median_ms = median_ms(
            device_, [&] { recording->replay(); }, request_.repeat);
        bench_.chains.rate(
            step, 2 * matrix_bytes());  // one read and one write of the echo as complex64: k_eff counts in those
        bench_.chains.steps.push_back(step);
    } catch (const Unsupported& unsupported) {
        if (request_.chain) throw;
        bench_.chains.left_out.push_back(fmt::format("chain '{}': {}", name_of(chain), unsupported.what()));
    }

    double checked_db(StepRunner& runner, Recording& recording) {
        recording.replay();
        const Matrix image = runner.result();
        std::vector<std::complex<float>> got(static_cast<std::size_t>(image.rows * image.columns));
        device_.download(image, std::span(got));
        const double db = signal_to_error_db(got, reference(runner.report().fft_lengths));
        if (!(db >= least_signal_to_error_db(request_.precision)))
            bench_.chains.wrong.push_back(
                fmt::format("chain '{}': {:.1f} dB of signal to error against {}, the least is {:.0f} dB",
                            name_of(runner.report().chain), db, bench_.checked_against,
                            least_signal_to_error_db(request_.precision)));
        return db;
    }

    /// The same chain on the CPU: in double precision where that does not take minutes. Kept while the transforms'
    /// lengths are the same.
    const std::vector<std::complex<float>>& reference(const FftLengths& lengths) {
        if (!reference_.empty() && lengths == reference_lengths_) return reference_;
        const bool in_double = device_.info().name == "cpu" || request_.lines * request_.samples <= largest_in_double;
        bench_.checked_against = in_double ? "cpu-double" : "cpu";
        const auto device = open_device(bench_.checked_against, request_.threads);
        Matrix echo = device->allocate(request_.format, request_.lines, request_.samples);
        device->upload(samples_, echo);
        const Matrix image = StepRunner(*device, algorithm_, {.fft_lengths = lengths}).run(std::move(echo));
        reference_.resize(static_cast<std::size_t>(image.rows * image.columns));
        device->download(image, std::span(reference_));
        reference_lengths_ = lengths;
        return reference_;
    }

    void measure_fastest() {
        const auto& steps = bench_.chains.steps;
        const auto least =
            std::min_element(steps.begin(), steps.end(), [](auto& a, auto& b) { return a.median_ms < b.median_ms; });
        bench_.fastest = least->name;
        StepRunner runner(device_, algorithm_, hints(*chain_named(bench_.fastest)));
        bench_.fft_lengths = runner.report().fft_lengths;
        bench_.how = runner.report().steps;
        const auto recording = runner.record(echo_);
        add_endurance(
            bench_.chains.step(bench_.fastest), device_, [&] { recording->replay(); }, request_.repeat);
        const auto time_stage = [&](std::string_view name, const std::function<void()>& work) {
            BenchStep step{.name = std::string(name)};
            step.median_ms = median_ms(device_, work, request_.repeat);
            bench_.chains.rate(step, 2 * matrix_bytes());
            bench_.stages.push_back(step);
        };
        for (std::size_t i = 0; i < runner.steps(); ++i) time_stage(runner.name(i), [&] { runner.run_step(i, echo_); });
    }

    Device& device_;
    PipelineRequest request_;
    std::vector<std::byte> samples_;
    Algorithm algorithm_;
    Matrix echo_;
    std::vector<std::complex<float>> reference_;
    FftLengths reference_lengths_;
    PipelineBench bench_;
};

}  // namespace

PipelineBench measure_pipeline(Device& device, const PipelineRequest& request, const Progress& progress) {
    require_memory(device.info(), 30.0 * static_cast<double>(request.lines * request.samples),
                   fmt::format("bench pipeline of {} lines x {} samples", request.lines, request.samples));
    return PipelineMeasurement(device, request).run(progress);
}

}  // namespace cornerturn
