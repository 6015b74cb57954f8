// SPDX-License-Identifier: Apache-2.0
// How the samples of images lie in files.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/hdf5/deflate.h"
#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/half_samples.h"
#include "data/nisar/image_storage.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

/// As they are stored.
constexpr std::size_t image_sample_bytes(SampleType type) { return type == SampleType::float16 ? 4 : 8; }

/// Strips of whole rows are written and read as fast as a matrix in one piece, and patches out of them six times as
/// fast; tiles hold less that a patch does not want, which has to be inflated all the same.
h5::ChunkShape chunks_of(std::int64_t rows, std::int64_t columns, const ImageStorage& storage);

/// The samples of one image that come into a file row by row: as they are or as halves, plain or deflated on several
/// cores.
/// Zero where nothing is written. The file must outlive it.
class ImageRows {
public:
    /// A dataset of its own.
    ImageRows(h5::Writer& file, const std::string& path, const ImageGrid& grid, const ImageStorage& storage,
              const std::string& description);
    /// One that is there, of which these rows were written in an earlier run; the last of them wait to be deflated.
    ImageRows(h5::Writer& file, const std::string& path, const ImageGrid& grid, const ImageStorage& storage,
              std::int64_t rows_there, std::vector<std::byte> waiting);
    ImageRows(const ImageRows&) = delete;
    ImageRows& operator=(const ImageRows&) = delete;

    /// Rows behind those that came before. Bytes that go into the file for them: of plain halves while the next ones
    /// are rounded, and what fails there is thrown later.
    std::uint64_t write(std::int64_t first_row, std::span<const std::complex<float>> rows);
    std::int64_t rows_there() const { return rows_there_; }
    std::int64_t next_row() const { return next_row_; }
    /// Waits until all rows that came are in the file.
    void settle();
    /// All rows have come: tells what halves have lost.
    void finish();
    /// Hands over the rows of the earlier run.
    void pass_rows_there(ImageSink& to) const;

    bool deflates() const { return deflated_.has_value(); }
    /// Rows that wait until a chunk is full; nothing where they go as they are.
    std::vector<std::byte> waiting() const;

private:
    ImageRows(h5::Writer& file, const std::string& path, h5::Dataset samples, const ImageGrid& grid,
              const ImageStorage& storage);
    std::size_t sample_bytes() const { return halves_ ? 4 : 8; }

    h5::Writer& file_;
    h5::Dataset samples_;
    std::optional<h5::RowPlaces> places_;  ///< of rows that are not deflated
    std::string path_;
    Timeline* timeline_;
    std::optional<HalfSamples> halves_;
    std::future<void> writing_;  ///< of the last halves
    std::optional<DeflatedRows> deflated_;
    std::int64_t columns_, rows_there_ = 0, next_row_ = 0;
};

}  // namespace cornerturn
