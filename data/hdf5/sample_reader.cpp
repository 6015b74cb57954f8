// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/sample_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "data/hdf5/chunk_reader.h"
#include "kernels/host/available_memory.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/thread_limit.h"
#include "kernels/interrupt.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are kept in the byte order of the file format");

std::string lower_member_name(hid_t compound, unsigned index) { return lower(h5::member_name(compound, index)); }

bool is_real_name(const std::string& name, const std::string& partner) {
    return name == "r" || name == "re" || name == "real" || (name == "i" && partner == "q");
}

/// Indices of the real and the imaginary member, by name.
std::optional<std::pair<unsigned, unsigned>> parts_of(hid_t compound) {
    const std::string first = lower_member_name(compound, 0), second = lower_member_name(compound, 1);
    const auto is_imaginary = [](const std::string& name) {
        return name == "i" || name == "im" || name == "imag" || name == "q";
    };
    if (is_real_name(first, second) && is_imaginary(second)) return std::pair{0u, 1u};
    if (is_real_name(second, first) && is_imaginary(first)) return std::pair{1u, 0u};
    return std::nullopt;
}

h5::Type big_endian(hid_t little) {
    const h5::Turn turn;
    h5::Type type(h5::checked(H5Tcopy(little), "H5Tcopy"));
    h5::checked(H5Tset_order(type, H5T_ORDER_BE), "H5Tset_order");
    return type;
}

/// Format and byte order of one part.
std::optional<std::pair<SampleFormat, bool>> format_of(hid_t member) {
    const h5::Type half = h5::float16_type();
    const std::array<std::pair<hid_t, SampleFormat>, 6> little{{{H5T_STD_I8LE, SampleFormat::int8},
                                                                {H5T_STD_I16LE, SampleFormat::int16},
                                                                {half, SampleFormat::float16},
                                                                {H5T_STD_U16LE, SampleFormat::lut16},
                                                                {H5T_IEEE_F32LE, SampleFormat::complex64},
                                                                {H5T_IEEE_F64LE, SampleFormat::complex128}}};
    for (const auto& [type, format] : little) {
        if (h5::same_type(member, type)) return std::pair{format, false};
        if (h5::same_type(member, big_endian(type))) return std::pair{format, true};
    }
    return std::nullopt;
}

/// What read_samples asks HDF5 for: the members as they are stored, real part first and packed.
h5::Type memory_type(hid_t file_type) {
    const auto parts = parts_of(file_type).value();
    const h5::Type member = h5::member_type(file_type, 0);
    const std::size_t size = h5::size_of(member);
    h5::Type type = h5::empty_compound(2 * size);
    h5::add_member(type, h5::member_name(file_type, parts.first), 0, member);
    h5::add_member(type, h5::member_name(file_type, parts.second), size, member);
    return type;
}

/// A thread of its own knows nothing of what another one told OpenMP: the number goes to each loop.

template <class Word>
void swap_words(std::span<std::byte> bytes, int threads) {
    const auto count = static_cast<std::int64_t>(bytes.size() / sizeof(Word));
#pragma omp parallel for num_threads(threads)
    for (std::int64_t i = 0; i < count; ++i) {
        std::byte* word = bytes.data() + static_cast<std::size_t>(i) * sizeof(Word);
        std::reverse(word, word + sizeof(Word));
    }
}

void swap_byte_order(SampleFormat format, std::span<std::byte> bytes, int threads) {
    switch (bytes_per_sample(format)) {
        case 4: return swap_words<std::uint16_t>(bytes, threads);
        case 8: return swap_words<std::uint32_t>(bytes, threads);
        case 16: return swap_words<std::uint64_t>(bytes, threads);
        default: return;
    }
}

std::int64_t rows_of_a_chunk(const h5::Dataset& data) {
    const auto extents = chunk_extents(h5::creation_of(data));
    return extents ? static_cast<std::int64_t>(extents->rows) : 1;
}

