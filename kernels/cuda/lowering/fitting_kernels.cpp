// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/ways/fitting_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kernels/cuda/fft/column_fft.cuh"
#include "kernels/cuda/lines/range_line.cuh"
#include "kernels/cuda/split/split_tables.h"
#include "kernels/cuda/turn_free/turn_free.cuh"
#include "kernels/errors.h"
#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {
namespace {

/// Tiles to be tried in so much shared memory: the smaller one first, of which a multiprocessor runs two at a time.
std::vector<int> cells_within(std::int64_t shared_bytes) {
    std::vector<int> fitting;
    for (const auto& [cells, instead] : {std::pair{256, 250}, {512, 384}})
        for (const int choice : {cells, instead})
            if (turn_free_shared_bytes(choice) <= shared_bytes) {
                fitting.push_back(choice);
                break;
            }
    return fitting;
}

std::optional<TurnFreeTiles> tiles_within(std::int64_t shared_bytes, const AzimuthCompression& pass,
                                          const TileLaws& coarse, const std::vector<std::int64_t>& order) {
    constexpr int groups = TurnFreeGather<8, 14, 1, 256, Complex64>::groups;
    // Weights that are stepped over fewer columns make narrower tiles, which spread over fewer cells.
    for (int stepping = 0; stepping < static_cast<int>(std::size(weight_steppings)); ++stepping) {
        if (!stepping_holds(pass.kernel, coarse, stepping)) continue;
        const int columns_per_set = groups * weight_steppings[stepping].chunk;
        for (const int cells : cells_within(shared_bytes))
            if (auto fitted = fit_laws(pass, cells, columns_per_set, order))
                return TurnFreeTiles{.cells = cells,
                                     .stepping = stepping,
                                     .width = fitted->sets * columns_per_set,
                                     .fitted = std::move(*fitted)};
    }
    return std::nullopt;
}

/// By bins that are looked at.
TurnFreeTiles cheapest_tiles(const AzimuthCompression& pass, const GpuLimits& limits,
                             const std::vector<std::int64_t>& order) {
    const int taps = pass.kernel.taps;
    if (taps != 8 && taps != 16)
        throw Unsupported(fmt::format("{} interpolation taps: turn-free kernels have 8 or 16", taps));
    const TileLaws coarse = tile_laws(pass, law_tile_columns, order);
    if (!laws_hold(coarse))
        throw Unsupported(
            fmt::format("the migration bends along range: over {} columns parabolas miss it by {:.1e} "
                        "cells, its phase by {:.1e} cycles and its gain by {:.1e} of it, the limits are {:.0e}, of the "
                        "gain {:.0e}",
                        coarse.tile_columns, coarse.position_error_cells, coarse.phase_error_cycles, coarse.gain_error,
                        largest_law_error, largest_gain_error));
    if (stepping_for(pass.kernel, coarse) < 0)
        throw Unsupported(
            fmt::format("the migration moves by {:.4f} cells from column to column and its phase bends "
                        "by {:.1e} cycles: too much for stepped weights and phases",
                        coarse.steepest, coarse.phase_bend_cycles));
    if (auto tiles = tiles_within(limits.shared_bytes, pass, coarse, order)) return std::move(*tiles);

    const std::int64_t spread = coarse.cells - law_tile_columns - taps - 2;
    if (const auto elsewhere = tiles_within(turn_free_shared_bytes(turn_free_cells.back()), pass, coarse, order))
        throw Unsupported(
            fmt::format("range cell migration over {} cells needs tiles of {} cells in {} KiB of shared "
                        "memory, a block may have {} KiB on this GPU",
                        spread, elsewhere->cells, (turn_free_shared_bytes(elsewhere->cells) + 1023) >> 10,
                        limits.shared_bytes >> 10));
    throw Unsupported(fmt::format("range cell migration over {} cells: a tile of the turn-free kernels holds {}",
                                  spread, turn_free_cells.back()));
}

/// Every so many bins, and where the band of any column begins and ends: enough to see whether laws hold.
std::vector<std::int64_t> sampled_bins(const AzimuthCompression& pass) {
    const std::int64_t bins = pass.fft_length, step = std::max<std::int64_t>(1, bins / 64);
    const auto weighs = [&](std::int64_t bin) {
        return pass.weight[static_cast<std::size_t>((bin + bins) % bins)] > 0;
    };
    std::set<std::int64_t> shifts(pass.band_shift.begin(), pass.band_shift.end()), sampled;
    if (shifts.empty()) shifts.insert(0);
    for (std::int64_t bin = 0; bin < bins; ++bin) {
        if (bin % step == 0) sampled.insert(bin);
        if (weighs(bin) != weighs(bin - 1) || weighs(bin) != weighs(bin + 1))
            for (const std::int64_t shift : shifts) sampled.insert(((bin + shift) % bins + bins) % bins);
    }
    return {sampled.begin(), sampled.end()};
}

}  // namespace

RangeLines range_lines(std::int64_t fft_length, const GpuLimits& limits) {
    bool fits = false;
    with_filtered_digits(fft_length, [&]<class Digits>(Digits) {
        fits = shared_bytes_of<RangeLine<Digits, CommonEcho, HalfPair>> <= limits.shared_bytes;
    });
    if (fits) return RangeLines::one_kernel;
    if (const auto split = split_of(fft_length))
        with_split_row(split->row,
                       [&]<class Digits>(Digits) { fits = shared_bytes_of_shape<Digits> <= limits.shared_bytes; });
    return fits ? RangeLines::three_kernels : RangeLines::none;
}

bool has_line_kernels(std::int64_t fft_length, const GpuLimits& limits) {
    return with_line_digits(fft_length, limits.shared_bytes, [](auto) {});
}

bool has_column_kernels(std::int64_t fft_length, const GpuLimits& limits) {
    return fft_length % turn_free_rows == 0 &&
           with_column_digits(fft_length / turn_free_rows, limits.shared_bytes, [](auto) {});
}

TurnFreeTiles turn_free_tiles(const AzimuthCompression& pass, const GpuLimits& limits) {
    return cheapest_tiles(pass, limits, sampled_bins(pass));
}

/// What some bins say of tiles mostly holds for all.
TurnFreeTiles turn_free_tiles(const AzimuthCompression& pass, const GpuLimits& limits,
                              const std::vector<std::int64_t>& order) {
    TurnFreeTiles tiles = turn_free_tiles(pass, limits);
    TileLaws& laws = tiles.fitted.laws;
    laws = tile_laws(pass, tiles.width, order);
    const bool hold = laws.cells <= tiles.cells && laws_hold(laws) && stepping_holds(pass.kernel, laws, tiles.stepping);
    return hold ? std::move(tiles) : cheapest_tiles(pass, limits, order);
}

}  // namespace cornerturn
