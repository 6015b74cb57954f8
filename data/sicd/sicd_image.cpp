// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/sicd_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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

static_assert(std::endian::native == std::endian::little, "samples are turned to big-endian ones");

/// Real and imaginary part, each with the most significant byte first: the bytes of a sample in the file, from the
/// least significant one on.
std::uint64_t big_endian(const std::complex<float>& sample) {
    const float parts[] = {sample.real(), sample.imag()};
    std::uint32_t bits[2];
    std::memcpy(bits, parts, sizeof(bits));
    const std::uint64_t real = __builtin_bswap32(bits[0]), imaginary = __builtin_bswap32(bits[1]);
    return real | imaginary << 32;
}
std::uint64_t big_endian(const IntegerSamples::Codes& codes, SampleType type) {
    const auto first = static_cast<std::uint32_t>(codes.first), second = static_cast<std::uint32_t>(codes.second);
    if (type == SampleType::amplitude_phase8) return first | second << 8;
    return __builtin_bswap16(static_cast<std::uint16_t>(first)) |
           std::uint32_t{__builtin_bswap16(static_cast<std::uint16_t>(second))} << 16;
}

nitf::Pixels pixels_of(const std::optional<IntegerSamples>& integers) {
    if (!integers) return {};
    if (integers->type() == SampleType::int16) return {.type = "SI ", .bits = 16};
    return {.type = "INT", .bits = 8, .bands = {"M", "P"}};
}
sicd::PixelType pixel_type(const std::optional<IntegerSamples>& integers) {
    if (!integers) return {};
    if (integers->type() == SampleType::int16) return {.name = "RE16I_IM16I", .step = integers->step()};
    return {.name = "AMP8I_PHS8I", .amplitudes = integers->amplitudes()};
}

nitf::Contents contents_of(const Image& image, const sicd::Geometry& geometry,
                           const std::optional<IntegerSamples>& integers) {
    const auto written = parse_epoch(image.processing.processed_at);
    return {
        .title = fmt::format("SICD: {} {}", image.acquisition.identification.mission, image.acquisition.polarization),
        .origin = image.processing.software.empty() ? "cornerturn" : image.processing.software,
        .taken = geometry.start,
        .written = written.value_or(geometry.start),
        .rows = geometry.rows,
        .columns = geometry.columns,
        .pixels = pixels_of(integers),
        .corners = geometry.corners,
        .xml = sicd::metadata(image, geometry, pixel_type(integers)),
        .xml_schema = sicd::schema,
        .xml_version = sicd::schema_version,
        .xml_date = sicd::schema_date};
}

}  // namespace

struct SicdImage::Open {
    Open(const std::string& path, const Image& image, std::int64_t held_bytes, std::optional<IntegerSamples>& codes)
        : geometry(sicd::geometry_of(image)),
          layout(nitf::layout_of(contents_of(image, geometry, codes))),
          sample_bytes(static_cast<std::size_t>(pixels_of(codes).bytes())),
          file(path, layout.bytes),
          integers(codes),
          columns_at_once(std::clamp<std::int64_t>(held_bytes / static_cast<std::int64_t>(sample_bytes) / geometry.rows,
                                                   std::min(least_at_once, geometry.columns), geometry.columns)),
          held(static_cast<std::size_t>(geometry.placement.transposed ? columns_at_once * geometry.rows
                                                                      : geometry.columns) *
               sample_bytes) {
        for (const auto& [place, text] : layout.texts) file.write(place, std::as_bytes(std::span(text)));
    }

    std::size_t row_samples() const {
        return static_cast<std::size_t>(geometry.placement.transposed ? geometry.rows : geometry.columns);
    }
    std::int64_t next_row() const { return done + held_columns; }

    /// A row of ours becomes a column, or a row.
    void add(std::span<const std::complex<float>> row) {
        geometry.placement.transposed ? hold_column(row) : put_row(row);
    }
    void finish() {
        if (held_columns > 0) flush();
    }

