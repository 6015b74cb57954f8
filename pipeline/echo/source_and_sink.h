// SPDX-License-Identifier: Apache-2.0
// Interfaces for the lines of an echo and the rows of an image, which are read and written piece by piece.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "kernels/device/memory_place.h"
#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

class Device;

/// The echo of one frame: one frequency and polarization.
class EchoSource {
public:
    virtual ~EchoSource() = default;
    virtual const Acquisition& acquisition() const = 0;
    /// Copies whole lines, as stored and packed, in ascending order over the calls but for a new beginning now and
    /// then, which costs more. May be called from any thread, one at a time.
    virtual void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) = 0;
    /// Reads some samples of each line. By default whole lines are read, and the rest is dropped.
    virtual void read_samples(std::int64_t first_line, std::int64_t lines, const Interval& samples,
                              std::span<std::byte> to);
    /// All lines, as stored and packed, where they lie in memory that the device reaches, ready for work that is asked
    /// of it from now on; none: they have to be read.
    virtual std::optional<Matrix> lines_on(const Device& /*device*/) { return std::nullopt; }
    /// Number of lines that are stored together: reading fewer at a time costs more.
    virtual std::int64_t line_unit() const { return 1; }
    /// Bytes to read from the disk.
    virtual std::uint64_t stored_bytes() const { return 0; }
    /// Whether read may be called while an ImageSink of the same program writes.
    virtual bool reads_beside_writing() const { return true; }
};

/// Takes images, one frame after the other.
class ImageSink {
public:
    virtual ~ImageSink() = default;
    /// Begins a frame: everything about it but its samples.
    virtual void begin(const Image& header) = 0;
    /// Rows of the frame, from the first on, that an earlier run has left here and that need not come again; to be
    /// asked after begin.
    virtual std::int64_t rows_there() const { return 0; }
    /// Writes whole rows, in order, behind those that are there.
    virtual void write(std::int64_t first_row, std::span<const std::complex<float>> rows) = 0;
    /// Room of complex64 for such rows in memory that the device reaches, which then puts them there itself, instead
    /// of write; none: it does not.
    virtual std::optional<Matrix> room_on(const Device& /*device*/, std::int64_t /*first_row*/, std::int64_t /*rows*/) {
        return std::nullopt;
    }
    /// Called when an azimuth block is complete.
    virtual void block_done() {}
};

/// An echo in host memory, whoever owns it: lines x samples of acquisition.format, packed. Both must outlive the
/// source.
class EchoInMemory final : public EchoSource {
public:
    explicit EchoInMemory(const Echo& echo) : EchoInMemory(echo.acquisition, std::as_bytes(std::span(echo.samples))) {}
    EchoInMemory(const Acquisition& acquisition, std::span<const std::byte> samples)
        : acquisition_(acquisition), samples_(samples) {}
    const Acquisition& acquisition() const override { return acquisition_; }
    /// Of a device that computes in host memory. Throws as read does.
    std::optional<Matrix> lines_on(const Device& device) override;
    /// Throws std::logic_error where the memory has less than the acquisition tells.
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override;

private:
    std::size_t line_bytes() const {
        return static_cast<std::size_t>(acquisition_.samples) * bytes_per_sample(acquisition_.format);
    }
    const Acquisition& acquisition_;
    std::span<const std::byte> samples_;
};

/// Keeps the last frame as an image in host memory.
class ImageInMemory final : public ImageSink {
public:
    void begin(const Image& header) override {
        image = header;
        image.samples.resize(header.grid.pixels());
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        std::memcpy(image.samples.data() + first_row * image.grid.columns, rows.data(), rows.size_bytes());
    }

    Image image;
};

/// Writes frames into memory of the host program: of the host, or of a GPU, to which no other device's rows come.
class ImageInto final : public ImageSink {
public:
    /// Asked when a frame begins, whose grid is known then: grid.rows x grid.columns samples.
    using Memory = std::function<std::span<std::complex<float>>(const Image& header)>;
    /// `place`: where that memory is.
    explicit ImageInto(Memory memory, MemoryPlace place = host_memory_place)
        : memory_(std::move(memory)), place_(place) {}
    /// Throws std::logic_error where the memory is not of that size.
    void begin(const Image& header) override;
    /// Throws std::logic_error where the memory is not the host's.
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override;
    std::optional<Matrix> room_on(const Device& device, std::int64_t first_row, std::int64_t rows) override;

private:
    Memory memory_;
    MemoryPlace place_;
    Matrix image_;
};

}  // namespace cornerturn
