// SPDX-License-Identifier: Apache-2.0
#include "data/tiff/cog_layout.h"

#include <tiff.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <stdexcept>

#include "data/tiff/tiff_tags.h"

namespace cornerturn {
namespace {

static_assert(std::endian::native == std::endian::little, "TIFF files are written as numbers lie in memory");

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}

template <class T>
TiffTag tag_of(std::uint16_t number, std::uint16_t type, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {.number = number, .type = type, .count = values.size(), .value = {bytes.begin(), bytes.end()}};
}
TiffTag one_short(std::uint16_t number, int value) {
    return tag_of(number, TIFF_SHORT, std::vector{static_cast<std::uint16_t>(value)});
}
TiffTag one_long(std::uint16_t number, std::int64_t value) {
    return tag_of(number, TIFF_LONG, std::vector{static_cast<std::uint32_t>(value)});
}

std::uint16_t format_of(TiffSample sample) {
    switch (sample) {
        case TiffSample::uint8:
        case TiffSample::uint16: return SAMPLEFORMAT_UINT;
        case TiffSample::float32: return SAMPLEFORMAT_IEEEFP;
        case TiffSample::complex_int16: return SAMPLEFORMAT_COMPLEXINT;
        case TiffSample::complex_float32: break;
    }
    return SAMPLEFORMAT_COMPLEXIEEEFP;
}

/// What GDAL writes behind the header, and knows a file by whose directories come first.
const std::string& structural_metadata() {
    static const std::string text = [] {
        const std::string body =
            "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n"
            "BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n ";
        std::string digits = std::to_string(body.size());
        digits.insert(0, 6 - digits.size(), '0');
        return "GDAL_STRUCTURAL_METADATA_SIZE=" + digits + " bytes\n" + body;
    }();
    return text;
}

std::vector<CogLevel> levels_of(std::int64_t rows, std::int64_t columns, std::int64_t tile) {
    constexpr std::int64_t small = 512;
    std::vector<CogLevel> levels;
    while (true) {
        levels.push_back({.rows = rows,
                          .columns = columns,
                          .tiles_down = (rows + tile - 1) / tile,
                          .tiles_across = (columns + tile - 1) / tile});
        if (std::max(rows, columns) <= small) return levels;
        rows = (rows + 1) / 2;
        columns = (columns + 1) / 2;
    }
}

/// Of 512 where it can be: of a level that is just one tile wide rasterio, and rio-cogeo with it, believes that it lies
/// in strips.
CogLayout with_tiles(std::int64_t rows, std::int64_t columns) {
    CogLayout layout;
    for (const std::int64_t tile : {512, 256, 384}) {
        layout.tile = tile;
        layout.levels = levels_of(rows, columns, tile);
        if (std::none_of(layout.levels.begin(), layout.levels.end(),
                         [tile](const CogLevel& level) { return level.columns == tile && level.rows > tile; }))
            break;
    }
    return layout;
}

/// Numbers of 4 bytes in classic TIFF, of 8 in BigTIFF.
class Head {
public:
    explicit Head(bool big) : big_(big) {
        for (const char letter : {'I', 'I'}) append(bytes_, letter);
        append(bytes_, static_cast<std::uint16_t>(big ? 43 : 42));
        if (big) append(bytes_, std::uint32_t{8});  // bytes of an offset, and nothing
        first_ = bytes_.size();
        offset(0);
        for (const char letter : structural_metadata()) append(bytes_, letter);
    }

    void add_directory(std::vector<TiffTag> tags) {
        std::sort(tags.begin(), tags.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
        if (bytes_.size() % 2 != 0) append(bytes_, char{0});
        put_offset(first_, bytes_.size());
        const std::size_t width = big_ ? 8 : 4;
        std::uint64_t beyond = bytes_.size() + (big_ ? 8 : 2) + tags.size() * (4 + 2 * width) + width;
        std::vector<std::byte> values;
        if (big_)
            append(bytes_, static_cast<std::uint64_t>(tags.size()));
        else
            append(bytes_, static_cast<std::uint16_t>(tags.size()));
        for (const TiffTag& tag : tags) {
            append(bytes_, tag.number);
            append(bytes_, tag.type);
            offset(tag.count);
            if (tag.value.size() <= width) {
                bytes_.insert(bytes_.end(), tag.value.begin(), tag.value.end());
                bytes_.resize(bytes_.size() + width - tag.value.size());
            } else {
                offset(beyond + values.size());
                values.insert(values.end(), tag.value.begin(), tag.value.end());
                values.resize((values.size() + 7) / 8 * 8);
            }
        }
        first_ = bytes_.size();
        offset(0);
        bytes_.insert(bytes_.end(), values.begin(), values.end());
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    void offset(std::uint64_t value) {
        const auto* first = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), first, first + (big_ ? 8 : 4));
    }
    void put_offset(std::size_t at, std::uint64_t value) { std::memcpy(bytes_.data() + at, &value, big_ ? 8 : 4); }

