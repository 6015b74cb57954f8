// SPDX-License-Identifier: Apache-2.0
// Division of one frame into parts, each of which compresses some of the lines and makes some columns of the image,
// strip by strip. Shared by devices (shared_frame.h) and ranks (ranks/rank_part.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/device/slabs.h"
#include "kernels/passes/echo_format.h"
#include "kernels/steps/algorithm.h"

namespace cornerturn {

/// Number of strips for the columns of a part.
struct StripRule {
    std::int64_t columns = 2048;  ///< at least of a strip, where there are several
    std::int64_t most = 4;        ///< strips
    std::int64_t overlaps = 0;    ///< columns of a strip for each cell that it shares with its neighbours, at least
};

/// For little memory: the fewer columns at a time, the less of it.
inline constexpr StripRule narrow_strips{.columns = 256, .most = 16, .overlaps = 4};

class FrameCut {
public:
    /// Columns of the image, and the range cells that they are made of.
    struct Strip {
        Interval columns, cells;
        std::int64_t width() const { return columns.last - columns.first; }
        std::int64_t cell_count() const { return cells.last - cells.first; }
    };
    /// Some of the steps, with transforms as long as those of the whole.
    struct Work {
        Algorithm algorithm;
        LoweringHints hints;
    };

    /// Why the steps cannot be cut; "" where they can.
    static std::string why_not(Device& device, const Algorithm& algorithm, const LoweringHints& hints);

    /// Throws std::logic_error where why_not has a reason.
    FrameCut(Device& device, const Algorithm& algorithm, const LoweringHints& hints, std::size_t parts, StripRule rule);

    /// Report of the whole algorithm on one device.
    const LoweringReport& report() const { return report_; }
    const Slabs& lines() const { return lines_; }
    Interval lines_of(std::size_t part) const;
    std::int64_t rows() const { return rows_; }        ///< of the image
    std::int64_t columns() const { return columns_; }  ///< likewise
    std::size_t parts() const { return strips_.size(); }
    /// Parts from left to right; a part may be empty where there are few columns.
    const std::vector<Strip>& strips_of(std::size_t part) const { return strips_[part]; }
    Interval columns_of(std::size_t part) const;

    /// The steps before the corner turn, for some lines.
    Work before(Interval lines) const;
    /// The steps behind it, for one part: from all lines x its cells to all rows x its columns.
    Work behind(const Strip& strip) const;

private:
    LoweringReport report_;
    std::shared_ptr<const Steps> steps_;  // so that who cuts need not know them
    LoweringHints of_lines_, of_columns_;
    Slabs lines_;
    std::int64_t rows_ = 0, columns_ = 0;
    std::vector<std::vector<Strip>> strips_;  // [part][strip]
};

/// The most memory of its device that a part needs which takes `chunk_lines` in at a time and makes its strips one
/// after the other, as ranks do: two strips of echo, one of them being computed with, and its lines or its image; of a
/// device with memory of its own the strip that it computes with.
std::size_t strip_by_strip_bytes(Device& device, const FrameCut& cut, std::int64_t chunk_lines);

}  // namespace cornerturn
