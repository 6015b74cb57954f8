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
    if (const auto& history = acquisition.phase_history; history && lines != acquisition.lines) {
        PhaseHistory of_lines;
        part(of_lines.antenna_m, history->antenna_m);
        part(of_lines.velocity_m_s, history->velocity_m_s);
        part(of_lines.opens_s, history->opens_s);
        slice.phase_history = std::make_shared<const PhaseHistory>(std::move(of_lines));
    }
    slice.decoding = lines_of(acquisition.decoding,
                              {static_cast<std::int32_t>(first_line), static_cast<std::int32_t>(first_line + lines)});
    return slice;
}

Acquisition window_of(const Acquisition& acquisition, const Interval& lines, const Interval& samples) {
    Acquisition part = slice_of(acquisition, lines.first, lines.last - lines.first);
    part.samples = samples.last - samples.first;
    part.near_range_m = acquisition.range_m(static_cast<double>(samples.first));
    for (Interval& valid : part.decoding.valid_samples)
        valid = {std::clamp(valid.first, samples.first, samples.last) - samples.first,
                 std::clamp(valid.last, samples.first, samples.last) - samples.first};
    return part;
}

std::uint64_t EchoWindow::stored_bytes() const {
    const Acquisition& whole = source_.acquisition();
    const double share = static_cast<double>(acquisition_.lines) / static_cast<double>(whole.lines) *
                         static_cast<double>(acquisition_.samples) / static_cast<double>(whole.samples);
    return static_cast<std::uint64_t>(share * static_cast<double>(source_.stored_bytes()));
}

Acquisition part_of(const Acquisition& acquisition, const Interval& lines, const Interval& samples) {
    Acquisition part = window_of(acquisition, lines, samples);
    if (part.flown_beside) {
        part.flown_beside.reset();
        part.pulse_times_s.clear();
    }
    return part;
}

Echo read_part(EchoSource& source, const Interval& lines, const Interval& samples) {
    Echo part{part_of(source.acquisition(), lines, samples), {}};
    part.samples.resize(part.acquisition.sample_bytes());
    source.read_samples(lines.first, part.acquisition.lines, samples, part.samples);
    return part;
}

}  // namespace cornerturn
