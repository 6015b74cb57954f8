// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/image_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/host/same_job.h"

namespace cornerturn {

h5::ChunkShape chunks_of(std::int64_t rows, std::int64_t columns, const ImageStorage& storage) {
    constexpr std::int64_t tile_side = 512;
    if (storage.compression > 0)
        return {
            .rows = std::min(tile_side, rows), .columns = std::min(tile_side, columns), .deflate = storage.compression};
    return h5::strips_of(rows, columns, image_sample_bytes(storage.samples));
}

namespace {

h5::Dataset make_samples(h5::Writer& file, const std::string& path, const ImageGrid& grid, const ImageStorage& storage,
                         const std::string& description) {
    const bool halves = storage.samples == SampleType::float16;
    const h5::Type type = halves ? h5::complex_type(h5::float16_type()) : h5::complex_type(H5T_IEEE_F32LE);
    h5::Dataset data = file.chunked(path, type, grid.rows, grid.columns, chunks_of(grid.rows, grid.columns, storage));
    file.attribute(path, "units", "1");
    const std::complex<float> uncovered = 0;  // all bits are 0, of halves too
    file.attribute(path, "_FillValue", type, &uncovered);
    file.attribute(path, "description", description);
    return data;
}

}  // namespace

ImageRows::ImageRows(h5::Writer& file, const std::string& path, h5::Dataset samples, const ImageGrid& grid,
                     const ImageStorage& storage)
    : file_(file), samples_(std::move(samples)), path_(path), timeline_(storage.timeline), columns_(grid.columns) {
    if (storage.samples == SampleType::float16) halves_.emplace();
    const h5::ChunkShape chunks = chunks_of(grid.rows, grid.columns, storage);
    if (chunks.deflate > 0)
        deflated_.emplace(
            file_, samples_,
            DeflatedRows::Layout{
                .rows = grid.rows, .columns = grid.columns, .element_bytes = sample_bytes(), .chunks = chunks},
            storage.threads, timeline_);
    else
        places_ = file_.places_of(samples_);
}

ImageRows::ImageRows(h5::Writer& file, const std::string& path, const ImageGrid& grid, const ImageStorage& storage,
                     const std::string& description)
    : ImageRows(file, path, make_samples(file, path, grid, storage, description), grid, storage) {}

ImageRows::ImageRows(h5::Writer& file, const std::string& path, const ImageGrid& grid, const ImageStorage& storage,
                     std::int64_t rows_there, std::vector<std::byte> waiting)
    : ImageRows(file, path, file.existing(path), grid, storage) {
    rows_there_ = next_row_ = rows_there;
    if (deflated_) deflated_->go_on(rows_there, std::move(waiting));
}

std::uint64_t ImageRows::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    const std::int64_t count = std::ssize(rows) / columns_;
    const std::span<const std::byte> stored =
        halves_ ? std::as_bytes(halves_->of(rows, first_row, columns_)) : std::as_bytes(rows);
    next_row_ = first_row + count;
    if (halves_ && places_) {
        settle();
        writing_ =
            std::async(std::launch::async,
                       in_same_job([this, first_row, stored] { file_.write_rows(*places_, first_row, stored); }));
        return stored.size_bytes();
    }
    if (!deflated_) {
        if (places_)
            file_.write_rows(*places_, first_row, stored);
        else
            file_.write_rows(samples_, first_row, count, stored.data());
        return stored.size_bytes();
    }
    const std::uint64_t before = deflated_->stored_bytes();
    deflated_->write(first_row, count, stored.data());
    return deflated_->stored_bytes() - before;
}

void ImageRows::settle() {
    if (writing_.valid()) writing_.get();
}

void ImageRows::finish() {
    if (!halves_) return;
    settle();
    const std::optional<double> db = halves_->signal_to_error_db();
    if (db) file_.attribute(path_, "signal_to_error_db", *db);
    file_.attribute(path_, "rounding",
                    db ? fmt::format("To 16 bits for each part, from 32: signal_to_error_db{}",
                                     rows_there_ > 0 ? fmt::format(" of rows from {} on", rows_there_) : "")
                       : "None: 16 bits hold each part as it is");
}

std::vector<std::byte> ImageRows::waiting() const {
    return deflated_ ? deflated_->waiting() : std::vector<std::byte>{};
}

void ImageRows::pass_rows_there(ImageSink& to) const {
    const std::size_t row_bytes = static_cast<std::size_t>(columns_) * sample_bytes();
    const std::vector<std::byte> waiting = this->waiting();
    const auto waiting_rows = static_cast<std::int64_t>(waiting.size() / row_bytes);
    const std::int64_t stored = rows_there_ - waiting_rows;
    const std::int64_t at_once = std::max<std::int64_t>(1, static_cast<std::int64_t>((16u << 20) / row_bytes));
    std::vector<std::byte> bytes;
    const auto pass = [&](std::int64_t first_row, std::span<const std::byte> of_rows) {
        std::vector<std::complex<float>> rows(of_rows.size() / sample_bytes());
        if (halves_)
            from_halves({reinterpret_cast<const std::uint32_t*>(of_rows.data()), rows.size()}, rows);
        else
            std::ranges::copy(of_rows, std::as_writable_bytes(std::span(rows)).begin());
        to.write(first_row, rows);
    };
    for (std::int64_t row = 0; row < stored; row += at_once) {
        const std::int64_t count = std::min(at_once, stored - row);
        bytes.resize(static_cast<std::size_t>(count) * row_bytes);
        file_.read_rows(samples_, row, count, bytes.data());
        pass(row, bytes);
    }
    if (!waiting.empty()) pass(stored, waiting);
}

}  // namespace cornerturn
