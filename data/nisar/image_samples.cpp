// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/image_samples.h"

#include <algorithm>
#include <utility>

namespace cornerturn {

h5::ChunkShape chunks_of(std::int64_t rows, std::int64_t columns, int compression) {
    constexpr std::int64_t strip_samples = (std::int64_t{4} << 20) / static_cast<std::int64_t>(image_sample_bytes),
                           tile_side = 512;
    if (compression > 0)
        return {.rows = std::min(tile_side, rows), .columns = std::min(tile_side, columns), .deflate = compression};
    return {.rows = std::clamp<std::int64_t>(strip_samples / columns, 1, rows), .columns = columns};
}

namespace {

h5::Dataset make_samples(h5::Writer& file, const std::string& path, const ImageGrid& grid, const ImageStorage& storage,
                         const std::string& description) {
    h5::Dataset data = file.chunked(path, h5::complex_type(H5T_IEEE_F32LE), grid.rows, grid.columns,
                                    chunks_of(grid.rows, grid.columns, storage.compression));
    file.attribute(path, "units", "1");
    const std::complex<float> uncovered = 0;
    file.attribute(path, "_FillValue", h5::complex_type(H5T_IEEE_F32LE), &uncovered);
    file.attribute(path, "description", description);
    return data;
}

}  // namespace

ImageRows::ImageRows(h5::Writer& file, h5::Dataset samples, const ImageGrid& grid, const ImageStorage& storage)
    : file_(file), samples_(std::move(samples)), columns_(grid.columns) {
    const h5::ChunkShape chunks = chunks_of(grid.rows, grid.columns, storage.compression);
    if (chunks.deflate > 0)
        deflated_.emplace(
            file_, samples_,
            DeflatedRows::Layout{
                .rows = grid.rows, .columns = grid.columns, .element_bytes = image_sample_bytes, .chunks = chunks},
            storage.threads);
}

ImageRows::ImageRows(h5::Writer& file, const std::string& path, const ImageGrid& grid, const ImageStorage& storage,
                     const std::string& description)
    : ImageRows(file, make_samples(file, path, grid, storage, description), grid, storage) {}

ImageRows::ImageRows(h5::Writer& file, const std::string& path, const ImageGrid& grid, const ImageStorage& storage,
                     std::int64_t rows_there, std::vector<std::byte> waiting)
    : ImageRows(file, file.existing(path), grid, storage) {
    rows_there_ = next_row_ = rows_there;
    if (deflated_) deflated_->go_on(rows_there, std::move(waiting));
}

std::uint64_t ImageRows::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    const std::int64_t count = std::ssize(rows) / columns_;
    next_row_ = first_row + count;
    if (!deflated_) {
        file_.write_rows(samples_, first_row, count, rows.data());
        return rows.size_bytes();
    }
    const std::uint64_t before = deflated_->stored_bytes();
    deflated_->write(first_row, count, std::as_bytes(rows).data());
    return deflated_->stored_bytes() - before;
}

std::vector<std::byte> ImageRows::waiting() const {
    return deflated_ ? deflated_->waiting() : std::vector<std::byte>{};
}

void ImageRows::pass_rows_there(ImageSink& to) const {
    const std::size_t row_bytes = static_cast<std::size_t>(columns_) * image_sample_bytes;
    const std::vector<std::byte> waiting = this->waiting();
    const auto waiting_rows = static_cast<std::int64_t>(waiting.size() / row_bytes);
    const std::int64_t stored = rows_there_ - waiting_rows;
    const std::int64_t at_once = std::max<std::int64_t>(1, static_cast<std::int64_t>((16u << 20) / row_bytes));
    std::vector<std::complex<float>> rows;
    for (std::int64_t row = 0; row < stored; row += at_once) {
        const std::int64_t count = std::min(at_once, stored - row);
        rows.resize(static_cast<std::size_t>(count * columns_));
        file_.read_rows(samples_, row, count, rows.data());
        to.write(row, rows);
    }
    if (waiting.empty()) return;
    rows.resize(static_cast<std::size_t>(waiting_rows * columns_));
    std::ranges::copy(waiting, std::as_writable_bytes(std::span(rows)).begin());
    to.write(stored, rows);
}

Pixels ImageBlocks::read(const PixelBlock& block) {
    SampleMatrix part = samples_;
    part.rows = block.rows;
    part.columns = block.columns;
    stored_.resize(part.bytes());
    if (block.columns == samples_.columns)
        rows_.read(block.first_row, block.rows, stored_);
    else
        rows_.read_patch(block.first_row, block.rows, block.first_column, block.columns, stored_);
    return {block, as_complex64(part, stored_, threads_)};
}

}  // namespace cornerturn
