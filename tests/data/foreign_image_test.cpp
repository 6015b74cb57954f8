// SPDX-License-Identifier: Apache-2.0
// Images as other programs write them: orders of bytes, strips and tiles, packed or not, maps by other names, and what
// their files do not tell.
#include <tiffio.h>

#include "data/open_image.h"
#include "data/tiff/tiff.h"
#include "tests/data/image_fixture.h"

namespace cornerturn {
namespace {

class ForeignImage : public StoredImageTest {};

/// GDAL's images of other programs.
TEST_F(ForeignImage, SaysWhatAForeignFileDoesNotTell) {
    write("a.slc");
    write_bytes("a.slc.hdr", "ENVI\nsamples = 40\nlines=75\nbands = 1\ndata type = 6\nbyte order = 0\n");
    StoredImage stored = open_image(path("a.slc"));
    EXPECT_EQ(samples_of(stored), image_.samples);
    EXPECT_FALSE(stored.header().grid.has_axes());
    EXPECT_FALSE(stored.header().map);
    expect_refused([&] { require_axes("a.slc", stored.header(), "compare"); }, {"a.slc", "slant ranges", "compare"});
    EXPECT_EQ(open_image(path("a.slc.hdr")).header().grid.rows, rows) << "by its header";
    put_on({32633}, 2);
    write("b.tif");
    expect_refused([&] { require_axes("b.tif", open_image(path("b.tif")).header(), "compare"); },
                   {"b.tif", "on a map", "compare"});
}

TEST_F(ForeignImage, TurnsBigEndianSamples) {
    write("a.slc");
    std::string bytes = bytes_of("a.slc"), header = bytes_of("a.slc.hdr");
    for (std::size_t at = 0; at < bytes.size(); at += 4) std::reverse(bytes.begin() + at, bytes.begin() + at + 4);
    write_bytes("a.slc", std::string(12, 'x') + bytes);
    header.replace(header.find("byte order = 0"), 14, "byte order = 1");
    header.replace(header.find("header offset = 0"), 17, "header offset = 12");
    write_bytes("a.slc.hdr", header);
    StoredImage stored = open_image(path("a.slc"));
    EXPECT_EQ(samples_of(stored), image_.samples);
}

TEST_F(ForeignImage, TakesMapsAsEnviNamesThem) {
    write("a.slc");
    const std::string start = "ENVI\nsamples = 40\nlines = 75\nbands = 1\ndata type = 6\n";
    const auto map_of = [&](const std::string& info) {
        write_bytes("a.slc.hdr", start + info);
        return *open_image(path("a.slc")).header().map;
    };
    const MapGrid south =
        map_of("map info = {UTM, 1.5, 1.5, 500000, 7e6, 10, 20,\n 19, South, WGS-84, units=Meters}\n");
    EXPECT_EQ(south.projection.epsg, 32719);
    EXPECT_EQ(south.first_x, 500000);
    EXPECT_EQ(south.first_y, 7e6);
    EXPECT_EQ(south.x_step, 10);
    EXPECT_EQ(south.y_step, -20);
    const MapGrid degrees = map_of("map info = {Geographic Lat/Lon, 1, 1, 12, 48, 0.5, 0.25, WGS-84}\n");
    EXPECT_EQ(degrees.projection.epsg, 4326);
    EXPECT_EQ(degrees.first_x, 12.25);
    EXPECT_EQ(degrees.first_y, 47.875);
    expect_refused([&] { map_of("map info = {UTM, 1, 1, 5, 7, 10, 10, 19, South, NAD-27}\n"); },
                   {"map info", "WGS-84"});
    expect_refused([&] { map_of("map info = {UTM, 1, 1, 5}\n"); }, {"map info"});
    expect_refused([&] { map_of("map info = {UTM, 1, 1, 5, 7, ten, 10, 19, South, WGS-84}\n"); }, {"map info", "ten"});
    expect_refused([&] { map_of("map info = {UTM, 1, 1, 5, 7, 9, 9, 19, South, WGS-84, rotation=12}\n"); },
                   {"rotation"});
}

/// How libtiff may hold samples: in either order of bytes, as strips or tiles, packed or not.
struct Storage {
    const char* mode;
    std::uint16_t compression;
    std::uint32_t tile;  ///< 0: strips
    bool integers;