/// A rectangle of the matrix, of its channel where there are several.
void select(const h5::Space& space, const SampleMatrix& matrix, std::int64_t first_row, std::int64_t rows,
            const Interval& columns) {
    const hsize_t start[3] = {static_cast<hsize_t>(matrix.channel.value_or(0)), static_cast<hsize_t>(first_row),
                              static_cast<hsize_t>(columns.first)},
                  count[3] = {1, static_cast<hsize_t>(rows), static_cast<hsize_t>(columns.last - columns.first)};
    const int left_out = matrix.channel ? 0 : 1;
    h5::checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start + left_out, nullptr, count + left_out, nullptr),
                "H5Sselect_hyperslab");
}

/// Plain H5Dread in blocks of rows, so that a request to stop is heard.
void read_plain(const h5::Reader& file, const SampleMatrix& matrix, const h5::Dataset& data, std::int64_t first_row,
                std::int64_t rows, const Interval& columns, std::byte* to) {
    const h5::Type memory = memory_type(h5::type_of(data));
    const std::size_t row_bytes =
        static_cast<std::size_t>(columns.last - columns.first) * bytes_per_sample(matrix.format);
    const auto block = std::max<std::int64_t>(1, static_cast<std::int64_t>((64u << 20) / row_bytes));
    const h5::Space from = h5::space_of(data);
    for (std::int64_t row = first_row; row < first_row + rows; row += block) {
        throw_if_interrupted();
        const h5::Turn turn;
        const hsize_t count[2] = {static_cast<hsize_t>(std::min(block, first_row + rows - row)),
                                  static_cast<hsize_t>(columns.last - columns.first)};
        select(from, matrix, row, static_cast<std::int64_t>(count[0]), columns);
        const h5::Space space = h5::make_space(count);
        if (H5Dread(data, memory, space, from, H5P_DEFAULT,
                    to + static_cast<std::size_t>(row - first_row) * row_bytes) < 0)
            file.refuse(matrix.path, fmt::format("lines {} to {} cannot be read: {}; the file is damaged", row,
                                                 row + static_cast<std::int64_t>(count[0]) - 1, h5::error_text()));
    }
}

}  // namespace

namespace {

/// Takes the axis of receive channels off the others.
void take_channel(const h5::Reader& file, const std::string& path, std::vector<hsize_t>& extents,
                  const std::optional<std::int64_t>& channel) {
    if (extents.size() != 3) {
        if (channel)
            file.refuse(
                path, fmt::format("--channel {}: has lines x samples of one receive channel; leave it out", *channel));
        return;
    }
    const auto channels = static_cast<std::int64_t>(extents.front());
    if (!channel || *channel < 0 || *channel >= channels)
        file.refuse(path, fmt::format("holds {} samples: {} receive channels, {}; choose one by --channel 0 to {}",
                                      fmt::join(extents, " x "), channels,
                                      channel ? fmt::format("none of them number {}", *channel) : "each an echo",
                                      channels - 1));
    extents.erase(extents.begin());
}

}  // namespace

