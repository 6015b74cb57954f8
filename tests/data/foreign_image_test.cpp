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
    expect_refused([&] { open_radar_image(path("a.slc"), {}, "compare"); }, {"a.slc", "slant ranges", "compare"});
    EXPECT_EQ(open_image(path("a.slc.hdr")).header().grid.rows, rows) << "by its header";
    put_on({32633}, 2);
    write("b.tif");
    expect_refused([&] { open_radar_image(path("b.tif"), {}, "compare"); }, {"b.tif", "on a map", "compare"});
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

/// How libtiff may hold them: in either order of bytes, as strips or tiles, packed or not.
TEST_F(ForeignImage, OfTiffIsReadHoweverItIsStored) {
    struct Case {
        const char* mode;
        std::uint16_t compression;
        std::uint32_t tile;
        bool integers;
    };
    for (const Case& c : {Case{"wl", COMPRESSION_NONE, 0, false}, Case{"wb", COMPRESSION_LZW, 0, false},
                          Case{"wb", COMPRESSION_NONE, 16, false}, Case{"w8", COMPRESSION_LZW, 32, false},
                          Case{"wb", COMPRESSION_NONE, 0, true}, Case{"wl", COMPRESSION_LZW, 16, true}}) {
        SCOPED_TRACE(std::string(c.mode) + " " + std::to_string(c.compression) + " " + std::to_string(c.tile));
        TiffHandle tiff = open_tiff(path("a.tif"), c.mode);
        TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(columns));
        TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(rows));
        TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, c.integers ? 32 : 64);
        TIFFSetField(tiff.get(), TIFFTAG_SAMPLEFORMAT,
                     c.integers ? SAMPLEFORMAT_COMPLEXINT : SAMPLEFORMAT_COMPLEXIEEEFP);
        TIFFSetField(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, 1);
        TIFFSetField(tiff.get(), TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tiff.get(), TIFFTAG_COMPRESSION, c.compression);
        if (c.tile > 0) {
            TIFFSetField(tiff.get(), TIFFTAG_TILEWIDTH, c.tile);
            TIFFSetField(tiff.get(), TIFFTAG_TILELENGTH, c.tile);
        } else {
            TIFFSetField(tiff.get(), TIFFTAG_ROWSPERSTRIP, 7);
        }
        const auto value = [&](std::int64_t i, std::int64_t k) {
            const auto at = image_.samples[static_cast<std::size_t>(i * columns + k)];
            return c.integers ? std::complex<float>(std::round(10 * at.real()), std::round(10 * at.imag())) : at;
        };
        std::vector<std::complex<float>> right;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t k = 0; k < columns; ++k) right.push_back(value(i, k));
        // A piece of a row as it is stored, in the order of bytes of this machine, which libtiff turns in place.
        const auto bytes_of_row = [&](std::int64_t i, std::int64_t first, std::int64_t count, std::byte* to) {
            for (std::int64_t k = first; k < std::min(first + count, columns) && i < rows; ++k) {
                const std::complex<float> sample = value(i, k);
                const float parts[] = {sample.real(), sample.imag()};
                const std::int16_t codes[] = {static_cast<std::int16_t>(parts[0]), static_cast<std::int16_t>(parts[1])};
                const std::size_t bytes = c.integers ? sizeof(codes) : sizeof(parts);
                std::memcpy(to + static_cast<std::size_t>(k - first) * bytes,
                            c.integers ? static_cast<const void*>(codes) : parts, bytes);
            }
        };
        if (c.tile > 0) {
            const auto tile = static_cast<std::int64_t>(c.tile);
            const std::size_t row_bytes = c.tile * (c.integers ? 4u : 8u);
            for (std::int64_t i = 0; i < rows; i += tile)
                for (std::int64_t k = 0; k < columns; k += tile) {
                    std::vector<std::byte> bytes(row_bytes * c.tile);
                    for (std::int64_t row = 0; row < tile; ++row)
                        bytes_of_row(i + row, k, tile, bytes.data() + static_cast<std::size_t>(row) * row_bytes);
                    ASSERT_GT(TIFFWriteTile(tiff.get(), bytes.data(), static_cast<std::uint32_t>(k),
                                            static_cast<std::uint32_t>(i), 0, 0),
                              0);
                }
        } else {
            std::vector<std::byte> bytes(static_cast<std::size_t>(columns) * 8);
            for (std::int64_t i = 0; i < rows; ++i) {
                bytes_of_row(i, 0, columns, bytes.data());
                ASSERT_EQ(TIFFWriteScanline(tiff.get(), bytes.data(), static_cast<std::uint32_t>(i), 0), 1);
            }
        }
        tiff.reset();
        StoredImage stored = open_image(path("a.tif"));
        EXPECT_EQ(samples_of(stored), right);
        EXPECT_FALSE(stored.header().grid.has_axes());
    }
}

}  // namespace
}  // namespace cornerturn
