// SPDX-License-Identifier: Apache-2.0
// Where the lines of an echo come from, and where the rows of an image go to, piece by piece.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// The echo of one frame: one frequency and polarization.
class EchoSource {
public:
    virtual ~EchoSource() = default;
    virtual const Acquisition& acquisition() const = 0;
    /// Copies whole lines, as stored and packed, in ascending order over the calls but for a new beginning now and
    /// then, which costs more. May be called from any thread, one at a time.
    virtual void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) = 0;
    /// The same of some samples of each line. By default whole lines are read, and the rest of them is dropped.
    virtual void read_samples(std::int64_t first_line, std::int64_t lines, const Interval& samples,
                              std::span<std::byte> to);
    /// Lines that are stored together: reading fewer at a time costs more.
    virtual std::int64_t line_unit() const { return 1; }
    /// Bytes that have to come from the disk.
    virtual std::uint64_t stored_bytes() const { return 0; }
    /// Whether read may be called while an ImageSink of the same program writes.
    virtual bool reads_beside_writing() const { return true; }
};

/// Takes images, one frame after the other.
class ImageSink {
public:
    virtual ~ImageSink() = default;
    /// Everything about the next frame but its samples.
    virtual void begin(const Image& header) = 0;
    /// Rows of the frame, from the first on, that an earlier run has left here and that need not come again; to be
    /// asked after begin.
    virtual std::int64_t rows_there() const { return 0; }
    /// Whole rows, in order, behind those that are there.
    virtual void write(std::int64_t first_row, std::span<const std::complex<float>> rows) = 0;
    /// An azimuth block is complete.
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
    /// Throws std::logic_error where the memory has less than the acquisition tells.
    void read(std::int64_t first_line, std::int64_t, std::span<std::byte> to) override {
        const std::size_t first = static_cast<std::size_t>(first_line) * line_bytes();
        if (first + to.size() > samples_.size())
            throw std::logic_error("an echo in memory has not the bytes that its acquisition tells of");
        std::memcpy(to.data(), samples_.data() + first, to.size());
    }

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
        image.samples.resize(static_cast<std::size_t>(header.grid.rows * header.grid.columns));
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        std::memcpy(image.samples.data() + first_row * image.grid.columns, rows.data(), rows.size_bytes());
    }

    Image image;
};

/// Writes frames into memory of the host program.
class ImageInto final : public ImageSink {
public:
    /// Asked when a frame begins, whose grid is known then: grid.rows x grid.columns samples.
    using Memory = std::function<std::span<std::complex<float>>(const Image& header)>;
    explicit ImageInto(Memory memory) : memory_(std::move(memory)) {}
    /// Throws std::logic_error where the memory is not of that size.
    void begin(const Image& header) override {
        columns_ = static_cast<std::size_t>(header.grid.columns);
        to_ = memory_(header);
        if (to_.size() != static_cast<std::size_t>(header.grid.rows) * columns_)
            throw std::logic_error("the memory for an image has not the size of its grid");
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        std::memcpy(to_.data() + static_cast<std::size_t>(first_row) * columns_, rows.data(), rows.size_bytes());
    }

private:
    Memory memory_;
    std::span<std::complex<float>> to_;
    std::size_t columns_ = 0;
};

}  // namespace cornerturn
