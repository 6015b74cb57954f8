// SPDX-License-Identifier: Apache-2.0
#include "kernels/steps/step_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/passes/tables.h"
#include "kernels/steps/steps.h"

namespace cornerturn {
namespace {

template <class Pass>
bool is(const Step& step) {
    return std::holds_alternative<Pass>(step.work);
}

std::size_t first_turn(const Steps& steps) {
    return static_cast<std::size_t>(std::find_if(steps.begin(), steps.end(), is<CornerTurn>) - steps.begin());
}

const AzimuthCompression& gather_of(const Steps& steps) {
    return std::get<AzimuthCompression>(steps[first_turn(steps) + 2].work);
}

template <class T>
std::vector<T> slice(const std::vector<T>& all, std::int64_t first, std::int64_t count) {
    if (all.empty()) return {};
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
    return {from, from + static_cast<std::ptrdiff_t>(count)};
}

struct LinesOf {
    Interval lines;

    Work operator()(RangeCompression pass) const {
        pass.lines = lines.last - lines.first;
        pass.decoding = lines_of(pass.decoding, lines);
        return pass;
    }
    Work operator()(PhaseCorrection pass) const {
        pass.lines = lines.last - lines.first;
        pass.cycles.x_centre -= lines.first;
        pass.line_cycles = slice(pass.line_cycles, lines.first, pass.lines);
        return pass;
    }
    template <class Pass>
    Work operator()(const Pass&) const {
        throw std::logic_error(fmt::format("{}: not to be cut by lines", Pass::title));
    }
};

/// Cells that the gather reads for some columns: position and its extremes run with the column, so that a few of them
/// tell.
Interval cells_read(const AzimuthCompression& pass, Interval columns) {
    constexpr std::int64_t looked_at = 16, slack = 2;
    const HostTables tables;
    const AzimuthCompressionHooks hooks = pass.hooks(tables);
    double lowest = INFINITY, highest = -INFINITY;
    for (std::int64_t i = 0; i <= looked_at; ++i) {
        const std::int64_t column = columns.first + (columns.last - 1 - columns.first) * i / looked_at;
        for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) {
            if (!(hooks.weight_at(column, bin) > 0)) continue;
            const double cell = hooks.law(column, hooks.frequency_hz(column, bin)).position_cells;
            lowest = std::min(lowest, cell);
            highest = std::max(highest, cell);
        }
    }
    constexpr double aligned = 32;  // rows that begin and end with whole cache lines go faster, over links too
    const auto cells = static_cast<double>(pass.input_cells);
    const double reach = static_cast<double>(pass.kernel.taps / 2 + slack);
    const double first = aligned * std::floor(std::clamp(std::floor(lowest) - reach, 0.0, cells - 1) / aligned);
    const double last = aligned * std::ceil(std::clamp(std::floor(highest) + reach + 1, first + 1, cells) / aligned);
    return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(std::min(last, cells))};
}

AzimuthCompression columns_of(const AzimuthCompression& pass, Interval columns, Interval cells) {
    AzimuthCompression part = pass;
    const std::int64_t count = columns.last - columns.first, table = 3 * pass.laws.terms;
    part.input_cells = cells.last - cells.first;
    part.columns = count;
    part.image_near_range_m += columns.first * pass.range_spacing_m;
    part.laws.centre_hz = slice(pass.laws.centre_hz, columns.first, count);
    part.laws.powers = slice(pass.laws.powers, table * columns.first, table * count);
    for (std::int64_t column = 0; column < count; ++column)
        part.laws.powers[static_cast<std::size_t>(table * column)] -= cells.first;
    if (!pass.band_shift.empty()) {
        const std::int64_t of_band = pass.columns_of_band, first = columns.first / of_band;
        part.band_shift = slice(pass.band_shift, first, (columns.last + of_band - 1) / of_band - first);
    }
    part.covered_rows = slice(pass.covered_rows, columns.first, count);
    return part;
}

}  // namespace

std::string why_not_in_parts(const Steps& steps) {
    const std::size_t turn = first_turn(steps);
    for (std::size_t i = 0; i < turn; ++i)
        if (!is<RangeCompression>(steps[i]) && !is<PhaseCorrection>(steps[i]))
            return fmt::format("nothing says how {} is cut by lines", title_of(steps[i].work));
    if (turn == steps.size()) return "it has no corner turn";
    if (turn + 4 > steps.size() || !is<AzimuthSpectrum>(steps[turn + 1]) || !is<AzimuthCompression>(steps[turn + 2]) ||
        !is<CornerTurn>(steps[turn + 3]))
        return fmt::format("{} needs whole range lines once more behind the corner turn",
                           title_of(steps[std::min(turn + 3, steps.size() - 1)].work));
    for (std::size_t i = turn + 4; i < steps.size(); ++i)
        if (!is<PhaseCorrection>(steps[i]))
            return fmt::format("nothing says how {} is cut by columns", title_of(steps[i].work));
    return {};
}

EchoDecoding lines_of(const EchoDecoding& decoding, Interval lines) {
    const std::int64_t count = lines.last - lines.first, per_line = decoding.intervals_per_line;
    return {.line_gain = slice(decoding.line_gain, lines.first, count),
            .valid_samples = slice(decoding.valid_samples, per_line * lines.first, per_line * count),
            .intervals_per_line = decoding.intervals_per_line,
            .levels = decoding.levels};
}

Steps part_of_lines(const Steps& steps, Interval lines) {
    Steps part(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(first_turn(steps)));
    for (Step& step : part) step.work = std::visit(LinesOf{lines}, step.work);
    return part;
}

std::int64_t unit_of_columns(const Steps& steps) {
    const AzimuthCompression& gather = gather_of(steps);
    return gather.band_shift.empty() ? 1 : gather.columns_of_band;
}

ColumnPart part_of_columns(const Steps& steps, Interval columns) {
    const std::size_t turn = first_turn(steps);
    if (columns.first % unit_of_columns(steps) != 0)
        throw std::logic_error(
            fmt::format("columns from {} on: parts begin with multiples of {}", columns.first, unit_of_columns(steps)));
    ColumnPart part{.cells = cells_read(gather_of(steps), columns),
                    .steps = Steps(steps.begin() + static_cast<std::ptrdiff_t>(turn), steps.end())};
    const std::int64_t cells = part.cells.last - part.cells.first, count = columns.last - columns.first;
    std::get<CornerTurn>(part.steps[0].work).columns = cells;
    std::get<AzimuthSpectrum>(part.steps[1].work).range_cells = cells;
    part.steps[2].work = columns_of(gather_of(steps), columns, part.cells);
    std::get<CornerTurn>(part.steps[3].work).rows = count;
    for (std::size_t i = 4; i < part.steps.size(); ++i) {
        auto& phase = std::get<PhaseCorrection>(part.steps[i].work);
        phase.samples = count;
        phase.cycles.y_centre -= columns.first;
    }
    return part;
}

}  // namespace cornerturn
