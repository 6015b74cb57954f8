// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/valid_area.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cornerturn {
namespace {

constexpr std::int64_t together = 16;        // columns that are judged as one
constexpr std::int64_t missing_of_one = 50;  // lines

/// What neighbouring columns need together.
ColumnNeed need_of(const std::vector<ColumnNeed>& columns, std::int64_t first, std::int64_t end) {
    ColumnNeed need = columns[static_cast<std::size_t>(first)];
    for (std::int64_t i = first + 1; i < end; ++i) {
        const ColumnNeed& one = columns[static_cast<std::size_t>(i)];
        need = {std::min(need.first_line, one.first_line),
                std::max(need.last_line, one.last_line),
                one.lines_per_row,
                std::min(need.first_sample, one.first_sample),
                std::max(need.last_sample, one.last_sample),
                {std::max(need.rows.first, one.rows.first), std::min(need.rows.last, one.rows.last)}};
    }
    return need;
}

/// Counts lines that fail, so that those of any stretch are the difference of two counts.
struct FailedLines {
    std::vector<std::int32_t> torn{0}, missing{0};  ///< before a line: recorded without what is needed; not recorded

    FailedLines(const Acquisition& acquisition, const ColumnNeed& need) {
        const EchoDecoding& decoding = acquisition.decoding;
        const auto first = static_cast<std::int32_t>(std::floor(need.first_sample)),
                   last = static_cast<std::int32_t>(std::ceil(need.last_sample));
        for (std::int64_t line = 0; line < acquisition.lines; ++line) {
            const Interval* held = decoding.valid_samples.data() + line * decoding.intervals_per_line;
            bool empty = true, holds = false;
            for (int k = 0; k < decoding.intervals_per_line; ++k) {
                empty = empty && held[k].first >= held[k].last;
                holds = holds || (held[k].first <= first && held[k].last >= last);
            }
            torn.push_back(torn.back() + (!empty && !holds ? 1 : 0));
            missing.push_back(missing.back() + (empty ? 1 : 0));
        }
    }
    bool spare(std::int64_t first, std::int64_t end) const {
        const auto between = [&](const std::vector<std::int32_t>& count) {
            return count[static_cast<std::size_t>(end)] - count[static_cast<std::size_t>(first)];
        };
        return between(torn) == 0 && missing_of_one * between(missing) < end - first;
    }
};

}  // namespace

bool ValidColumns::holds(std::int64_t row, std::int64_t column) const {
    const auto first = intervals.begin() + row * intervals_per_row;
    return std::any_of(first, first + intervals_per_row,
                       [&](const Interval& i) { return i.first <= column && column < i.last; });
}

ValidColumns ValidColumns::of_rows(std::int64_t first_row, std::int64_t count) const {
    const auto first = intervals.begin() + first_row * intervals_per_row;
    return {.intervals = {first, first + count * intervals_per_row}, .intervals_per_row = intervals_per_row};
}

ValidColumns columns_between_gaps(const Acquisition& acquisition, const std::vector<ColumnNeed>& columns,
                                  std::int64_t rows) {
    const auto count = static_cast<std::int64_t>(columns.size());
    std::vector<std::vector<Interval>> of_rows(static_cast<std::size_t>(rows));
    for (std::int64_t first = 0; first < count; first += together) {
        const std::int64_t end = std::min(first + together, count);
        const ColumnNeed need = need_of(columns, first, end);
        const FailedLines failed(acquisition, need);
        for (std::int64_t row = std::max(need.rows.first, 0); row < std::min<std::int64_t>(need.rows.last, rows);
             ++row) {
            const auto line = [&](double of_row_0) {
                const double moved = need.lines_per_row * static_cast<double>(row);
                return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::llround(of_row_0 + moved)), 0,
                                                acquisition.lines);
            };
            if (!failed.spare(line(std::floor(need.first_line)), line(std::ceil(need.last_line) + 1))) continue;
            auto& intervals = of_rows[static_cast<std::size_t>(row)];
            if (!intervals.empty() && intervals.back().last == first)
                intervals.back().last = static_cast<std::int32_t>(end);
            else
                intervals.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(end)});
        }
    }
    ValidColumns valid;
    for (const auto& intervals : of_rows)
        valid.intervals_per_row = std::max(valid.intervals_per_row, static_cast<int>(intervals.size()));
    for (auto& intervals : of_rows) {
        intervals.resize(static_cast<std::size_t>(valid.intervals_per_row));
        valid.intervals.insert(valid.intervals.end(), intervals.begin(), intervals.end());
    }
    return valid;
}

}  // namespace cornerturn
