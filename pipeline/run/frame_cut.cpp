// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/frame_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/steps/step_parts.h"
#include "kernels/steps/steps.h"

namespace cornerturn {
namespace {

Interval interval(std::int64_t first, std::int64_t last) {
    return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
}

/// Cells beside its own that a strip of so many columns needs.
std::int64_t overlap_of(const Steps& steps, std::int64_t columns) {
    const Interval cells = part_of_columns(steps, interval(0, columns)).cells;
    return std::max<std::int64_t>(0, cells.last - cells.first - columns);
}

std::int64_t strip_count(const Steps& steps, std::int64_t columns_of_part, const StripRule& rule) {
    std::int64_t least = std::max<std::int64_t>(rule.columns, 1);
    if (rule.overlaps > 0 && columns_of_part > least) least = std::max(least, rule.overlaps * overlap_of(steps, least));
    return std::clamp<std::int64_t>(columns_of_part / least, 1, rule.most);
}

}  // namespace

std::string FrameCut::why_not(Device& device, const Algorithm& algorithm, const LoweringHints& hints) {
    if (hints.precision != Precision::full) return fmt::format("--precision {}", name_of(hints.precision));
    return why_not_in_parts(algorithm.steps(device.probe(algorithm, hints).fft_lengths));
}

FrameCut::FrameCut(Device& device, const Algorithm& algorithm, const LoweringHints& hints, std::size_t parts,
                   StripRule rule)
    : report_(device.probe(algorithm, hints)),
      steps_(std::make_shared<const Steps>(algorithm.steps(report_.fft_lengths))),
      of_lines_(hints),
      of_columns_(hints) {
    if (const std::string reason = why_not_in_parts(*steps_); !reason.empty())
        throw std::logic_error(fmt::format("a frame in {} parts: {}", parts, reason));
    of_lines_.fft_lengths = of_columns_.fft_lengths = report_.fft_lengths;
    of_columns_.chain = report_.chain;
    if (report_.chain != Chain::plain) of_lines_.chain.reset();

    const WorkShape echo = shape_of(steps_->front().work), image = shape_of(steps_->back().work);
    const auto count = static_cast<std::int64_t>(parts);
    lines_ = {echo.in_rows, static_cast<int>(count)};
    rows_ = image.out_rows;
    columns_ = image.out_columns;
    const std::int64_t unit = unit_of_columns(*steps_), units = (columns_ + unit - 1) / unit;
    const std::int64_t strips = strip_count(*steps_, columns_ / count, rule);
    const Slabs shares{units, static_cast<int>(count * strips)};
    strips_.resize(parts);
    for (int share = 0; share < shares.parts; ++share) {
        const Interval columns =
            interval(unit * shares.first(share), std::min(unit * shares.first(share + 1), columns_));
        if (columns.first < columns.last)
            strips_[static_cast<std::size_t>(share / strips)].push_back(
                {columns, part_of_columns(*steps_, columns).cells});
    }
}

Interval FrameCut::lines_of(std::size_t part) const {
    return interval(lines_.first(static_cast<int>(part)), lines_.first(static_cast<int>(part) + 1));
}

Interval FrameCut::columns_of(std::size_t part) const {
    const std::vector<Strip>& strips = strips_[part];
    return strips.empty() ? Interval{0, 0} : Interval{strips.front().columns.first, strips.back().columns.last};
}

FrameCut::Work FrameCut::before(Interval lines) const {
    return {{.least = report_.fft_lengths,
             .steps = [steps = part_of_lines(*steps_, lines)](const FftLengths&) { return steps; }},
            of_lines_};
}

FrameCut::Work FrameCut::behind(const Strip& strip) const {
    return {{.least = report_.fft_lengths,
             .steps = [steps = part_of_columns(*steps_, strip.columns).steps](const FftLengths&) { return steps; }},
            of_columns_};
}

std::size_t strip_by_strip_bytes(Device& device, const FrameCut& cut, std::int64_t chunk_lines) {
    const DeviceInfo info = device.info();
    const auto bytes_of = [](std::int64_t rows, std::int64_t columns, SampleFormat format) {
        return static_cast<std::size_t>(rows * columns) * bytes_per_sample(format);
    };
    const FrameCut::Strip* widest = nullptr;
    std::int64_t cells = 0, columns = 0;
    std::size_t strips = 1;
    for (std::size_t part = 0; part < cut.parts(); ++part) {
        for (const FrameCut::Strip& strip : cut.strips_of(part)) {
            if (!widest || strip.cell_count() > widest->cell_count()) widest = &strip;
            cells += strip.cell_count();
        }
        const Interval of_part = cut.columns_of(part);
        columns = std::max<std::int64_t>(columns, of_part.last - of_part.first);
        strips = std::max(strips, cut.strips_of(part).size());
    }
    const std::int64_t lines = cut.lines().largest();
    const FrameCut::Work before = cut.before(interval(0, std::min(chunk_lines, lines))), behind = cut.behind(*widest);
    const std::size_t strip = bytes_of(cut.lines().rows, widest->cell_count(), info.native),
                      chunk = device.probe(before.algorithm, before.hints).memory_bytes,
                      making = device.probe(behind.algorithm, behind.hints).memory_bytes;
    if (!info.shares_host_memory) return std::max(chunk, strip + making);
    // While a strip is made, the lines of those two before it may not have left yet.
    const std::size_t kept =
        std::max(bytes_of(lines, cells, info.native), bytes_of(cut.rows(), columns, SampleFormat::complex64));
    return kept + std::max(strip + chunk, kept / strips + 2 * strip + making);
}

}  // namespace cornerturn