SampleMatrix inspect_samples(const h5::Reader& file, const std::string& path, std::optional<std::int64_t> channel) {
    const h5::Turn turn;
    const h5::Dataset data = file.dataset(path);
    const h5::Type type = h5::type_of(data);
    constexpr std::string_view wanted =
        "expected complex samples, a compound {r, i} of float16, float32, float64, int8, int16 or uint16 with a "
        "BFPQLUT";
    const bool pair = h5::class_of(type) == H5T_COMPOUND && h5::member_count(type) == 2;
    const auto parts = pair ? parts_of(type) : std::nullopt;
    if (!parts) file.refuse(path, fmt::format("holds {}, {}", h5::type_text(type), wanted));
    const h5::Type first = h5::member_type(type, 0), second = h5::member_type(type, 1);
    const auto format = h5::same_type(first, second) ? format_of(first) : std::nullopt;
    if (!format) file.refuse(path, fmt::format("holds {}, {}", h5::type_text(type), wanted));
    const std::size_t sample_bytes = h5::size_of(type), first_at = H5Tget_member_offset(type, 0),
                      second_at = H5Tget_member_offset(type, 1);
    // HDF5 1.10 does not look, and reads what lies beyond.
    if (std::max(first_at, second_at) + h5::size_of(first) > sample_bytes)
        file.refuse(path, fmt::format("holds parts of samples that end beyond their {} bytes; the file is damaged",
                                      sample_bytes));

    std::vector<hsize_t> extents = h5::shape(data);
    take_channel(file, path, extents, channel);
    if (extents.size() != 2)
        file.refuse(path, fmt::format("holds {} on {} axes, expected lines x samples on two axes", h5::shape_text(data),
                                      extents.size()));
    if (extents[0] == 0 || extents[1] == 0)
        file.refuse(path,
                    fmt::format("is empty ({} lines x samples), expected at least one sample", h5::shape_text(data)));

    const bool packed = parts->first == 0 && second_at == h5::size_of(first) && sample_bytes == 2 * h5::size_of(first);
    if (static_cast<double>(extents[0]) * static_cast<double>(extents[1]) > 1e15)
        file.refuse(path, fmt::format("claims {} samples; the file is damaged", h5::shape_text(data)));
    return {.path = path,
            .channel = channel,
            .rows = static_cast<std::int64_t>(extents[0]),
            .columns = static_cast<std::int64_t>(extents[1]),
            .format = format->first,
            .big_endian = format->second,
            .packed = packed};
}

void require_sample_memory(const h5::Reader& file, const SampleMatrix& matrix, std::size_t more_per_sample) {
    const double count = static_cast<double>(matrix.rows) * static_cast<double>(matrix.columns);
    require_memory(count * static_cast<double>(bytes_per_sample(matrix.format) + more_per_sample),
                   fmt::format("{}: {}: {} x {} samples", file.file_name(), matrix.path, matrix.rows, matrix.columns));
}

void read_samples(const h5::Reader& file, const SampleMatrix& matrix, std::span<std::byte> to, int threads) {
    SampleRows(file, matrix, threads).read(0, matrix.rows, to);
}

SampleRows::SampleRows(const h5::Reader& file, SampleMatrix matrix, int threads)
    : file_(file),
      matrix_(std::move(matrix)),
      threads_(thread_count(threads)),
      data_(file.dataset(matrix_.path)),
      unit_(rows_of_a_chunk(data_)) {
    if (matrix_.packed) chunking_ = decodable_chunks(data_);
}

std::uint64_t SampleRows::stored_bytes() const {
    const h5::Turn turn;
    return H5Dget_storage_size(data_);
}

void SampleRows::read(std::int64_t first_row, std::int64_t rows, const Interval& columns, std::span<std::byte> to) {
    SampleMatrix part = matrix_;
    part.rows = rows;
    part.columns = columns.last - columns.first;
    if (to.size() != part.bytes() || first_row < 0 || first_row + rows > matrix_.rows || columns.first < 0 ||
        columns.last > matrix_.columns)
        throw std::logic_error(
            fmt::format("read_samples: {} bytes of memory for {} bytes of samples", to.size(), part.bytes()));
    if (chunking_)
        read_chunked(first_row, rows, columns, to.data());
    else
        read_plain(file_, matrix_, data_, first_row, rows, columns, to.data());
    if (matrix_.big_endian) swap_byte_order(matrix_.format, to, threads_);
}

