// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/shared_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "kernels/errors.h"
#include "kernels/step_parts.h"

namespace cornerturn {
namespace {

Interval interval(std::int64_t first, std::int64_t last) {
    return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
}

/// Steps whose transforms have the lengths that they were made with.
Algorithm algorithm_of(const Steps& steps, const FftLengths& lengths) {
    return {.least = lengths, .steps = [steps](const FftLengths&) { return steps; }};
}

void require_full_precision(const LoweringHints& hints) {
    if (hints.precision != Precision::full)
        throw InputError(fmt::format(
            "--precision {}: one frame over several devices goes in full precision; choose full, or one --device",
            name_of(hints.precision)));
}

/// Strips of a device: as many as hold enough columns, a few at most.
std::int64_t strips_of(std::int64_t columns_of_device, std::int64_t strip_columns) {
    constexpr std::int64_t most = 4;
    return std::clamp<std::int64_t>(columns_of_device / std::max<std::int64_t>(strip_columns, 1), 1, most);
}

}  // namespace

/// The passes before the corner turn, and what they leave.
struct SharedFrame::LinesOnDevice {
    StepRunner runner;
    bool whole;  ///< passes behind the first one want all lines of the device
};

/// Some columns of the image: their cells of all lines, and the passes that make them.
struct SharedFrame::Strip {
    Interval columns, cells;
    StepRunner runner;
    Matrix lines;
    Matrix image;
};

std::string SharedFrame::why_not(Device& device, const Algorithm& algorithm, const LoweringHints& hints) {
    return why_not_in_parts(algorithm.steps(device.probe(algorithm, hints).fft_lengths));
}

SharedFrame::SharedFrame(std::span<Device* const> devices, const Algorithm& algorithm, const LoweringHints& hints,
                         std::int64_t strip_columns)
    : devices_(devices.begin(), devices.end()) {
    require_full_precision(hints);
    report_ = devices.front()->probe(algorithm, hints);
    const Steps steps = algorithm.steps(report_.fft_lengths);
    if (const std::string reason = why_not_in_parts(steps); !reason.empty())
        throw InputError(fmt::format("one frame over {} devices: {}; choose one --device", devices.size(), reason));
    exchange_ = devices.front()->exchange_among(devices, Carrier::fastest);

    const WorkShape echo = shape_of(steps.front().work), image = shape_of(steps.back().work);
    const auto count = static_cast<std::int64_t>(devices.size());
    lines_ = {echo.in_rows, static_cast<int>(count)};
    const std::int64_t unit = unit_of_columns(steps), units = (image.out_columns + unit - 1) / unit;
    const std::int64_t strips = strips_of(image.out_columns / count, strip_columns);
    const Slabs shares{units, static_cast<int>(count * strips)};

    LoweringHints of_lines = hints, of_columns = hints;
    of_lines.fft_lengths = of_columns.fft_lengths = report_.fft_lengths;
    of_columns.chain = report_.chain;
    if (report_.chain != Chain::plain) of_lines.chain.reset();
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        Device& device = *devices_[i];
        const int part = static_cast<int>(i);
        const Steps before = part_of_lines(steps, interval(lines_.first(part), lines_.first(part + 1)));
        lines_on_.push_back(
            lines_.size(part) == 0
                ? nullptr
                : std::unique_ptr<LinesOnDevice>(new LinesOnDevice{
                      StepRunner(device, algorithm_of(before, report_.fft_lengths), of_lines), before.size() > 1}));
        strips_.emplace_back();
        for (std::int64_t strip = 0; strip < strips; ++strip) {
            const int share = static_cast<int>(static_cast<std::int64_t>(i) * strips + strip);
            const Interval columns =
                interval(unit * shares.first(share), std::min(unit * shares.first(share + 1), image.out_columns));
            if (columns.first >= columns.last) continue;
            const ColumnPart behind = part_of_columns(steps, columns);
            StepRunner runner(device, algorithm_of(behind.steps, report_.fft_lengths), of_columns);
            Matrix cells = runner.storage_for_input(echo.in_rows, behind.cells.last - behind.cells.first);
            strips_.back().push_back(
                std::unique_ptr<Strip>(new Strip{columns, behind.cells, std::move(runner), std::move(cells), {}}));
        }
    }
}

SharedFrame::~SharedFrame() = default;

void SharedFrame::send(std::size_t device, std::size_t strip, std::size_t to, const Matrix& lines,
                       std::int64_t first_line) {
    if (strip >= strips_[to].size()) return;
    const Strip& part = *strips_[to][strip];
    exchange_->send({device, lines, part.cells, to, part.lines, first_line});
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
    const std::int64_t of_device = first_line - lines_.first(static_cast<int>(device));
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
            if (strip > 0 || on.whole) send_to_others(i, strip, on.runner.result(), lines_.first(static_cast<int>(i)));
        }
        arrived.push_back(exchange_->mark());
    }
    for (std::size_t strip = 0; strip < most; ++strip)
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            if (strip >= strips_[i].size()) continue;
            // What it has itself is copied while that of others is on its way.
            if (lines_on_[i]) send(i, strip, i, lines_on_[i]->runner.result(), lines_.first(static_cast<int>(i)));
            exchange_->await(i, arrived[strip]);
            Strip& part = *strips_[i][strip];
            part.image = part.runner.run_native(part.lines);
        }
    begun_ = false;
}

std::vector<ImageStrip> SharedFrame::image() const {
    std::vector<ImageStrip> image;
    for (std::size_t i = 0; i < devices_.size(); ++i)
        for (const auto& strip : strips_[i]) image.push_back({i, strip->columns, strip->image});
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
