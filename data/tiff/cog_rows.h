// SPDX-License-Identifier: Apache-2.0
// Rows of an image into the tiles of a cloud-optimised GeoTIFF and of its overviews, as they come.
#pragma once

#include <algorithm>
#include <complex>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/files/placed_file.h"
#include "data/tiff/cog_layout.h"

namespace cornerturn {

/// Of four neighbours one: the mean power of those that are there (above 0); of complex samples, whose mean would lose
/// what lies beside the band's middle, the first.
float overview_of(std::span<const float> neighbours);
std::complex<float> overview_of(std::span<const std::complex<float>> neighbours);

/// Holds a row of tiles of each level: 1.5 to 2 times as many rows as a tile has of the image. Value is what overviews
/// are made of, `Encode` makes of it what is stored.
template <class Value>
class CogRows {
public:
    /// `to` has room for values.size() samples as they are stored; `level` 0 is the image, others are overviews.
    using Encode = std::function<void(std::span<const Value> values, std::size_t level, std::byte* to)>;

    /// Throws as PlacedFile does.
    CogRows(const std::string& path, const CogLayout& layout, Encode encode)
        : layout_(layout), file_(path, layout.bytes), encode_(std::move(encode)) {
        file_.write(0, layout_.head);
        for (const CogLevel& level : layout_.levels)
            bands_.push_back({.level = level,
                              .values = std::vector<Value>(
                                  static_cast<std::size_t>(std::min(layout_.tile, level.rows) * level.columns))});
        tile_values_.resize(static_cast<std::size_t>(layout_.tile * layout_.tile));
        tile_bytes_.resize(layout_.stride());
        const auto size = static_cast<std::uint32_t>(layout_.tile_bytes());
        std::memcpy(tile_bytes_.data(), &size, CogLayout::around);
    }

    /// Whole rows, in order.
    void write(std::span<const Value> rows) {
        for (std::size_t at = 0; at < rows.size(); at += columns()) add(0, rows.subspan(at, columns()));
    }
    void commit() { file_.commit(); }

private:
    /// The rows of a level that are not in the file yet.
    struct Band {
        CogLevel level;
        std::vector<Value> values;
        std::int64_t first_row = 0, rows = 0;
    };

    std::size_t columns() const { return static_cast<std::size_t>(layout_.levels.front().columns); }

    void add(std::size_t number, std::span<const Value> row) {
        Band& band = bands_[number];
        std::copy(row.begin(), row.end(), band.values.begin() + band.rows * band.level.columns);
        ++band.rows;
        if (band.rows < layout_.tile && band.first_row + band.rows < band.level.rows) return;
        for (std::int64_t across = 0; across < band.level.tiles_across; ++across) put_tile(number, across);
        if (number + 1 < bands_.size()) pass_on(number);
        band.first_row += band.rows;
        band.rows = 0;
    }

    /// What is beyond the image's edge is zero.
    void put_tile(std::size_t number, std::int64_t across) {
        const Band& band = bands_[number];
        const std::int64_t tile = layout_.tile;
        const std::int64_t first = across * tile, columns = std::min(tile, band.level.columns - first);
        std::fill(tile_values_.begin(), tile_values_.end(), Value{});
        for (std::int64_t row = 0; row < band.rows; ++row)
            std::copy_n(band.values.begin() + row * band.level.columns + first, columns,
                        tile_values_.begin() + row * tile);
        constexpr std::uint64_t around = CogLayout::around;
        std::byte* const end = tile_bytes_.data() + around + layout_.tile_bytes();
        encode_(tile_values_, number, tile_bytes_.data() + around);
        std::memcpy(end, end - around, around);
        const std::int64_t at = band.first_row / tile * band.level.tiles_across + across;
        file_.write(band.level.first_tile - around + static_cast<std::uint64_t>(at) * layout_.stride(), tile_bytes_);
    }

    void pass_on(std::size_t number) {
        const Band& band = bands_[number];
        std::vector<Value> halved(static_cast<std::size_t>(bands_[number + 1].level.columns));
        for (std::int64_t row = 0; row < band.rows; row += 2) {
            const std::int64_t rows = std::min<std::int64_t>(2, band.rows - row);
            for (std::size_t k = 0; k < halved.size(); ++k) {
                const auto column = static_cast<std::int64_t>(2 * k);
                const std::int64_t columns = std::min<std::int64_t>(2, band.level.columns - column);
                Value neighbours[4];
                std::size_t count = 0;
                for (std::int64_t r = 0; r < rows; ++r)
                    for (std::int64_t c = 0; c < columns; ++c)
                        neighbours[count++] =
                            band.values[static_cast<std::size_t>((row + r) * band.level.columns + column + c)];
                halved[k] = overview_of(std::span<const Value>(neighbours, count));
            }
            add(number + 1, halved);
        }
    }

    CogLayout layout_;
    PlacedFile file_;
    Encode encode_;
    std::vector<Band> bands_;
    std::vector<Value> tile_values_;
    std::vector<std::byte> tile_bytes_;
};

inline float overview_of(std::span<const float> neighbours) {
    float sum = 0;
    int count = 0;
    for (const float power : neighbours)
        if (power > 0) sum += power, ++count;
    return count == 0 ? 0.0f : sum / static_cast<float>(count);
}
inline std::complex<float> overview_of(std::span<const std::complex<float>> neighbours) { return neighbours.front(); }

}  // namespace cornerturn
