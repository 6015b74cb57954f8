// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/sicd_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "data/files/placed_file.h"
#include "data/sicd/geometry.h"
#include "data/sicd/nitf.h"
#include "data/sicd/xml.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

constexpr std::uint64_t sample_bytes = 8;
static_assert(std::endian::native == std::endian::little, "samples are turned to big-endian ones");

/// Real and imaginary part, each with the most significant byte first.
std::uint64_t big_endian(const std::complex<float>& sample) {
    const float parts[] = {sample.real(), sample.imag()};
    std::uint32_t bits[2];
    std::memcpy(bits, parts, sizeof(bits));
    const std::uint64_t real = __builtin_bswap32(bits[0]), imaginary = __builtin_bswap32(bits[1]);
    return real | imaginary << 32;
}

nitf::Contents contents_of(const Image& image, const sicd::Geometry& geometry) {
    const auto written = parse_epoch(image.processing.processed_at);
    return {
        .title = fmt::format("SICD: {} {}", image.acquisition.identification.mission, image.acquisition.polarization),
        .origin = image.processing.software.empty() ? "cornerturn" : image.processing.software,
        .taken = geometry.start,
        .written = written.value_or(geometry.start),
        .rows = geometry.rows,
        .columns = geometry.columns,
        .corners = geometry.corners,
        .xml = sicd::metadata(image, geometry),
        .xml_schema = sicd::schema,
        .xml_version = sicd::schema_version,
        .xml_date = sicd::schema_date};
}

}  // namespace

struct SicdImage::Open {
    Open(const std::string& path, const Image& image, std::int64_t held_bytes)
        : geometry(sicd::geometry_of(image)),
          layout(nitf::layout_of(contents_of(image, geometry))),
          file(path, layout.bytes),
          columns_at_once(std::clamp<std::int64_t>(held_bytes / static_cast<std::int64_t>(sample_bytes) / geometry.rows,
                                                   std::min(least_at_once, geometry.columns), geometry.columns)),
          held(static_cast<std::size_t>(columns_at_once * geometry.rows)) {
        for (const auto& piece : layout.pieces) file.write(piece.place, std::as_bytes(std::span(piece.text)));
    }

    /// A row of ours becomes a column.
    void add(std::span<const std::complex<float>> row) {
        const std::int64_t column = geometry.against_flight ? columns_at_once - 1 - held_columns : held_columns;
        for (std::int64_t k = 0; k < geometry.rows; ++k)
            held[static_cast<std::size_t>(k * columns_at_once + column)] = big_endian(row[static_cast<std::size_t>(k)]);
        ++held_columns;
        if (held_columns == columns_at_once) flush();
    }

    void flush() {
        const std::int64_t first =
                               geometry.against_flight ? geometry.columns - done_columns - held_columns : done_columns,
                           within = geometry.against_flight ? columns_at_once - held_columns : 0;
        for (const nitf::Segment& segment : layout.segments)
            for (std::int64_t row = 0; row < segment.rows; ++row)
                file.write(segment.place + sample_bytes * static_cast<std::uint64_t>(row * geometry.columns + first),
                           std::as_bytes(std::span(held).subspan(
                               static_cast<std::size_t>((segment.first_row + row) * columns_at_once + within),
                               static_cast<std::size_t>(held_columns))));
        done_columns += held_columns;
        held_columns = 0;
        throw_if_interrupted();
    }

    static constexpr std::int64_t least_at_once = 32;

    sicd::Geometry geometry;
    nitf::Layout layout;
    PlacedFile file;
    std::int64_t columns_at_once;
    std::vector<std::uint64_t> held;  // [row][column] of the SICD image
    std::int64_t held_columns = 0, done_columns = 0;
};

SicdImage::SicdImage(std::string path, std::int64_t held_bytes) : path_(std::move(path)), held_bytes_(held_bytes) {}
SicdImage::~SicdImage() = default;

/// Times stay as we count them: from the epoch of products on, some are known to a quarter of a microsecond only.
void SicdImage::begin(const Image& header) {
    if (open_) throw InputError(fmt::format("{}: a SICD file holds one image; choose one polarization", path_));
    open_ = std::make_unique<Open>(path_, header, held_bytes_);
}

void SicdImage::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    if (first_row != open_->done_columns + open_->held_columns) throw std::logic_error("SICD: rows must come in order");
    const auto length = static_cast<std::size_t>(open_->geometry.rows);
    for (std::size_t at = 0; at < rows.size(); at += length) open_->add(rows.subspan(at, length));
    written_bytes_ += rows.size_bytes();
}

void SicdImage::commit() {
    if (!open_) throw std::logic_error("SICD: no image was written");
    throw_if_interrupted();
    if (open_->held_columns > 0) open_->flush();
    open_->file.commit();
}

}  // namespace cornerturn
