// SPDX-License-Identifier: Apache-2.0
// Phase gradient autofocus, whatever the image: targets are cut out and deramped, and tell the phase of the lines that
// see them but for a constant and a slope each; what all of them have in common is the error (phase_gradient.h and
// point_echoes.h find the targets).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/math/complex.h"
#include "pipeline/autofocus/phase_estimate.h"

namespace cornerturn {

/// Lines, and the rows (bins) over which a line's phase is told apart.
struct SlowTime {
    std::int64_t lines = 0;
    double aperture_lines = 0;
    double rows_per_cell = 1;    ///< azimuth resolution
    double widest_window = 0.6;  ///< of the rows, in apertures
    /// Whether phases ripple near the ends of a target's aperture as behind an edge (Fresnel), beyond which its azimuth
    /// filter sees other lines.
    bool rippled_ends = true;
    /// Rows over which a phase error spreads a point that has one cycle in so many lines: rows x lines.
    double rows_times_lines() const { return aperture_lines * rows_per_cell; }
    /// Lines that a window of so many rows cannot tell apart.
    double resolution_lines(std::int64_t window) const {
        return std::max(1.0, rows_times_lines() / static_cast<double>(window));
    }
};

/// What a target tells: phases of lines from `first` on, and how bright it is there.
struct TargetPhase {
    std::int64_t first = 0;
    std::vector<double> phase_rad, brightness;
    double coherence = 0;  ///< of its lines: 1 where their phases are all the same
    double weight = 0;
    std::int64_t end() const { return first + std::ssize(phase_rad); }
};

/// Fewer tell nothing: what one target has of its own could be taken for what all have in common.
inline constexpr std::size_t fewest_targets = 3;

/// The rows about one, fading to the window's ends, all others zero; the last row lies beside the first.
void cut_out(std::int64_t middle, std::int64_t window, std::span<Complex64> values);

/// Of deramped lines of a target that was cut out with this window: phases without their constant and strongest
/// frequency, which is where the target lies; zeros are lines that nobody knows, over which phases stay. `spectrum`:
/// room, at least as long; `forward` transforms it.
void read_phases(const SlowTime& time, std::int64_t window, std::span<const Complex64> deramped,
                 std::span<Complex64> spectrum, const std::function<void(Complex64*)>& forward, TargetPhase& target);

/// The targets that stand out once lines have these phases taken off, cut out with a window of so many rows.
using TargetsFound = std::function<std::vector<TargetPhase>(std::int64_t window, const std::vector<double>& phase_rad)>;

/// Round by round: what targets have in common is taken off, weighted by how little each of them scatters about it;
/// finer than a 64th of an aperture as their mean. The window shrinks from 128 resolution cells to 32, while points
/// become sharper, and then grows again as far as they stand out well enough to tell what changes faster: the window is
/// the bandwidth of what can be found.
PhaseEstimate phase_of_targets(const SlowTime& time, const TargetsFound& targets_of);

}  // namespace cornerturn
