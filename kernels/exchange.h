// SPDX-License-Identifier: Apache-2.0
// The corner turn across devices. A matrix lies in slabs over several devices: each holds neighbouring rows. Turned, each holds
// neighbouring columns as rows.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/matrix.h"
#include "kernels/slabs.h"

namespace cornerturn {

class Exchange {
public:
    virtual ~Exchange() = default;

    /// in[i], on device i: slab i of the rows of a rows x columns matrix. out[i], on device i: takes slab i of its columns as rows, columns
    /// of `rows`. All matrices native, none in place. Goes on by itself: wait() for it.
    virtual void turn(std::span<const Matrix> in, std::span<Matrix> out) = 0;
    /// Waits for all devices.
    virtual void wait() = 0;
};

/// Other ways for the same bytes between devices, which the turn is held against. On CPUs, where one memory serves all: the turn alone.
class ExchangeBench : public Exchange {
public:
    /// A turn on each device, and copies of what belongs to others to where it belongs. spare[i]: columns x rows of slab i, for the turned
    /// slab.
    virtual void packed_turn(std::span<Matrix> in, std::span<Matrix> spare, std::span<Matrix> out) = 0;
    /// What belongs to others goes there as blocks of rows: nothing is turned.
    virtual void copy_blocks(std::span<const Matrix> in, std::span<Matrix> out) = 0;
    /// As many bytes in one piece for each: what the links give.
    virtual void copy_pieces(std::span<const Matrix> in, std::span<Matrix> out) = 0;
    virtual bool has_copies() const = 0;
};

/// How the rows and columns of a matrix in slabs are shared out. Throws std::logic_error where the slabs do not fit together.
struct ExchangeShape {
    Slabs rows, columns;
};
ExchangeShape exchange_shape(std::span<const Matrix> in, std::span<const Matrix> out, std::size_t devices, SampleFormat format);

}  // namespace cornerturn
