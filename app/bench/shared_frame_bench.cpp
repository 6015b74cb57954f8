// SPDX-License-Identifier: Apache-2.0
#include "app/bench/shared_frame_bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/bench/bench_input.h"
#include "app/bench/pipeline_scene.h"
#include "app/bench/timing.h"
#include "pipeline/run/shared_frame.h"
#include "pipeline/verify/signal_to_error.h"

namespace cornerturn {
namespace {

using HostPixels = std::vector<std::complex<float>>;

class SharedFrameMeasurement {
public:
    SharedFrameMeasurement(std::span<Device* const> devices, const PipelineRequest& request)
        : devices_(devices), request_(request), samples_(random_echo(request)), algorithm_(algorithm_for(request)) {}

    SharedFrameBench run(const Progress& progress) {
        if (progress) progress("one device", 0);
        const HostPixels expected = by_one();
        if (progress) progress("all devices", 0.5);
        by_all(expected);
        if (progress) progress("done", 1);
        return bench_;
    }

private:
    LoweringHints hints() const { return {.chain = request_.chain, .precision = request_.precision}; }

    HostPixels by_one() {
        Device& device = *devices_.front();
        Matrix echo = device.allocate(request_.format, request_.lines, request_.samples);
        device.upload(samples_, echo);
        StepRunner runner(device, algorithm_, hints());
        const auto recording = runner.record(echo);
        bench_.one_ms = median_ms(
            device, [&] { recording->replay(); }, request_.repeat);
        bench_.chain = name_of(runner.report().chain);
        bench_.fft_lengths = runner.report().fft_lengths;
        bench_.how = runner.report().steps;
        const Matrix image = runner.result();
        rows_ = image.rows;
        HostPixels pixels(static_cast<std::size_t>(image.rows * image.columns));
        device.download(image, std::span(pixels));
        return pixels;
    }

    void by_all(const HostPixels& expected) {
        SharedFrame frame(devices_, algorithm_, hints());
        const std::vector<Matrix> slabs = upload_slabs(frame.lines());
        const auto all = [&] {
            take_in_turns(frame, slabs);
            frame.finish();
        };
        all();
        frame.wait();
        const auto recording = frame.record(all);
        const auto once = [&] {
            recording->replay();
            frame.wait();
        };
        for (int i = 0; i < 3; ++i) once();
        bench_.all_ms = median_wall_ms(once, request_.repeat);

        const std::vector<ImageStrip> strips = frame.image();
        bench_.strips.assign(devices_.size(), 0);
        for (const ImageStrip& strip : strips) ++bench_.strips[strip.device];
        HostPixels pixels(expected.size());
        download_rows(devices_, strips, 0, rows_, pixels);
        bench_.signal_to_error_db = signal_to_error_db(pixels, expected);
    }

    std::vector<Matrix> upload_slabs(const Slabs& lines) {
        const std::size_t line_bytes = static_cast<std::size_t>(request_.samples) * bytes_per_sample(request_.format);
        std::vector<Matrix> slabs;
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            const int part = static_cast<int>(i);
            slabs.push_back(devices_[i]->allocate(request_.format, lines.size(part), request_.samples));
            devices_[i]->upload(std::span(samples_).subspan(static_cast<std::size_t>(lines.first(part)) * line_bytes,
                                                            slabs.back().bytes()),
                                slabs.back());
        }
        return slabs;
    }

    /// A piece of each device after the other, so that all have something to do: what is compressed goes on its way
    /// while the next piece is.
    void take_in_turns(SharedFrame& frame, const std::vector<Matrix>& slabs) const {
        constexpr std::int64_t pieces = 4;
        const Slabs& lines = frame.lines();
        const std::int64_t most = (lines.largest() + pieces - 1) / pieces;
        for (std::int64_t first = 0; first < lines.largest(); first += most)
            for (std::size_t i = 0; i < slabs.size(); ++i)
                if (first < slabs[i].rows)
                    frame.take_lines(i, slabs[i].rows_from(first, std::min(most, slabs[i].rows - first)),
                                     lines.first(static_cast<int>(i)) + first);
    }

    std::span<Device* const> devices_;
    PipelineRequest request_;
    std::vector<std::byte> samples_;
    Algorithm algorithm_;
    std::int64_t rows_ = 0;
    SharedFrameBench bench_;
};

}  // namespace

SharedFrameBench measure_shared_frame(std::span<Device* const> devices, const PipelineRequest& request,
                                      const Progress& progress) {
    require_memory(devices.front()->info(), 30.0 * static_cast<double>(request.lines * request.samples),
                   fmt::format("bench pipeline of {} lines x {} samples", request.lines, request.samples));
    return SharedFrameMeasurement(devices, request).run(progress);
}

}  // namespace cornerturn
