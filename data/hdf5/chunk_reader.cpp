// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/chunk_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

/// What an element is that was never written.
std::vector<std::byte> fill_value(const h5::Dataset& data, std::size_t element_bytes) {
    const h5::Turn turn;
    const h5::Properties creation = h5::creation_of(data);
    const h5::Type type = h5::type_of(data);
    std::vector<std::byte> value(element_bytes, std::byte{0});
    H5D_fill_value_t status = H5D_FILL_VALUE_UNDEFINED;
    h5::found(H5Pfill_value_defined(creation, &status), data);
    if (status != H5D_FILL_VALUE_UNDEFINED) h5::found(H5Pget_fill_value(creation, type, value.data()), data);
    return value;
}

/// A chunk's size in the file, 0 if it was never written.
std::optional<hsize_t> stored_bytes(const h5::Dataset& data, const hsize_t* offset) {
    hsize_t bytes = 0;
    if (H5Dget_chunk_storage_size(data, offset, &bytes) >= 0) return bytes;
    // HDF5 1.10 fails for chunks never written; the call that tells them from damaged ones walks through all chunks.
    haddr_t address = HADDR_UNDEF;
    unsigned mask = 0;
    if (H5Dget_chunk_info_by_coord(data, offset, &mask, &address, &bytes) >= 0 && address == HADDR_UNDEF) return 0;
    return std::nullopt;
}

/// Since HDF5 2.0 it is told how much memory there is; the name is that of the newest either way.
using ReadChunk = herr_t (*)(hid_t, hid_t, const hsize_t*, std::uint32_t*, void*);
using ReadChunkWithin = herr_t (*)(hid_t, hid_t, const hsize_t*, std::uint32_t*, void*, std::size_t*);

[[maybe_unused]] herr_t read_by(ReadChunk read, const h5::Dataset& data, const hsize_t* offset, StoredChunk& chunk) {
    return read(data, H5P_DEFAULT, offset, &chunk.skipped_filters, chunk.bytes.data());
}
[[maybe_unused]] herr_t read_by(ReadChunkWithin read, const h5::Dataset& data, const hsize_t* offset,
                                StoredChunk& chunk) {
    std::size_t room = chunk.bytes.size();
    return read(data, H5P_DEFAULT, offset, &chunk.skipped_filters, chunk.bytes.data(), &room);
}

}  // namespace

std::optional<ChunkExtents> chunk_extents(const h5::Properties& creation) {
    const h5::Turn turn;
    if (h5::checked(H5Pget_layout(creation), "H5Pget_layout") != H5D_CHUNKED) return std::nullopt;
    hsize_t extents[3] = {};
    const int axes = h5::checked(H5Pget_chunk(creation, 3, extents), "H5Pget_chunk");
    if (axes == 3) return ChunkExtents{extents[0], extents[1], extents[2]};
    return ChunkExtents{1, extents[0], extents[1]};
}

std::optional<Chunking> decodable_chunks(const h5::Dataset& data) {
    const h5::Turn turn;
    const h5::Properties creation = h5::creation_of(data);
    const auto extents = chunk_extents(creation);
    const int filters = h5::checked(H5Pget_nfilters(creation), "H5Pget_nfilters");
    if (!extents || filters == 0) return std::nullopt;
    const auto [channels, rows, columns] = *extents;
    Chunking chunking{.coding = {},
                      .channels = static_cast<std::int64_t>(channels),
                      .rows = static_cast<std::int64_t>(rows),
                      .columns = static_cast<std::int64_t>(columns)};
    chunking.coding.element_bytes = h5::size_of(h5::type_of(data));
    chunking.coding.chunk_bytes = static_cast<std::size_t>(channels * rows * columns) * chunking.coding.element_bytes;
    for (unsigned i = 0; i < static_cast<unsigned>(filters); ++i) {
        unsigned flags = 0, config = 0;
        std::size_t values = 0;
        switch (
            h5::checked(H5Pget_filter2(creation, i, &flags, &values, nullptr, 0, nullptr, &config), "H5Pget_filter2")) {
            case H5Z_FILTER_DEFLATE: chunking.coding.filters.push_back(ChunkFilter::deflate); break;
            case H5Z_FILTER_SHUFFLE: chunking.coding.filters.push_back(ChunkFilter::shuffle); break;
            case H5Z_FILTER_FLETCHER32: chunking.coding.filters.push_back(ChunkFilter::fletcher32); break;
            default: return std::nullopt;
        }
    }
    return chunking;
}

