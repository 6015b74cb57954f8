// SPDX-License-Identifier: Apache-2.0
// The bursts of one sub-swath and polarization as a measurement file of Sentinel-1 SLC has them: each of as many lines,
// one above the other, all on one zero-Doppler grid.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/acquisition/image.h"

namespace cornerturn::safe {

struct StackedBurst {
    Image header;  ///< without samples
    /// Of its image, where line and sample 0 of the burst lie. Lines before its rows, or behind them, are empty.
    std::int64_t first_row = 0, first_column = 0;
    /// Rows that have nearly all columns, [first, last). Readers cut all of a burst to what its first and its last line
    /// have, so that the rows before and behind, which have but some, would cost more than they bring.
    Interval whole_rows{};
};

/// Each burst has the same samples, the lines of each lie around the time at which its beam was broadside.
struct BurstStack {
    std::vector<StackedBurst> bursts;  ///< by time
    std::int64_t lines = 0;            ///< of each burst
    std::int64_t samples = 0;          ///< of each line

    const Image& first() const { return bursts.front().header; }
    const Acquisition& acquisition() const { return first().acquisition; }
    const Burst& swath() const { return *acquisition().burst; }
    std::int64_t all_lines() const { return lines * static_cast<std::int64_t>(bursts.size()); }
    double line_spacing_s() const { return first().grid.time_spacing_s; }
    double range_m(double sample) const {
        return first().grid.range_m(static_cast<double>(bursts.front().first_column) + sample);
    }
    /// Two-way delay at which a sample lies.
    double delay_s(double sample) const { return 2 * range_m(sample) / speed_of_light_m_s; }
    /// Zero-Doppler time of a line of a burst, since the acquisitions' epoch.
    double time_s(const StackedBurst& burst, double line) const {
        return burst.header.grid.time_s(static_cast<double>(burst.first_row) + line);
    }
    /// Of the line that readers of such products take for the middle of a burst.
    double middle_time_s(const StackedBurst& burst) const { return time_s(burst, static_cast<double>(lines / 2)); }
    double first_time_s() const { return time_s(bursts.front(), 0); }
    double last_time_s() const { return time_s(bursts.back(), static_cast<double>(lines - 1)); }
    /// Samples of a line that are fully compressed: [first, last), empty outside the whole rows. The first and the last
    /// line of a burst have none, as some readers look for where they end.
    Interval valid(const StackedBurst& burst, std::int64_t line) const;
};

/// What is valid of images of bursts of one sub-swath and polarization. Throws InputError where they are not on one
/// grid, or nothing of one is valid.
BurstStack stacked(std::vector<Image> headers);

}  // namespace cornerturn::safe
