// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/l0b_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "kernels/host/host_echo.h"
#include "pipeline/acquisition/fits/line_fit.h"

namespace cornerturn {
namespace {

constexpr std::size_t most_looked_at = 32;  // lines of a kind

std::optional<std::vector<std::uint8_t>> read_cal_type(const h5::Reader& file, const L0bPaths& paths,
                                                       std::int64_t lines, Warnings& warnings) {
    const std::string path = paths.transmit + "/calType";
    if (!file.exists(path)) {
        warnings.push_back(fmt::format("{}: {} is missing: every line is taken as echo", file.file_name(), path));
        return std::nullopt;
    }
    const h5::Dataset data = file.dataset(path);
    const h5::Type type = h5::type_of(data);
    const auto kind = h5::class_of(type);
    if (h5::shape(data) != std::vector{static_cast<hsize_t>(lines)} || (kind != H5T_ENUM && kind != H5T_INTEGER) ||
        h5::size_of(type) != 1)
        file.refuse(path, fmt::format("holds {} of {}, expected {} of uint8, one for each line", h5::shape_text(data),
                                      h5::type_text(type), lines));
    std::vector<std::uint8_t> values(static_cast<std::size_t>(lines));
    file.read(data, type, values.data(), path);
    return values;
}

/// Every so many of those, so that no more are left.
std::vector<std::int64_t> some_of(const std::vector<std::int64_t>& lines) {
    std::vector<std::int64_t> some;
    const std::size_t step = (lines.size() + most_looked_at - 1) / most_looked_at;
    for (std::size_t i = 0; i < lines.size(); i += step) some.push_back(lines[i]);
    return some;
}

/// Mean power of a sample in its middle line by power: a single strong one does not decide.
double usual_power(const h5::Reader& file, const SampleMatrix& samples, const Acquisition& acquisition,
                   const std::vector<std::int64_t>& lines) {
    SampleRows rows(file, samples, 1);
    std::vector<std::byte> stored(static_cast<std::size_t>(acquisition.samples) * bytes_per_sample(acquisition.format));
    std::vector<double> powers;
    for (const std::int64_t line : lines) {
        rows.read(line, 1, stored);
        with_component(acquisition.format, [&]<class Component>(std::type_identity<Component>) {
            auto echo = host_echo<double, Component>(stored.data(), acquisition.samples, acquisition.decoding, line);
            echo.intervals_per_line = 0;  // whole lines
            double sum = 0;
            for (std::int64_t k = 0; k < acquisition.samples; ++k) {
                const Complex<double> value = echo(line, k);
                sum += value.re * value.re + value.im * value.im;
            }
            powers.push_back(sum / static_cast<double>(acquisition.samples));
        });
    }
    return median_of(std::move(powers));
}

/// So that lines that are missing are filled in.
void give_lines_times_of_their_own(Acquisition& acquisition) {
    if (acquisition.uneven()) return;
    std::vector<double> times_s;
    for (std::int64_t line = 0; line < acquisition.lines; ++line)
        times_s.push_back(acquisition.pulse_time_s(static_cast<double>(line)));
    acquisition.pulse_times_s = std::move(times_s);
}

void leave_out(const std::vector<std::int64_t>& lines, Acquisition& acquisition) {
    EchoDecoding& decoding = acquisition.decoding;
    if (decoding.valid_samples.empty()) {
        decoding.intervals_per_line = 1;
        decoding.valid_samples.assign(static_cast<std::size_t>(acquisition.lines),
                                      {0, static_cast<std::int32_t>(acquisition.samples)});
    }
    for (const std::int64_t line : lines)
        std::fill_n(decoding.valid_samples.begin() + static_cast<std::ptrdiff_t>(line * decoding.intervals_per_line),
                    decoding.intervals_per_line, Interval{});
    give_lines_times_of_their_own(acquisition);
}

}  // namespace

void leave_out_calibration(const h5::Reader& file, const L0bPaths& paths, const SampleMatrix& samples,
                           Acquisition& acquisition, Warnings& warnings) {
    const auto cal_type = read_cal_type(file, paths, acquisition.lines, warnings);
    if (!cal_type) return;
    std::vector<std::int64_t> marked, beside;
    for (std::int64_t line = 0; line < acquisition.lines; ++line) {
        const auto is_marked = [&](std::int64_t i) {
            return i >= 0 && i < acquisition.lines && (*cal_type)[static_cast<std::size_t>(i)] != 0;
        };
        if (is_marked(line))
            marked.push_back(line);
        else if (is_marked(line - 1) || is_marked(line + 1))
            beside.push_back(line);
    }
    if (marked.empty()) return;
    const std::string subject = fmt::format("{}: {}/calType: {} of {} lines are not marked as echo (HPA)",
                                            file.file_name(), paths.transmit, marked.size(), acquisition.lines);
    if (beside.empty())
        return warnings.push_back(subject + ", which is all there is: the mark is taken as meaningless");
    const double ratio_db = 10 * std::log10(usual_power(file, samples, acquisition, some_of(marked)) /
                                            usual_power(file, samples, acquisition, some_of(beside)));
    constexpr double alike_db = 3;
    if (std::abs(ratio_db) < alike_db)
        return warnings.push_back(fmt::format(
            "{}, but have the power of their neighbours ({:+.1f} dB): processed like these", subject, ratio_db));
    leave_out(marked, acquisition);
    warnings.push_back(
        fmt::format("{} and have {:+.1f} dB of the power of their neighbours: left out", subject, ratio_db));
}

void count_empty_lines_as_missing(const h5::Reader& file, const L0bPaths& paths, Acquisition& acquisition,
                                  Warnings& warnings) {
    const EchoDecoding& decoding = acquisition.decoding;
    if (decoding.valid_samples.empty()) return;
    std::int64_t empty = 0, in_a_row = 0, most_in_a_row = 0;
    for (std::int64_t line = 0; line < acquisition.lines; ++line) {
        const auto first =
            decoding.valid_samples.begin() + static_cast<std::ptrdiff_t>(line * decoding.intervals_per_line);
        const bool none =
            std::all_of(first, first + decoding.intervals_per_line, [](Interval i) { return i.first >= i.last; });
        empty += none ? 1 : 0;
        in_a_row = none ? in_a_row + 1 : 0;
        most_in_a_row = std::max(most_in_a_row, in_a_row);
    }
    if (empty == 0) return;
    warnings.push_back(fmt::format(
        "{}: {}: {} of {} lines hold no echo, at most {} in a row: filled in from their neighbours where these tell "
        "enough, else left out",
        file.file_name(), paths.samples, empty, acquisition.lines, most_in_a_row));
    give_lines_times_of_their_own(acquisition);
}

}  // namespace cornerturn
