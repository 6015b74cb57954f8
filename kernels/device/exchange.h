// SPDX-License-Identifier: Apache-2.0
// Exchange of data between devices. A matrix lies in slabs over several devices: each holds neighbouring rows. They
// send blocks of columns to the devices that process them; a bench also turns the matrix, so that each device holds
// neighbouring columns as rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "kernels/device/carrier.h"
#include "kernels/device/matrix.h"
#include "kernels/device/recording.h"
#include "kernels/device/slabs.h"

namespace cornerturn {

/// Some columns of rows that lie on one device, as rows of a matrix on another, or on the same.
struct SentBlock {
    std::size_t from;
    Matrix rows;
    Interval columns;
    std::size_t to;
    Matrix out;              ///< as wide as the columns
    std::int64_t first_row;  ///< of out
};

class Exchange {
public:
    virtual ~Exchange() = default;

    /// What any device is asked for from now on waits for all that was asked of all, and sent. Marks from before are
    /// forgotten.
    virtual void meet() = 0;
    /// Goes on beside what the devices compute, behind what `from` was asked for so far; to itself a device copies in
    /// turn with what it computes. Both native.
    virtual void send(const SentBlock& block) = 0;
    /// A mark behind all that was sent so far.
    virtual std::size_t mark() = 0;
    /// What the device is asked for from now on waits for what was sent to it before the mark.
    virtual void await(std::size_t device, std::size_t mark) = 0;

    /// Notes what `work` asks of all devices, as Device::record does of one. What takes memory must have been asked for
    /// before.
    virtual std::unique_ptr<Recording> record(const std::function<void()>& work) = 0;

    /// Waits for all devices.
    virtual void wait() = 0;
};

/// The corner turn across devices, and other ways for the same bytes that it is held against. On CPUs, where one memory
/// serves all: the turn alone.
class ExchangeBench : public Exchange {
public:
    /// What `send` goes by; fastest on CPUs.
    virtual Carrier carrier() const = 0;
    /// in[i], on device i: slab i of the rows of a rows x columns matrix. out[i], on device i: takes slab i of its
    /// columns as rows, columns of `rows`. All matrices native, none in place. Goes on by itself: wait() for it. Throws
    /// DeviceError where the carrier is not `peer`.
    virtual void turn(std::span<const Matrix> in, std::span<Matrix> out) = 0;
    /// A turn on each device, and copies of what belongs to others to where it belongs. spare[i]: columns x rows of
    /// slab i, for the turned slab.
    virtual void packed_turn(std::span<Matrix> in, std::span<Matrix> spare, std::span<Matrix> out) = 0;
    /// Sends as many bytes in one piece for each pair: the rate of the links.
    virtual void copy_pieces(std::span<const Matrix> in, std::span<Matrix> out) = 0;
    /// Sends as many bytes by NCCL, if it is there.
    virtual void nccl_pieces(std::span<const Matrix> in, std::span<Matrix> out) = 0;
    virtual bool has_nccl() const = 0;
    virtual bool has_copies() const = 0;
};

/// Division of the rows and columns of a matrix in slabs. Throws std::logic_error where the slabs do not fit
/// together.
struct ExchangeShape {
    Slabs rows, columns;
};
ExchangeShape exchange_shape(std::span<const Matrix> in, std::span<const Matrix> out, std::size_t devices,
                             SampleFormat format);
/// Throws std::logic_error where a block does not lie in its matrices.
void require_block(const SentBlock& block, std::size_t devices, SampleFormat format);

}  // namespace cornerturn
