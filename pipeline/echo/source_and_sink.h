// SPDX-License-Identifier: Apache-2.0
// Where the lines of an echo come from, and where the rows of an image go to, piece by piece.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <span>

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

/// An echo in host memory; it must outlive the source.
class EchoInMemory final : public EchoSource {
public:
    explicit EchoInMemory(const Echo& echo) : echo_(echo) {}
    const Acquisition& acquisition() const override { return echo_.acquisition; }
    void read(std::int64_t first_line, std::int64_t, std::span<std::byte> to) override {
        const std::size_t line_bytes =
            static_cast<std::size_t>(echo_.acquisition.samples) * bytes_per_sample(echo_.acquisition.format);
        std::memcpy(to.data(), echo_.samples.data() + static_cast<std::size_t>(first_line) * line_bytes, to.size());
    }

private:
    const Echo& echo_;
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

}  // namespace cornerturn
