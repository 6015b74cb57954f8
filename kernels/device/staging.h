// SPDX-License-Identifier: Apache-2.0
// Transfer of an echo to a device piece by piece while the device computes, and the facts that are collected on the
// way.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/busy_span.h"
#include "kernels/device/matrix.h"

namespace cornerturn {

/// Bytes that went over the bus (or would have, on a CPU), and how long the bus was busy with them (0 where there is
/// none).
struct TransferCount {
    std::uint64_t uploaded_bytes = 0;
    std::uint64_t downloaded_bytes = 0;
    double upload_s = 0;
    double download_s = 0;

    TransferCount& operator+=(const TransferCount& more) {
        uploaded_bytes += more.uploaded_bytes;
        downloaded_bytes += more.downloaded_bytes;
        upload_s += more.upload_s;
        download_s += more.download_s;
        return *this;
    }
    friend TransferCount operator-(const TransferCount& now, const TransferCount& before) {
        return {now.uploaded_bytes - before.uploaded_bytes, now.downloaded_bytes - before.downloaded_bytes,
                now.upload_s - before.upload_s, now.download_s - before.download_s};
    }
};

/// Spans in which the bus was busy, in order of time.
struct BusSpans {
    std::vector<BusySpan> uploads, downloads;
};

/// Memory that echo lines wait in on their way to the device. Any thread fills host() with the next lines while the
/// device still computes with those of other stages; the thread that computes sends them. Must not outlive the device.
class StagedLines {
public:
    virtual ~StagedLines() = default;
    /// Memory for the lines (page-locked on a GPU). Waits until what was sent before has left it; fill it only between
    /// release() and send.
    virtual std::span<std::byte> host() = 0;
    /// Sends the first `rows` lines. Work asked of the device from now on finds them in the matrix returned, until
    /// release().
    virtual Matrix send(std::int64_t rows) = 0;
    /// The same for lines that lie in memory of Device::host_memory, which must stay as it is until the device was
    /// synchronized.
    virtual Matrix send_from(const std::byte* lines, std::int64_t rows) = 0;
    /// Sends them to the rows of `whole` from first_row on, and returns these.
    virtual Matrix send_into(Matrix& whole, std::int64_t first_row, std::int64_t rows) = 0;
    /// What was asked of the device so far is the last that needs the matrix that send returned.
    virtual void release() = 0;
};

/// Counts samples that are NaN or infinite, of an echo that comes in pieces.
class NonFiniteCounter {
public:
    virtual ~NonFiniteCounter() = default;
    virtual void add(const Matrix& lines) = 0;
    /// The count of the lines so far.
    virtual std::int64_t result() = 0;
};

/// Adds up how long the device is busy with what is asked of it between start() and stop().
class DeviceStopwatch {
public:
    virtual ~DeviceStopwatch() = default;
    virtual void start() = 0;
    virtual void stop() = 0;
    /// Waits for the device.
    virtual double seconds() = 0;
    /// The times since the last call, in order. Waits for the device.
    virtual std::vector<BusySpan> take_spans() = 0;
};

/// Bytes a second between page-locked memory and the device (from memory to memory, where that is the same).
struct BusRate {
    double upload_bytes_per_s = 0;
    double download_bytes_per_s = 0;
};

}  // namespace cornerturn
