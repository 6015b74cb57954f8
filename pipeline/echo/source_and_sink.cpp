// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/source_and_sink.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/device/device.h"

namespace cornerturn {
namespace {

constexpr auto too_small = "an echo in memory has not the bytes that its acquisition tells of";

}  // namespace

void EchoSource::read_samples(std::int64_t first_line, std::int64_t lines, const Interval& samples,
                              std::span<std::byte> to) {
    constexpr std::int64_t lines_at_once = 256;
    const Acquisition& all = acquisition();
    if (samples == Interval{0, static_cast<std::int32_t>(all.samples)}) return read(first_line, lines, to);
    const std::size_t sample_bytes = bytes_per_sample(all.format),
                      line_bytes = static_cast<std::size_t>(all.samples) * sample_bytes,
                      first_byte = static_cast<std::size_t>(samples.first) * sample_bytes,
                      part_bytes = static_cast<std::size_t>(samples.last - samples.first) * sample_bytes;
    std::vector<std::byte> whole(static_cast<std::size_t>(std::min(lines_at_once, lines)) * line_bytes);
    for (std::int64_t line = 0; line < lines; line += lines_at_once) {
        const std::int64_t count = std::min(lines_at_once, lines - line);
        read(first_line + line, count, std::span(whole).first(static_cast<std::size_t>(count) * line_bytes));
        for (std::int64_t i = 0; i < count; ++i)
            std::copy_n(whole.data() + static_cast<std::size_t>(i) * line_bytes + first_byte, part_bytes,
                        to.data() + static_cast<std::size_t>(line + i) * part_bytes);
    }
}

std::optional<Matrix> EchoInMemory::lines_on(const Device& device) {
    if (device.place() != host_memory_place) return std::nullopt;
    if (static_cast<std::size_t>(acquisition_.lines) * line_bytes() > samples_.size())
        throw std::logic_error(too_small);
    return matrix_on(samples_.data(), acquisition_.format, acquisition_.lines, acquisition_.samples);
}

void EchoInMemory::read(std::int64_t first_line, std::int64_t, std::span<std::byte> to) {
    const std::size_t first = static_cast<std::size_t>(first_line) * line_bytes();
    if (first + to.size() > samples_.size()) throw std::logic_error(too_small);
    std::memcpy(to.data(), samples_.data() + first, to.size());
}

void ImageInto::begin(const Image& header) {
    const std::span<std::complex<float>> memory = memory_(header);
    if (memory.size() != header.grid.pixels())
        throw std::logic_error("the memory for an image has not the size of its grid");
    image_ = matrix_on(memory.data(), SampleFormat::complex64, header.grid.rows, header.grid.columns);
}

void ImageInto::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    if (place_ != host_memory_place) throw std::logic_error("rows from the host for an image in the memory of a GPU");
    std::memcpy(image_.data<std::complex<float>>() + first_row * image_.columns, rows.data(), rows.size_bytes());
}

std::optional<Matrix> ImageInto::room_on(const Device& device, std::int64_t first_row, std::int64_t rows) {
    if (device.place() != place_) return std::nullopt;
    return image_.rows_from(first_row, rows);
}

}  // namespace cornerturn
