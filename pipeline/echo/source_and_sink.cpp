// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/source_and_sink.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cornerturn {

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

}  // namespace cornerturn
