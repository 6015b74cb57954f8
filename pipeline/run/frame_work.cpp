// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/frame_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/errors.h"
#include "pipeline/echo/echo_part.h"

namespace cornerturn {
namespace {

bool is_finite(float value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

/// Over all values without a branch, so that it becomes vector code: each row of an image passes through here.
bool all_finite(std::span<const std::complex<float>> row) {
    const float* values = reinterpret_cast<const float*>(row.data());
    int bad = 0;
    for (std::size_t i = 0; i < 2 * row.size(); ++i) bad |= is_finite(values[i]) ? 0 : 1;
    return bad == 0;
}

}  // namespace

std::vector<const Acquisition*> acquisitions_of(std::span<EchoSource* const> frames) {
    std::vector<const Acquisition*> acquisitions;
    for (const EchoSource* frame : frames) acquisitions.push_back(&frame->acquisition());
    return acquisitions;
}

bool has_floating_point_samples(const Acquisition& acquisition) {
    return acquisition.format != SampleFormat::int8 && acquisition.format != SampleFormat::int16;
}

Algorithm algorithm_of(const Acquisition& frame, const FocusSetup& setup, std::size_t number) {
    const AzimuthBlock& block = setup.memory.blocks[number];
    return formation_of(former_named(setup.algorithm), slice_of(frame, block.first_line, block.lines),
                        setup.image_of(frame, number), block, setup.memory.largest)
        ->algorithm();
}

void check_finite(std::span<const std::complex<float>> rows, std::int64_t first_row, std::int64_t columns,
                  const Acquisition& frame) {
    if (all_finite(rows)) return;
    const auto bad =
        std::find_if(rows.begin(), rows.end(), [](auto v) { return !is_finite(v.real()) || !is_finite(v.imag()); });
    const std::int64_t at = bad - rows.begin();
    throw DeviceError(
        fmt::format("image of {}: row {}, column {} is {} + {}j, no finite number; nothing is written. Echo samples "
                    "near the end of floating point (1e38) overflow: scale them down; if yours are far below, please "
                    "report it with what `cornerturn info` and `cornerturn focus --dry-run` print",
                    frame_name(frame), first_row + at / columns, at % columns, bad->real(), bad->imag()));
}

bool is_finite(Device& device, const Matrix& image) {
    if (device.info().shares_host_memory || image.format != SampleFormat::complex64) return false;
    const auto counter = device.non_finite_counter({});
    counter->add(image);
    return counter->result() == 0;
}

void add_to(std::complex<float>* sum, std::span<const std::complex<float>> rows) {
    for (const std::complex<float> pixel : rows) *sum++ += pixel;
}

void note_copies(Device& device, Timeline* timeline, std::size_t number) {
    if (timeline == nullptr) return;
    const BusSpans spans = device.take_bus_spans();
    timeline->note(lane_of_device(lane::to_device, number), "lines", spans.uploads);
    timeline->note(lane_of_device(lane::to_host, number), "rows", spans.downloads);
}

std::size_t blocks_there(const std::vector<AzimuthBlock>& blocks, std::int64_t rows) {
    std::size_t count = 0;
    while (count < blocks.size() && blocks[count].first_row + blocks[count].rows <= rows) ++count;
    return count;
}

std::int64_t lines_counted(const std::vector<AzimuthBlock>& blocks, std::size_t block, std::size_t first) {
    return block > first ? blocks[block - 1].first_line + blocks[block - 1].lines : 0;
}

}  // namespace cornerturn