    sicd::Geometry geometry;
    nitf::Layout layout;
    std::size_t sample_bytes;
    PlacedFile file;

private:
    void encode(const std::complex<float>& sample, std::byte* to) {
        const std::uint64_t bytes =
            integers ? big_endian(integers->codes(sample), integers->type()) : big_endian(sample);
        std::memcpy(to, &bytes, sample_bytes);
    }

    void put_row(std::span<const std::complex<float>> row) {
        const bool backwards = geometry.placement.columns_backwards;
        for (std::size_t k = 0; k < row.size(); ++k)
            encode(row[backwards ? row.size() - 1 - k : k], held.data() + k * sample_bytes);
        const std::int64_t at = geometry.placement.rows_backwards ? geometry.rows - 1 - done : done;
        const auto of = std::find_if(layout.segments.begin(), layout.segments.end(), [&](const nitf::Segment& segment) {
            return at < segment.first_row + segment.rows;
        });
        file.write(of->place + static_cast<std::uint64_t>(at - of->first_row) * row.size() * sample_bytes,
                   {held.data(), row.size() * sample_bytes});
        ++done;
    }

    void hold_column(std::span<const std::complex<float>> row) {
        const sicd::Placement& lies = geometry.placement;
        const std::int64_t column = lies.columns_backwards ? columns_at_once - 1 - held_columns : held_columns;
        for (std::int64_t k = 0; k < geometry.rows; ++k)
            encode(row[static_cast<std::size_t>(k)], held_at(lies.rows_backwards ? geometry.rows - 1 - k : k, column));
        ++held_columns;
        if (held_columns == columns_at_once) flush();
    }

    void flush() {
        const bool backwards = geometry.placement.columns_backwards;
        const std::int64_t first = backwards ? geometry.columns - done - held_columns : done,
                           within = backwards ? columns_at_once - held_columns : 0;
        for (const nitf::Segment& segment : layout.segments)
            for (std::int64_t row = 0; row < segment.rows; ++row)
                file.write(
                    segment.place + sample_bytes * static_cast<std::uint64_t>(row * geometry.columns + first),
                    {held_at(segment.first_row + row, within), static_cast<std::size_t>(held_columns) * sample_bytes});
        done += held_columns;
        held_columns = 0;
        throw_if_interrupted();
    }

    std::byte* held_at(std::int64_t row, std::int64_t column) {
        return held.data() + static_cast<std::size_t>(row * columns_at_once + column) * sample_bytes;
    }

    static constexpr std::int64_t least_at_once = 32;

    std::optional<IntegerSamples>& integers;
    std::int64_t columns_at_once;
    std::vector<std::byte> held;  // [row][column] of the SICD image, where rows of ours are columns; else one row
    std::int64_t held_columns = 0, done = 0;  // rows of ours that wait, and that are in the file
};

SicdImage::SicdImage(std::string path, std::int64_t held_bytes) : path_(std::move(path)), held_bytes_(held_bytes) {}
SicdImage::SicdImage(std::string path, SampleType samples, double full_scale) : path_(std::move(path)) {
    if (samples != SampleType::float32) integers_.emplace(samples, full_scale);
}
SicdImage::~SicdImage() = default;

std::vector<std::string> SicdImage::remarks() const {
    const std::string remark = integers_ ? integers_->remark(path_) : "";
    return remark.empty() ? std::vector<std::string>{} : std::vector{remark};
}

/// Times stay as we count them: from the epoch of products on, some are known to a quarter of a microsecond only.
void SicdImage::begin(const Image& header) {
    if (open_) throw InputError(fmt::format("{}: a SICD file holds one image; choose one polarization", path_));
    open_ = std::make_unique<Open>(path_, header, held_bytes_, integers_);
}

void SicdImage::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    if (first_row != open_->next_row()) throw std::logic_error("SICD: rows must come in order");
    const std::size_t length = open_->row_samples();
    for (std::size_t at = 0; at < rows.size(); at += length) open_->add(rows.subspan(at, length));
    written_bytes_ += rows.size() * open_->sample_bytes;
}

void SicdImage::commit() {
    if (!open_) throw std::logic_error("SICD: no image was written");
    throw_if_interrupted();
    open_->finish();
    open_->file.commit();
}

}  // namespace cornerturn
