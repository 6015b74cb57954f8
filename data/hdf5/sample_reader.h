// SPDX-License-Identifier: Apache-2.0
// Complex matrices in HDF5, read as they are stored: HDF5 converts numbers a hundred times slower than a memory can be
// read.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/inflate.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

/// A dataset of complex samples on two axes, checked.
struct SampleMatrix {
    std::string path;
    /// Of receive channels, where the dataset has an axis of them before the other two.
    std::optional<std::int64_t> channel = {};
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    SampleFormat format = SampleFormat::complex64;
    bool big_endian = false;
    bool packed = true;  ///< real part first, nothing between the parts

    std::size_t bytes() const { return static_cast<std::size_t>(rows * columns) * bytes_per_sample(format); }
};

/// A dataset's chunks and how they are coded.
struct Chunking {
    ChunkCoding coding;
    std::int64_t channels = 1;  ///< of one chunk
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// Looks at a dataset of samples: two axes, not empty, a compound of two equal members named r/i, I/Q or real/imag in
/// any case, of type f16, f32, f64, i8, i16 or u16 (indices into a table: lut16). Of three axes the first is that of
/// receive channels, of which `channel` takes one. Throws InputError saying what was found instead.
SampleMatrix inspect_samples(const h5::Reader& file, const std::string& path, std::optional<std::int64_t> channel = {});

/// Throws InputError with both figures if the samples, and some bytes more for each, exceed the memory that is
/// available.
void require_sample_memory(const h5::Reader& file, const SampleMatrix& matrix, std::size_t more_per_sample = 0);

/// Reads the samples as stored, little endian, real part first, into matrix.bytes() of memory. Compressed chunks are
/// inflated by as many threads (0: on all cores). Throws InputError for damaged data, Interrupted on request.
void read_samples(const h5::Reader& file, const SampleMatrix& matrix, std::span<std::byte> to, int threads = 0);

/// The same rows by rows, in ascending order: chunks that a call takes only in part are kept for the next one.
class SampleRows {
public:
    /// The file must outlive this.
    SampleRows(const h5::Reader& file, SampleMatrix matrix, int threads = 0);
    const SampleMatrix& matrix() const { return matrix_; }
    /// Into rows * columns samples of memory. Errors as read_samples.
    void read(std::int64_t first_row, std::int64_t rows, std::span<std::byte> to) {
        read(first_row, rows, {0, static_cast<std::int32_t>(matrix_.columns)}, to);
    }
    /// The same of some columns: chunks that hold none of them are left alone.
    void read(std::int64_t first_row, std::int64_t rows, const Interval& columns, std::span<std::byte> to);
    /// The same, by HDF5 alone: for patches here and there.
    void read_patch(std::int64_t first_row, std::int64_t rows, std::int64_t first_column, std::int64_t columns,
                    std::span<std::byte> to) const;
    /// Rows that are stored together.
    std::int64_t unit() const { return unit_; }
    /// Bytes in the file.
    std::uint64_t stored_bytes() const;

private:
    void read_chunked(std::int64_t first_row, std::int64_t rows, const Interval& columns, std::byte* to);

    const h5::Reader& file_;
    SampleMatrix matrix_;
    int threads_;
    h5::Dataset data_;
    std::optional<Chunking> chunking_;
    std::int64_t unit_;
    std::vector<std::byte> kept_;       // these columns of one row of chunks, decoded
    std::int64_t kept_first_row_ = -1;  // none
    Interval kept_columns_;
};

/// Samples as stored, of any format but lut16, as complex64.
std::vector<std::complex<float>> as_complex64(const SampleMatrix& matrix, std::span<const std::byte> stored,
                                              int threads = 0);

/// The samples of any format but lut16 as complex64.
std::vector<std::complex<float>> read_complex64(const h5::Reader& file, const SampleMatrix& matrix, int threads = 0);

}  // namespace cornerturn
