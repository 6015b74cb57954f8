// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/lines/gather_strips.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/passes/tables.h"

namespace cornerturn {
namespace {

struct Cells {
    std::int64_t first, last;
};

/// Cells that columns read. Position is smooth along range and Doppler frequency, so that a few of both tell.
class CellReach {
public:
    explicit CellReach(const AzimuthCompression& pass)
        : hooks_(pass.hooks(tables_)), cells_(pass.input_cells), beside_(pass.kernel.taps / 2 + slack) {
        const std::int64_t length = pass.fft_length, apart = std::max<std::int64_t>(1, length / looked_at);
        const auto processed = [&](std::int64_t i) {
            return pass.weight[static_cast<std::size_t>((i + length) % length)] > 0;
        };
        for (std::int64_t i = 0; i < length; ++i)
            if (processed(i) && (i % apart == 0 || !processed(i - 1) || !processed(i + 1))) weights_.push_back(i);
    }

    /// Of columns that share a band.
    Cells of(std::int64_t first_column, std::int64_t last_column) const {
        double lowest = INFINITY, highest = -INFINITY;
        for (const std::int64_t column : {first_column, last_column - 1})
            for (const std::int64_t weight : weights_) {
                const std::int64_t length = hooks_.fft_length, bin = (weight + hooks_.shift(column)) % length;
                const double cell =
                    hooks_.law(column, hooks_.frequency_hz(column, bin < 0 ? bin + length : bin)).position_cells;
                lowest = std::min(lowest, cell);
                highest = std::max(highest, cell);
            }
        const auto within = [&](double cell) {
            return static_cast<std::int64_t>(std::clamp(std::floor(cell), -1.0, static_cast<double>(cells_)));
        };
        if (!(lowest <= highest)) return {cells_, 0};
        return {std::max<std::int64_t>(within(lowest) - beside_, 0), std::min(within(highest) + beside_ + 1, cells_)};
    }

private:
    static constexpr std::int64_t looked_at = 256, slack = 2;

    HostTables tables_;
    AzimuthCompressionHooks hooks_;
    std::int64_t cells_, beside_;
    std::vector<std::int64_t> weights_;  // numbers of those that are looked at
};

}  // namespace

GatherStrips gather_strips(const AzimuthCompression& pass, std::int64_t columns) {
    const CellReach reach(pass);
    GatherStrips made;
    std::int64_t last_cell = 0;
    for (std::int64_t first = 0; first < pass.columns; first += columns) {
        const std::int64_t last = std::min(first + columns, pass.columns);
        Cells cells{pass.input_cells, std::max(last_cell, std::min(last, pass.input_cells))};
        for (std::int64_t group = first; group < last; group += gathered_at_a_time) {
            const Cells of_group = reach.of(group, std::min(group + gathered_at_a_time, last));
            cells = {std::min(cells.first, of_group.first), std::max(cells.last, of_group.last)};
        }
        last_cell = cells.last;
        made.strips.push_back({first, last, cells.first, cells.last});
    }
    for (std::size_t i = made.strips.size(); i-- > 0;) {
        GatherStrips::Strip& strip = made.strips[i];
        if (i + 1 < made.strips.size()) strip.first_cell = std::min(strip.first_cell, made.strips[i + 1].first_cell);
        made.window = std::max(made.window, strip.last_cell - std::min(strip.first_cell, strip.last_cell));
    }
    made.window = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(made.window)));
    return made;
}

}  // namespace cornerturn