ChunkReader::ChunkReader(const h5::Reader& file, const SampleMatrix& matrix, const h5::Dataset& data,
                         const Chunking& chunking, int threads)
    : file_(file),
      matrix_(matrix),
      data_(data),
      chunking_(chunking),
      threads_(threads),
      fill_(fill_value(data, chunking.coding.element_bytes)),
      file_bytes_(file.file_bytes(matrix.path)) {}

void ChunkReader::read_stored(StoredChunk& chunk) const {
    const h5::Turn turn;
    const hsize_t place[3] = {static_cast<hsize_t>(chunk.channel.value_or(0)), static_cast<hsize_t>(chunk.row),
                              static_cast<hsize_t>(chunk.column)};
    const hsize_t* offset = place + (chunk.channel ? 0 : 1);
    const auto bytes = stored_bytes(data_, offset);
    if (bytes.value_or(0) > file_bytes_)
        file_.refuse(matrix_.path,
                     fmt::format("the chunk at line {}, sample {} claims {} bytes of a file of {}; the file is damaged",
                                 chunk.row, chunk.column, *bytes, file_bytes_));
    if (bytes) chunk.bytes.resize(static_cast<std::size_t>(*bytes));
    if (!bytes || (*bytes > 0 && read_by(&H5Dread_chunk, data_, offset, chunk) < 0))
        file_.refuse(matrix_.path,
                     fmt::format("the chunk at line {}, sample {} cannot be read: {}; the file is damaged", chunk.row,
                                 chunk.column, h5::error_text()));
}

/// Copies the part of a decoded chunk that lies inside these columns of the matrix; chunks at the edges stick out.
void ChunkReader::place(const StoredChunk& chunk, std::int64_t first_row, const Interval& columns,
                        std::byte* to) const {
    const std::size_t element = chunking_.coding.element_bytes;
    const std::int64_t rows = std::min(chunking_.rows, matrix_.rows - chunk.row),
                       first = std::max<std::int64_t>(chunk.column, columns.first),
                       count = std::min<std::int64_t>(chunk.column + chunking_.columns, columns.last) - first,
                       row_length = columns.last - columns.first,
                       rows_before = chunk.channel ? (*matrix_.channel - *chunk.channel) * chunking_.rows : 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        std::byte* line =
            to + static_cast<std::size_t>((chunk.row - first_row + i) * row_length + first - columns.first) * element;
        if (!chunk.bytes.empty())
            std::memcpy(
                line,
                chunk.bytes.data() +
                    static_cast<std::size_t>((rows_before + i) * chunking_.columns + first - chunk.column) * element,
                static_cast<std::size_t>(count) * element);
        else
            for (std::int64_t k = 0; k < count; ++k)
                std::memcpy(line + static_cast<std::size_t>(k) * element, fill_.data(), element);
    }
}

void ChunkReader::read(std::int64_t first_row, std::int64_t rows, const Interval& columns, std::byte* to) const {
    const std::int64_t left = columns.first / chunking_.columns,
                       across = (columns.last + chunking_.columns - 1) / chunking_.columns - left;
    std::optional<std::int64_t> channel = matrix_.channel;
    if (channel) *channel -= *channel % chunking_.channels;
    const std::int64_t count = (rows + chunking_.rows - 1) / chunking_.rows * across;
    // HDF5 reads on this thread alone; a batch is large enough to keep all cores busy and small enough to stop soon.
    const auto batch =
        static_cast<std::int64_t>(std::clamp<std::size_t>((256u << 20) / chunking_.coding.chunk_bytes, 1, 4096));
    for (std::int64_t first = 0; first < count; first += batch) {
        throw_if_interrupted();
        std::vector<StoredChunk> chunks(static_cast<std::size_t>(std::min(batch, count - first)));
        for (std::size_t k = 0; k < chunks.size(); ++k) {
            const std::int64_t index = first + static_cast<std::int64_t>(k);
            chunks[k].channel = channel;
            chunks[k].row = first_row + index / across * chunking_.rows;
            chunks[k].column = (left + index % across) * chunking_.columns;
            read_stored(chunks[k]);
        }
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
        for (std::size_t k = 0; k < chunks.size(); ++k) {
            if (!chunks[k].bytes.empty())
                chunks[k].fault = decode_chunk(chunking_.coding, chunks[k].skipped_filters, chunks[k].bytes);
            if (chunks[k].fault.empty()) place(chunks[k], first_row, columns, to);
        }
        for (const StoredChunk& chunk : chunks)
            if (!chunk.fault.empty())
                file_.refuse(matrix_.path, fmt::format("the chunk at line {}, sample {} is damaged: {}", chunk.row,
                                                       chunk.column, chunk.fault));
    }
}

}  // namespace cornerturn
