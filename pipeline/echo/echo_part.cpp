// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/echo_part.h"

#include <algorithm>

#include "kernels/steps/step_parts.h"

namespace cornerturn {

Acquisition slice_of(const Acquisition& acquisition, std::int64_t first_line, std::int64_t lines) {
    Acquisition slice = acquisition;
    slice.lines = lines;
    slice.first_pulse_time_s = acquisition.pulse_time_s(static_cast<double>(first_line));
    const auto part = [&](auto& to, const auto& from) {
        if (from.empty()) return;
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(first_line);
        to.assign(first, first + static_cast<std::ptrdiff_t>(lines));
    };
    part(slice.pulse_times_s, acquisition.pulse_times_s);
    part(slice.line_phase_cycles, acquisition.line_phase_cycles);
    part(slice.true_phase_error_rad, acquisition.true_phase_error_rad);
    slice.decoding = lines_of(acquisition.decoding,
                              {static_cast<std::int32_t>(first_line), static_cast<std::int32_t>(first_line + lines)});
    return slice;
}

Acquisition part_of(const Acquisition& acquisition, const Interval& lines, const Interval& samples) {
    Acquisition part = slice_of(acquisition, lines.first, lines.last - lines.first);
    part.samples = samples.last - samples.first;
    if (part.flown_beside) {
        part.flown_beside.reset();
        part.pulse_times_s.clear();
    }
    part.near_range_m = acquisition.range_m(static_cast<double>(samples.first));
    for (Interval& valid : part.decoding.valid_samples)
        valid = {std::clamp(valid.first, samples.first, samples.last) - samples.first,
                 std::clamp(valid.last, samples.first, samples.last) - samples.first};
    return part;
}

Echo read_part(EchoSource& source, const Interval& lines, const Interval& samples) {
    constexpr std::int64_t lines_at_once = 256;
    const Acquisition& whole = source.acquisition();
    Echo part{part_of(whole, lines, samples), {}};
    const std::size_t sample_bytes = bytes_per_sample(whole.format),
                      line_bytes = static_cast<std::size_t>(whole.samples) * sample_bytes;
    const std::size_t part_bytes = static_cast<std::size_t>(part.acquisition.samples) * sample_bytes;
    part.samples.resize(static_cast<std::size_t>(part.acquisition.lines) * part_bytes);
    std::vector<std::byte> read(static_cast<std::size_t>(std::min(lines_at_once, part.acquisition.lines)) * line_bytes);
    std::byte* to = part.samples.data();
    for (std::int64_t line = lines.first; line < lines.last; line += lines_at_once) {
        const std::int64_t count = std::min<std::int64_t>(lines_at_once, lines.last - line);
        source.read(line, count, std::span(read).first(static_cast<std::size_t>(count) * line_bytes));
        for (std::int64_t i = 0; i < count; ++i, to += part_bytes)
            std::copy_n(read.data() + static_cast<std::size_t>(i) * line_bytes +
                            static_cast<std::size_t>(samples.first) * sample_bytes,
                        part_bytes, to);
    }
    return part;
}

}  // namespace cornerturn