void SampleRows::read_patch(std::int64_t first_row, std::int64_t rows, std::int64_t first_column, std::int64_t columns,
                            std::span<std::byte> to) const {
    const h5::Turn turn;
    SampleMatrix part = matrix_;
    part.rows = rows;
    part.columns = columns;
    if (to.size() != part.bytes())
        throw std::logic_error(fmt::format("{} bytes of memory for {} bytes of samples", to.size(), part.bytes()));
    const h5::Space from = h5::space_of(data_);
    const hsize_t count[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    select(from, matrix_, first_row, rows,
           {static_cast<std::int32_t>(first_column), static_cast<std::int32_t>(first_column + columns)});
    const h5::Space space = h5::make_space(count);
    if (H5Dread(data_, memory_type(h5::type_of(data_)), space, from, H5P_DEFAULT, to.data()) < 0)
        file_.refuse(matrix_.path, fmt::format("lines {} to {} cannot be read: {}; the file is damaged", first_row,
                                               first_row + rows - 1, h5::error_text()));
    if (matrix_.big_endian) swap_byte_order(matrix_.format, to, threads_);
}

/// Whole rows of chunks go straight to their place; the others by way of what is kept.
void SampleRows::read_chunked(std::int64_t first_row, std::int64_t rows, const Interval& columns, std::byte* to) {
    const auto chunks = [&] { return ChunkReader(file_, matrix_, data_, *chunking_, threads_); };
    const std::int64_t unit = chunking_->rows, end = first_row + rows;
    const std::size_t row_bytes =
        static_cast<std::size_t>(columns.last - columns.first) * bytes_per_sample(matrix_.format);
    for (std::int64_t row = first_row; row < end;) {
        const std::int64_t unit_first = row / unit * unit, unit_end = std::min(unit_first + unit, matrix_.rows);
        std::int64_t next = std::min(unit_end, end);
        std::byte* place = to + static_cast<std::size_t>(row - first_row) * row_bytes;
        if (row == unit_first && end >= unit_end) {
            next = end == matrix_.rows ? end : end / unit * unit;
            chunks().read(row, next - row, columns, place);
        } else {
            if (kept_first_row_ != unit_first || kept_columns_ != columns) {
                kept_first_row_ = -1;
                kept_.resize(static_cast<std::size_t>(unit_end - unit_first) * row_bytes);
                chunks().read(unit_first, unit_end - unit_first, columns, kept_.data());
                kept_first_row_ = unit_first;
                kept_columns_ = columns;
            }
            std::memcpy(place, kept_.data() + static_cast<std::size_t>(row - unit_first) * row_bytes,
                        static_cast<std::size_t>(next - row) * row_bytes);
        }
        row = next;
    }
}

std::vector<std::complex<float>> read_complex64(const h5::Reader& file, const SampleMatrix& matrix, int threads) {
    if (matrix.format == SampleFormat::lut16) throw std::logic_error("read_complex64: indices need their table");
    const std::int64_t count = matrix.rows * matrix.columns;
    require_sample_memory(file, matrix, matrix.format == SampleFormat::complex64 ? 0 : sizeof(std::complex<float>));
    std::vector<std::complex<float>> out(static_cast<std::size_t>(count));
    if (matrix.format == SampleFormat::complex64) {
        read_samples(file, matrix, std::as_writable_bytes(std::span(out)), threads);
        return out;
    }
    std::vector<std::byte> stored(matrix.bytes());
    read_samples(file, matrix, stored, threads);
    return as_complex64(matrix, stored, threads);
}

std::vector<std::complex<float>> as_complex64(const SampleMatrix& matrix, std::span<const std::byte> stored,
                                              int threads) {
    if (matrix.format == SampleFormat::lut16) throw std::logic_error("as_complex64: indices need their table");
    const std::int64_t count = matrix.rows * matrix.columns;
    std::vector<std::complex<float>> out(static_cast<std::size_t>(count));
    threads = thread_count(threads);
    with_component(matrix.format, [&]<class Component>(std::type_identity<Component>) {
        const EchoReader<float, Component> reader{.samples = reinterpret_cast<const Stored<Component>*>(stored.data()),
                                                  .samples_per_line = count};
#pragma omp parallel for num_threads(threads)
        for (std::int64_t i = 0; i < count; ++i) {
            const Complex<float> value = reader.stored(0, i);
            out[static_cast<std::size_t>(i)] = {value.re, value.im};
        }
    });
    return out;
}

}  // namespace cornerturn
