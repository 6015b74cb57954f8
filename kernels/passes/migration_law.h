// SPDX-License-Identifier: Apache-2.0
// The hook of azimuth compression as laws along range: over a tile of neighbouring columns position and phase of a
// Doppler frequency are parabolas (straight lines where the velocity is constant), so that a kernel needs no double
// precision and no root. The gain falls with the root of the range, at a range of 300 m by a third over a tile: no
// short law holds for it. But it does so for all frequencies alike, so that a factor of the frequency and one of the
// column make it, and the latter comes from a table.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/math/interpolation.h"

namespace cornerturn {

struct AzimuthCompression;

/// Of one Doppler frequency in one tile; q is the column less the tile's first.
struct alignas(16) TileLaw {
    std::int32_t cell = 0;         ///< of the first tap at q = 0, less the tile's first cell
    float fraction = 0;            ///< position - base: fraction + q (slope + q curvature), beyond cell + q
    float slope = 0;               ///< cells per column, less 1
    float curvature = 0;           ///< cells per column^2
    std::uint32_t phase = 0;       ///< of the filter at q = 0, in 2^-32 cycles: whole cycles drop out by themselves
    std::uint32_t phase_step = 0;  ///< per column, likewise
    float phase_curvature = 0;     ///< cycles per column^2
    float gain = 0;                ///< to be multiplied by the column's; 0: the frequency is not processed
    float gain_step = 0;           ///< by which that grows from column to column, relative to q = 0
};

inline constexpr int law_tile_columns = 224;  ///< where nothing else decides; a multiple of every chunk

/// Laws of all tiles and Doppler frequencies of a pass.
struct TileLaws {
    std::int64_t tile_columns = 0;
    std::int64_t tiles = 0;
    std::vector<std::int32_t> first_cell = {};  ///< per tile: lowest cell that any frequency reads
    std::vector<TileLaw> laws = {};             ///< [tile][order of the frequencies]
    std::vector<float> column_gain = {};        ///< per column of the image, the same for all frequencies
    std::int64_t cells = 0;        ///< from a tile's first cell to behind the last that any frequency reads
    double steepest = 0;           ///< largest slope, cells per column
    double phase_bend_cycles = 0;  ///< largest phase curvature, cycles per column^2
    // Largest deviation from the hook: of the band's edges at every column, of other frequencies at some. What is not a
    // number counts as infinite.
    double position_error_cells = 0;
    double phase_error_cycles = 0;
    double gain_error = 0;  ///< relative to the strongest frequency's gain
};

/// `order[i]` is the bin of law i of a tile.
TileLaws tile_laws(const AzimuthCompression& pass, std::int64_t tile_columns, const std::vector<std::int64_t>& order);

/// How the interpolation weights follow the position within a chunk of columns.
struct WeightStepping {
    int chunk;  ///< columns
    int order;  ///< 1: a straight line between the chunk's ends, 2: a parabola through ends and middle
};
/// Error of stepped weights, relative to the signal, where the position moves `slope` cells per column.
double stepping_error(const SincKernel& kernel, WeightStepping stepping, double slope);

/// Steps that kernels are built for, cheapest first; the first whose error is small enough is taken.
inline constexpr WeightStepping weight_steppings[] = {{28, 1}, {14, 1}, {14, 2}, {7, 2}};
/// Chunks and taps whose window fits the registers of a thread.
inline constexpr int largest_window = 40;
inline constexpr double largest_stepping_error = 3.16e-6;  ///< 110 dB at the steepest frequency
/// Most that the phase may bend away from a rotation by equal steps within a chunk: 111 dB, a parabola being 0.73 of
/// its height in the mean square.
inline constexpr double largest_phase_bend_cycles = 6e-7;
/// Whether the weight_steppings of that index follow the laws well enough.
bool stepping_holds(const SincKernel& kernel, const TileLaws& laws, int index);
/// The first that does, or -1 where the migration is too steep or its phase bends too much for all.
int stepping_for(const SincKernel& kernel, const TileLaws& laws);

inline constexpr double largest_law_error = 1e-6;  ///< of a cell, of a cycle
/// Of the strongest gain, at the one place of all that is worst: on the whole ten times less, as the droop of sixteen
/// taps bends at the edges of omega-K's swath only.
inline constexpr double largest_gain_error = 1e-5;
/// Whether the laws are as good as the hook.
bool laws_hold(const TileLaws& laws);

/// Laws that hold for the widest tile whose cells fit, and how wide it is.
struct FittedLaws {
    TileLaws laws;
    int sets = 0;
};
/// For tiles of whole sets of columns. Nullopt: a tile of even one set reads more than so many cells.
std::optional<FittedLaws> fit_laws(const AzimuthCompression& pass, int cells, int columns_per_set,
                                   const std::vector<std::int64_t>& order);

}  // namespace cornerturn
