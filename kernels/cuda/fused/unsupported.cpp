// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/fused/unsupported.h"

#include <fmt/format.h>

#include "kernels/errors.h"
#include "kernels/migration_law.h"

namespace cornerturn {

void refuse_length(std::string_view transform, std::int64_t length) {
    throw Unsupported(fmt::format("{} FFT of {} points: no fused kernel has this length", transform, length));
}

void refuse_shared_memory(std::string_view transform, std::int64_t length) {
    throw Unsupported(
        fmt::format("{} FFT of {} points does not fit the shared memory of a block on this GPU", transform, length));
}

void refuse_taps(int taps) {
    throw Unsupported(fmt::format("{} interpolation taps: turn-free kernels have 8 or 16", taps));
}

void refuse_velocity(const TileLaws& laws) {
    throw Unsupported(fmt::format(
        "velocity bends along range: over {} columns parabolas miss the migration by {:.1e} cells, the phase by {:.1e} "
        "cycles "
        "and the gain by {:.1e} of it, the limit is {:.0e}",
        laws.tile_columns, laws.position_error_cells, laws.phase_error_cycles, laws.gain_error, largest_law_error));
}

void refuse_slope(const TileLaws& laws) {
    throw Unsupported(
        fmt::format("migration moves by {:.4f} cells from column to column and its phase bends by {:.1e} cycles: too "
                    "much for stepped "
                    "weights and phases",
                    laws.steepest, laws.phase_bend_cycles));
}

void refuse_migration(std::int64_t cells, std::int64_t limit) {
    throw Unsupported(
        fmt::format("range cell migration over {} cells, a tile of the turn-free kernels holds {}", cells, limit));
}

}  // namespace cornerturn
