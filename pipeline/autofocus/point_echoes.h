// SPDX-License-Identifier: Apache-2.0
// Phase gradient autofocus of a spotlight, whose image on a map has no azimuth filter to be undone: of each bright
// point every pulse tells what back-projection adds to its pixel, in place of the range-compressed phase history of a
// polar format image (Jakowatz, Wahl, Eichel, Ghiglia and Thompson, Spotlight-Mode Synthetic Aperture Radar, 1996, ch.
// 4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/math/complex.h"
#include "pipeline/autofocus/phase_estimate.h"

namespace cornerturn {

/// What each line adds to the sums at some points: the phase error of the line times the point's own amplitude, and
/// what else arrives with it.
///
/// A point that lies beside its pixel has phases straight over the direction from which a line sees the scene, not over
/// lines, of which some may be missing. So lines are put into `slots`, even steps of that direction; several may share
/// one, and some are empty.
struct PointEchoes {
    std::int64_t slots = 0;
    std::vector<std::int64_t> slot_of_line;
    std::vector<std::vector<Complex64>> points;  ///< [point][line]

    /// Of each slot the value of its last line; 0 in empty ones.
    std::vector<double> on_slots(std::span<const double> of_lines) const;
};

/// Slots of lines that see the scene from these directions, so fine that few lines share one. Throws InputError
/// where they do not go one way, or where by far the most slots would be empty.
void set_slots(std::span<const double> directions, PointEchoes& echoes);

/// Estimates as of strips (phase_of_targets): cut out are cells beside the point, over which phases of its lines change
/// by whole cycles. Phases are of lines, without constant and what is straight over slots.
PhaseEstimate phase_gradient(const PointEchoes& echoes, int threads);

/// Of the brightness across the line of sight through each point.
double entropy(const PointEchoes& echoes, std::span<const double> phase_rad, int threads);

}  // namespace cornerturn
