// SPDX-License-Identifier: Apache-2.0
#include "data/envi/envi_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "data/envi/envi_header.h"
#include "data/files/binary_file.h"
#include "data/files/file_kind.h"
#include "data/files/image_facts.h"
#include "data/files/refusal.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/number_text.h"
#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are taken as they lie in the file, or turned");

struct EnviPaths {
    std::string samples, header;
};

bool begins_as_header(const std::string& path) { return beginning_of(path, 4) == "ENVI"; }

/// None where no header is beside it.
std::optional<EnviPaths> envi_paths(const std::string& path) {
    namespace fs = std::filesystem;
    const auto is_file = [](const std::string& name) {
        std::error_code ignored;
        return fs::is_regular_file(name, ignored);
    };
    constexpr const char* hdf5 = "\x89HDF";
    if (!is_file(path) || beginning_of(path, 4) == hdf5) return std::nullopt;
    if (path.ends_with(".hdr") && begins_as_header(path)) {
        const std::string without = path.substr(0, path.size() - 4);
        if (is_file(without)) return EnviPaths{without, path};
        for (const char* ending : {".slc", ".img", ".dat", ".bin", ".raw"})
            if (is_file(without + ending)) return EnviPaths{without + ending, path};
        refuse(path, fmt::format("is a header of ENVI's, but no samples lie beside it as {} or .slc, .img, .dat; name "
                                 "their file",
                                 without));
    }
    for (const std::string& header : {path + ".hdr", fs::path(path).replace_extension(".hdr").string()})
        if (header != path && is_file(header) && begins_as_header(header)) return EnviPaths{path, header};
    return std::nullopt;
}

double number_in(const EnviHeader& header, const std::string& of, const std::string& text) {
    const auto value = finite_number_from(text);
    if (!value) refuse(header.name(), fmt::format("{}: '{}' is no number", of, shown(text)));
    return *value;
}

/// By `coordinate system string`, else by what `map info` calls it.
MapProjection projection_of(const EnviHeader& header, const std::vector<std::string>& info) {
    if (const auto text = header.text("coordinate system string")) {
        if (const auto known = map_projection_of_text(*text)) return *known;
        header.refuse("coordinate system string", "one of a map with an EPSG code; gdalwarp -t_srs EPSG:CODE");
    }
    const std::string name = lower(info[0]);
    const auto says = [&](const std::string& word) {
        return std::any_of(info.begin() + 7, info.end(), [&](const std::string& text) { return lower(text) == word; });
    };
    if (name == "arbitrary") return MapProjection::local();
    const bool wgs84 = says("wgs-84") || says("wgs84");
    if (name == "geographic lat/lon" && wgs84) return MapProjection::geographic();
    if (name == "utm" && wgs84 && info.size() > 8) {
        constexpr int north = 32600, south = 32700, zones = 60;
        const double zone = number_in(header, "map info", info[7]);
        if (zone == std::floor(zone) && zone >= 1 && zone <= zones)
            return {(lower(info[8]) == "south" ? south : north) + static_cast<int>(zone)};
    }
    header.refuse("map info",
                  "Geographic Lat/Lon or UTM of WGS-84, Arbitrary, or a coordinate system string beside it");
}

/// The reference pixel is counted from 1 at the outer corner of the first one.
MapGrid map_of(const EnviHeader& header, std::int64_t rows, std::int64_t columns) {
    constexpr std::size_t least = 7;
    const std::vector<std::string> info = header.list("map info");
    if (info.size() < least) header.refuse("map info", "a name, a pixel, its place, and two sizes");
    double v[least];
    for (std::size_t i = 1; i < least; ++i) v[i] = number_in(header, "map info", info[i]);
    for (const std::string& word : info)
        if (lower(word).starts_with("rotation") && !lower(word).ends_with("=0"))
            header.refuse("map info", "no rotation; gdalwarp turns it");
    if (v[5] == 0 || v[6] == 0) header.refuse("map info", "pixels that are larger than 0");
    return {.projection = projection_of(header, info),
            .rows = rows,
            .columns = columns,
            .first_x = v[3] + (1.5 - v[1]) * v[5],
            .x_step = v[5],
            .first_y = v[4] - (1.5 - v[2]) * v[6],
            .y_step = -v[6]};
}

/// Rows one behind the other.
class EnviSamples final : public SampleSource {
public:
    EnviSamples(BinaryFile file, std::uint64_t first, std::int64_t columns, bool big_endian)
        : file_(std::move(file)), first_(first), columns_(columns), big_endian_(big_endian) {}

    Pixels read(const PixelBlock& block) override {
        Pixels pixels(block);
        const std::span all(pixels.samples);
        const auto place = [&](std::int64_t row) {
            return first_ +
                   static_cast<std::uint64_t>(row * columns_ + block.first_column) * sizeof(std::complex<float>);
        };
        if (block.columns == columns_) {
            file_.read(place(block.first_row), std::as_writable_bytes(all));
        } else {
            for (std::int64_t row = 0; row < block.rows; ++row)
                file_.read(place(block.first_row + row),
                           std::as_writable_bytes(all.subspan(static_cast<std::size_t>(row * block.columns),
                                                              static_cast<std::size_t>(block.columns))));
        }
        if (big_endian_)
            for (std::complex<float>& sample : all) sample = {turned(sample.real()), turned(sample.imag())};
        return pixels;
    }

private:
    static float turned(float part) {
        return std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(part)));
    }

    BinaryFile file_;
    std::uint64_t first_;
    std::int64_t columns_;
    bool big_endian_;
};

}  // namespace

bool is_envi(const std::string& path) { return envi_paths(path).has_value(); }

StoredImage open_envi(const std::string& path) {
    const auto paths = envi_paths(path);
    if (!paths) refuse(path, "has no header of ENVI's beside it, as NAME.hdr");
    const EnviHeader header(paths->header);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(), complex64 = 6;
    const std::int64_t columns = header.count("samples", 1, most), rows = header.count("lines", 1, most),
                       offset = header.count("header offset", 0, std::int64_t{1} << 40, 0);
    header.count("bands", 1, 1, 1);
    if (header.count("data type", 0, 1000) != complex64)
        header.refuse("data type", "6, complex of two float32; gdal_translate -ot CFloat32");
    const bool big_endian = header.count("byte order", 0, 1, 0) == 1;
    BinaryFile file(paths->samples);
    const std::uint64_t wanted = static_cast<std::uint64_t>(offset) + sizeof(std::complex<float>) *
                                                                          static_cast<std::uint64_t>(rows) *
                                                                          static_cast<std::uint64_t>(columns);
    if (file.bytes() < wanted)
        refuse(paths->samples, fmt::format("has {} bytes, expected {} for {} x {} samples, as {} tells", file.bytes(),
                                           wanted, rows, columns, paths->header));
    Image image;
    image.grid.rows = rows, image.grid.columns = columns;
    std::map<std::string, std::string> facts;
    for (const auto& [name, value] : header.values()) {
        std::string fact = upper(name);
        std::replace(fact.begin(), fact.end(), ' ', '_');
        facts[fact] = value;
    }
    take_image_facts(paths->header, facts, image);
    if (!image.map && header.text("map info")) image.map = map_of(header, rows, columns);
    return {"ENVI", std::move(image),
            std::make_unique<EnviSamples>(std::move(file), static_cast<std::uint64_t>(offset), columns, big_endian)};
}

}  // namespace cornerturn