    bool big_;
    std::size_t first_ = 0;  // where the place of the next directory is told
    std::vector<std::byte> bytes_;
};

std::vector<TiffTag> shape_tags(const CogLevel& level, const CogLayout& layout, TiffSample sample, bool big) {
    const std::uint64_t tile_bytes = layout.tile_bytes();
    const auto tiles = static_cast<std::size_t>(level.tiles_down * level.tiles_across);
    std::vector<TiffTag> tags{
        one_long(TIFFTAG_IMAGEWIDTH, level.columns),
        one_long(TIFFTAG_IMAGELENGTH, level.rows),
        one_short(TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * bytes_of(sample))),
        one_short(TIFFTAG_COMPRESSION, COMPRESSION_NONE),
        one_short(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK),
        one_short(TIFFTAG_SAMPLESPERPIXEL, 1),
        one_short(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG),
        one_long(TIFFTAG_TILEWIDTH, layout.tile),
        one_long(TIFFTAG_TILELENGTH, layout.tile),
        one_short(TIFFTAG_SAMPLEFORMAT, format_of(sample)),
        tag_of(TIFFTAG_TILEBYTECOUNTS, TIFF_LONG, std::vector(tiles, static_cast<std::uint32_t>(tile_bytes)))};
    std::vector<std::uint64_t> places(tiles);
    for (std::size_t i = 0; i < tiles; ++i) places[i] = level.first_tile + i * layout.stride();
    tags.push_back(
        big ? tag_of(TIFFTAG_TILEOFFSETS, TIFF_LONG8, places)
            : tag_of(TIFFTAG_TILEOFFSETS, TIFF_LONG, std::vector<std::uint32_t>(places.begin(), places.end())));
    return tags;
}

std::vector<std::byte> head_of(const CogLayout& layout, TiffSample sample, const std::vector<TiffTag>& tags, bool big) {
    Head head(big);
    for (std::size_t i = 0; i < layout.levels.size(); ++i) {
        std::vector<TiffTag> all = shape_tags(layout.levels[i], layout, sample, big);
        if (i == 0) {
            all.insert(all.end(), tags.begin(), tags.end());
        } else {
            all.push_back(one_long(TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE));
            std::copy_if(tags.begin(), tags.end(), std::back_inserter(all),
                         [](const TiffTag& tag) { return tag.number == tiff_tag::gdal_nodata; });
        }
        head.add_directory(std::move(all));
    }
    return head.take();
}

}  // namespace

std::int64_t bytes_of(TiffSample sample) {
    switch (sample) {
        case TiffSample::uint8: return 1;
        case TiffSample::uint16: return 2;
        case TiffSample::float32:
        case TiffSample::complex_int16: return 4;
        case TiffSample::complex_float32: break;
    }
    return 8;
}

TiffTag tiff_text(std::uint16_t number, const std::string& text) {
    std::vector<char> letters(text.begin(), text.end());
    letters.push_back(0);
    return tag_of(number, TIFF_ASCII, letters);
}
TiffTag tiff_numbers(std::uint16_t number, const std::vector<double>& numbers) {
    return tag_of(number, TIFF_DOUBLE, numbers);
}
TiffTag tiff_shorts(std::uint16_t number, const std::vector<std::uint16_t>& numbers) {
    return tag_of(number, TIFF_SHORT, numbers);
}

CogLayout cog_layout(std::int64_t rows, std::int64_t columns, TiffSample sample, const std::vector<TiffTag>& tags) {
    if (rows < 1 || columns < 1) throw std::logic_error("GeoTIFF: an image without pixels");
    CogLayout layout = with_tiles(rows, columns);
    layout.sample_bytes = bytes_of(sample);
    std::uint64_t tiles = 0;
    for (const CogLevel& level : layout.levels)
        tiles += static_cast<std::uint64_t>(level.tiles_down * level.tiles_across);
    constexpr std::uint64_t largest_classic = 4'000'000'000;
    const bool big = tiles * (layout.stride() + 16) > largest_classic;
    layout.head = head_of(layout, sample, tags, big);  // as long as it will be
    constexpr std::uint64_t unit = 16;
    std::uint64_t at = (layout.head.size() + unit - 1) / unit * unit;
    for (auto level = layout.levels.rbegin(); level != layout.levels.rend(); ++level) {
        level->first_tile = at + CogLayout::around;
        at += static_cast<std::uint64_t>(level->tiles_down * level->tiles_across) * layout.stride();
    }
    layout.bytes = at;
    layout.head = head_of(layout, sample, tags, big);
    return layout;
}

}  // namespace cornerturn