    std::size_t sample_bytes() const { return integers ? 2 * sizeof(std::int16_t) : 2 * sizeof(float); }
    std::complex<float> stored(std::complex<float> sample) const {
        return integers ? std::complex<float>(std::round(10 * sample.real()), std::round(10 * sample.imag())) : sample;
    }
};

void describe(TIFF* tiff, const Storage& storage, std::int64_t rows, std::int64_t columns) {
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(columns));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(rows));
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * storage.sample_bytes()));
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, storage.integers ? SAMPLEFORMAT_COMPLEXINT : SAMPLEFORMAT_COMPLEXIEEEFP);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, storage.compression);
    if (storage.tile > 0) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, storage.tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, storage.tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 7);
    }
}

/// Some samples of a row in the order of bytes of this machine, which libtiff turns in place.
void put(const Storage& storage, std::span<const std::complex<float>> samples, std::byte* to) {
    for (const std::complex<float> sample : samples) {
        const float parts[] = {sample.real(), sample.imag()};
        const std::int16_t codes[] = {static_cast<std::int16_t>(parts[0]), static_cast<std::int16_t>(parts[1])};
        std::memcpy(to, storage.integers ? static_cast<const void*>(codes) : parts, storage.sample_bytes());
        to += storage.sample_bytes();
    }
}

/// `samples`: as they are stored.
void write_tiff(const std::string& path, const Storage& storage, std::span<const std::complex<float>> samples,
                std::int64_t rows, std::int64_t columns) {
    const TiffHandle tiff = open_tiff(path, storage.mode);
    describe(tiff.get(), storage, rows, columns);
    const auto of_row = [&](std::int64_t row, std::int64_t first, std::int64_t count) {
        return samples.subspan(static_cast<std::size_t>(row * columns + first), static_cast<std::size_t>(count));
    };
    if (storage.tile == 0) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(columns) * storage.sample_bytes());
        for (std::int64_t row = 0; row < rows; ++row) {
            put(storage, of_row(row, 0, columns), bytes.data());
            ASSERT_EQ(TIFFWriteScanline(tiff.get(), bytes.data(), static_cast<std::uint32_t>(row), 0), 1);
        }
        return;
    }
    const auto tile = static_cast<std::int64_t>(storage.tile);
    const std::size_t row_bytes = storage.tile * storage.sample_bytes();
    for (std::int64_t top = 0; top < rows; top += tile)
        for (std::int64_t left = 0; left < columns; left += tile) {
            std::vector<std::byte> bytes(row_bytes * storage.tile);
            for (std::int64_t row = top; row < std::min(top + tile, rows); ++row)
                put(storage, of_row(row, left, std::min(tile, columns - left)),
                    bytes.data() + static_cast<std::size_t>(row - top) * row_bytes);
            ASSERT_GT(TIFFWriteTile(tiff.get(), bytes.data(), static_cast<std::uint32_t>(left),
                                    static_cast<std::uint32_t>(top), 0, 0),
                      0);
        }
}

TEST_F(ForeignImage, OfTiffIsReadHoweverItIsStored) {
    for (const Storage& storage :
         {Storage{"wl", COMPRESSION_NONE, 0, false}, Storage{"wb", COMPRESSION_LZW, 0, false},
          Storage{"wb", COMPRESSION_NONE, 16, false}, Storage{"w8", COMPRESSION_LZW, 32, false},
          Storage{"wb", COMPRESSION_NONE, 0, true}, Storage{"wl", COMPRESSION_LZW, 16, true}}) {
        SCOPED_TRACE(std::string(storage.mode) + " " + std::to_string(storage.compression) + " " +
                     std::to_string(storage.tile));
        std::vector<std::complex<float>> right;
        for (const std::complex<float> sample : image_.samples) right.push_back(storage.stored(sample));
        write_tiff(path("a.tif"), storage, right, rows, columns);
        StoredImage stored = open_image(path("a.tif"));
        EXPECT_EQ(samples_of(stored), right);
        EXPECT_FALSE(stored.header().grid.has_axes());
    }
}

}  // namespace
}  // namespace cornerturn
