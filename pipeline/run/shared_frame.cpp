// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/shared_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "kernels/errors.h"
#include "kernels/steps/steps.h"

namespace cornerturn {
namespace {

FrameCut checked_cut(std::span<Device* const> devices, const Algorithm& algorithm, const LoweringHints& hints,
                     std::int64_t strip_columns) {
    Device& first = *devices.front();
    if (const std::string reason = FrameCut::why_not(first, algorithm, hints); !reason.empty())
        throw InputError(fmt::format("one frame over {} devices: {}; choose one --device", devices.size(), reason));
    return {first, algorithm, hints, devices.size(), {.columns = strip_columns}};
}

}  // namespace

/// The passes before the corner turn, and what they leave.
struct SharedFrame::LinesOnDevice {
    StepRunner runner;
    bool whole;  ///< passes behind the first one want all lines of the device
};

/// Some columns of the image: their cells of all lines, and the passes that make them.
struct SharedFrame::Strip {
    FrameCut::Strip place;
    StepRunner runner;
    Matrix lines;
    Matrix image;
};

std::string SharedFrame::why_not(Device& device, const Algorithm& algorithm, const LoweringHints& hints) {
    return FrameCut::why_not(device, algorithm, hints);
}

SharedFrame::SharedFrame(std::span<Device* const> devices, const Algorithm& algorithm, const LoweringHints& hints,
                         std::int64_t strip_columns)
    : devices_(devices.begin(), devices.end()), cut_(checked_cut(devices, algorithm, hints, strip_columns)) {
    exchange_ = devices.front()->exchange_among(devices, Carrier::fastest);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        Device& device = *devices_[i];
        lines_on_.emplace_back();
        if (const Interval lines = cut_.lines_of(i); lines.first < lines.last) {
            const FrameCut::Work work = cut_.before(lines);
            const bool whole = work.algorithm.steps(report().fft_lengths).size() > 1;
            lines_on_.back().reset(new LinesOnDevice{StepRunner(device, work.algorithm, work.hints), whole});
        }
        strips_.emplace_back();
        for (const FrameCut::Strip& strip : cut_.strips_of(i)) {
            const FrameCut::Work work = cut_.behind(strip);
            StepRunner runner(device, work.algorithm, work.hints);
            Matrix cells = runner.storage_for_input(lines().rows, strip.cell_count());
            strips_.back().emplace_back(new Strip{strip, std::move(runner), std::move(cells), {}});
        }
    }
}

SharedFrame::~SharedFrame() = default;

void SharedFrame::send(std::size_t device, std::size_t strip, std::size_t to, const Matrix& lines,
                       std::int64_t first_line) {
    if (strip >= strips_[to].size()) return;
    const Strip& part = *strips_[to][strip];
    exchange_->send({device, lines, part.place.cells, to, part.lines, first_line});
}

/// Each begins with the next one, so that no two send to the same.
void SharedFrame::send_to_others(std::size_t device, std::size_t strip, const Matrix& lines, std::int64_t first_line) {
    for (std::size_t k = 1; k < devices_.size(); ++k)
        send(device, strip, (device + k) % devices_.size(), lines, first_line);
}

void SharedFrame::take_lines(std::size_t device, const Matrix& lines, std::int64_t first_line) {
    if (!begun_) exchange_->meet();
    begun_ = true;
    LinesOnDevice& on = *lines_on_[device];
    const std::int64_t of_device = first_line - cut_.lines_of(device).first;
    on.runner.take_lines(lines, of_device);
    if (!on.whole) send_to_others(device, 0, on.runner.result_of_lines().rows_from(of_device, lines.rows), first_line);
}

void SharedFrame::finish() {
    std::size_t most = 0;
    for (const auto& strips : strips_) most = std::max(most, strips.size());
    std::vector<std::size_t> arrived;
    for (std::size_t strip = 0; strip < most; ++strip) {
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            if (!lines_on_[i]) continue;
            LinesOnDevice& on = *lines_on_[i];
            if (strip == 0 && on.whole) on.runner.run_rest();
            if (strip > 0 || on.whole) send_to_others(i, strip, on.runner.result(), cut_.lines_of(i).first);
        }
        arrived.push_back(exchange_->mark());
    }
    for (std::size_t strip = 0; strip < most; ++strip)
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            if (strip >= strips_[i].size()) continue;
            // What it has itself is copied while that of others is on its way.
            if (lines_on_[i]) send(i, strip, i, lines_on_[i]->runner.result(), cut_.lines_of(i).first);
            exchange_->await(i, arrived[strip]);
            Strip& part = *strips_[i][strip];
            part.image = part.runner.run_native(part.lines);
        }
    begun_ = false;
}

std::vector<ImageStrip> SharedFrame::image() const {
    std::vector<ImageStrip> image;
    for (std::size_t i = 0; i < devices_.size(); ++i)
        for (const auto& strip : strips_[i]) image.push_back({i, strip->place.columns, strip->image});
    return image;
}

void download_rows(std::span<Device* const> devices, std::span<const ImageStrip> strips, std::int64_t first_row,
                   std::int64_t rows, std::span<std::complex<float>> to) {
    const std::int64_t pitch = strips.empty() ? 0 : strips.back().columns.last;
    const auto take_from = [&](std::size_t device) {
        for (const ImageStrip& strip : strips) {
            if (strip.device != device) continue;
            const std::int64_t width = strip.columns.last - strip.columns.first;
            devices[device]->download_rows(strip.image.rows_from(first_row, rows),
                                           [&](std::int64_t first, std::span<const std::complex<float>> some) {
                                               const auto count = static_cast<std::int64_t>(some.size()) / width;
                                               for (std::int64_t row = 0; row < count; ++row)
                                                   std::copy_n(
                                                       some.begin() + row * width, width,
                                                       to.begin() + (first + row) * pitch + strip.columns.first);
                                           });
        }
    };
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < devices.size(); ++i) others.push_back(std::async(std::launch::async, take_from, i));
    take_from(0);
    for (std::future<void>& other : others) other.get();
}

}  // namespace cornerturn
