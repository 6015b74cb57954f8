// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/sicd_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numbers>
#include <utility>

#include "data/files/file_kind.h"
#include "data/files/refusal.h"
#include "data/sicd/nitf_reader.h"
#include "data/sicd/xml_reader.h"

namespace cornerturn {
namespace {

using sicd::PixelKind;
using sicd::RowOrder;

std::int64_t bytes_of(PixelKind kind) { return kind == PixelKind::float32 ? 8 : kind == PixelKind::int16 ? 4 : 2; }

/// From bytes as they lie in the file, the most significant first.
std::complex<float> sample_of(const std::byte* from, PixelKind kind, const std::vector<std::complex<float>>& turns,
                              const std::vector<double>& amplitudes) {
    const auto byte = [&](int at) { return std::to_integer<std::uint32_t>(from[at]); };
    if (kind == PixelKind::amplitude_phase8) return static_cast<float>(amplitudes[byte(0)]) * turns[byte(1)];
    if (kind == PixelKind::int16)
        return {static_cast<float>(static_cast<std::int16_t>(byte(0) << 8 | byte(1))),
                static_cast<float>(static_cast<std::int16_t>(byte(2) << 8 | byte(3)))};
    return {std::bit_cast<float>(byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3)),
            std::bit_cast<float>(byte(4) << 24 | byte(5) << 16 | byte(6) << 8 | byte(7))};
}

/// Rows of SICD's image lie one behind the other; where rows of ours are its columns, some of these are read side by
/// side.
class SicdSamples final : public SampleSource {
public:
    SicdSamples(BinaryFile file, nitf::Found found, sicd::Contents contents)
        : file_(std::move(file)), segments_(std::move(found.segments)), contents_(std::move(contents)) {
        constexpr int codes = 256;
        for (int code = 0; code < codes; ++code)
            turns_.push_back(std::complex<float>(std::polar(1.0, 2 * std::numbers::pi * code / codes)));
        contents_.image = {};
    }

    std::int64_t row_unit() const override {
        constexpr std::int64_t bytes_at_once = std::int64_t{64} << 20;
        if (contents_.order == RowOrder::rows) return 1;
        return std::clamp<std::int64_t>(bytes_at_once / 8 / contents_.rows, 1, contents_.columns);
    }

    Pixels read(const PixelBlock& block) override {
        Pixels pixels(block);
        if (contents_.order == RowOrder::rows) {
            for (std::int64_t row = 0; row < block.rows; ++row)
                read_row(block.first_row + row, block.first_column, block.columns,
                         pixels.samples.data() + row * block.columns, 1);
            return pixels;
        }
        const bool backwards = contents_.order == RowOrder::columns_backwards;
        const std::int64_t first = backwards ? contents_.columns - block.first_row - block.rows : block.first_row;
        for (std::int64_t column = 0; column < block.columns; ++column) {
            std::complex<float>* const to = pixels.samples.data() + column;
            const std::int64_t last_row = (block.rows - 1) * block.columns;
            read_row(block.first_column + column, first, block.rows, backwards ? to + last_row : to,
                     backwards ? -block.columns : block.columns);
        }
        return pixels;
    }

private:
    /// A piece of a row of SICD's image, `step` samples from one to the next.
    void read_row(std::int64_t row, std::int64_t first_column, std::int64_t count, std::complex<float>* to,
                  std::int64_t step) {
        const std::int64_t bytes = bytes_of(contents_.kind);
        const auto after = std::find_if(segments_.begin(), segments_.end(),
                                        [&](const nitf::Segment& s) { return row < s.first_row + s.rows; });
        const std::int64_t within = (row - after->first_row) * contents_.columns + first_column;
        stored_.resize(static_cast<std::size_t>(count * bytes));
        file_.read(after->place + static_cast<std::uint64_t>(within * bytes), stored_);
        for (std::int64_t i = 0; i < count; ++i)
            to[i * step] = sample_of(stored_.data() + i * bytes, contents_.kind, turns_, contents_.amplitudes);
    }

    BinaryFile file_;
    std::vector<nitf::Segment> segments_;
    sicd::Contents contents_;
    std::vector<std::complex<float>> turns_;  ///< of the codes of phases
    std::vector<std::byte> stored_;
};

}  // namespace

bool is_sicd(const std::string& path) {
    const std::string begin = beginning_of(path, 9);
    return begin == "NITF02.10" || begin == "NSIF01.00";
}

StoredImage open_sicd(const std::string& path) {
    BinaryFile file(path);
    nitf::Found found = nitf::read_nitf(file);
    sicd::Contents contents = sicd::read_metadata(XmlElement::parse(path, found.xml));
    if (found.rows != contents.rows || found.columns != contents.columns)
        refuse(path, fmt::format("image segments hold {} x {} pixels, but SICD's ImageData tells {} x {}", found.rows,
                                 found.columns, contents.rows, contents.columns));
    if (found.pixels.bytes() != bytes_of(contents.kind))
        refuse(path, fmt::format("pixels of the image segments have {} bytes, but SICD's PixelType tells {}",
                                 found.pixels.bytes(), bytes_of(contents.kind)));
    Image image = contents.image;
    return {"SICD", std::move(image),
            std::make_unique<SicdSamples>(std::move(file), std::move(found), std::move(contents))};
}

}  // namespace cornerturn
