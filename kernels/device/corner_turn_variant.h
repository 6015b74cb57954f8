// SPDX-License-Identifier: Apache-2.0
// The ways to turn a matrix, by name: the steps of the method's history, and the one in use.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cornerturn {

/// kernels/cuda/corner_turn/ tells what each step adds; the CPU has naive, inplace and production.
enum class CornerTurnVariant {
    naive,           ///< each thread moves one element; writes are a row apart
    patent16,        ///< 16 x 16 tiles through shared memory
    tile32,          ///< 32 x 32 tiles
    rectangular,     ///< blocks of 32 x 8 threads
    rectangular1x2,  ///< blocks of 1 x 2 threads
    padded,          ///< one extra column against bank conflicts
    coarsened,       ///< several rows per thread
    vectorized,      ///< 16-byte accesses
    production,      ///< the fastest, which focus uses
    inplace,         ///< square matrices, within one storage
    cublas           ///< cublasCgeam, cublasSgeam: what a library offers
};

inline constexpr std::array corner_turn_variants = {
    CornerTurnVariant::naive,       CornerTurnVariant::patent16,       CornerTurnVariant::tile32,
    CornerTurnVariant::rectangular, CornerTurnVariant::rectangular1x2, CornerTurnVariant::padded,
    CornerTurnVariant::coarsened,   CornerTurnVariant::vectorized,     CornerTurnVariant::production,
    CornerTurnVariant::inplace,     CornerTurnVariant::cublas};

std::string_view name_of(CornerTurnVariant variant);

/// Throws InputError listing the names.
CornerTurnVariant corner_turn_variant(std::string_view name);

/// "naive, patent16, ..."
std::string corner_turn_variant_names(std::span<const CornerTurnVariant> variants = corner_turn_variants);

/// Throws InputError if the device, which has these, has no such corner turn, or if it cannot turn a matrix of this
/// shape. `pitch`: elements from row to row; 0: packed.
void require_corner_turn(std::string_view device, std::span<const CornerTurnVariant> there, CornerTurnVariant variant,
                         std::int64_t rows, std::int64_t columns, std::int64_t pitch = 0);

}  // namespace cornerturn
