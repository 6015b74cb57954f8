// SPDX-License-Identifier: Apache-2.0
#include "data/envi/envi_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <pugixml.hpp>
#include <stdexcept>
#include <utility>

#include "data/files/image_facts.h"
#include "data/files/output_file.h"
#include "data/files/placed_file.h"
#include "data/xml/new_element.h"
#include "kernels/errors.h"
#include "kernels/host/letter_case.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/acquisition/product_epoch.h"

namespace cornerturn {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are written as they lie in memory");

/// A value in braces may hold anything but these.
std::string plain(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char letter) { return letter == '{' || letter == '}' || letter == '\n'; }, ' ');
    return text;
}

/// The outer corner of the first pixel, and its size, which ENVI counts downwards.
std::string map_info(const MapGrid& map) {
    return fmt::format("{{{}, 1, 1, {:.17g}, {:.17g}, {:.17g}, {:.17g}{}}}",
                       map.projection.in_degrees() ? "Geographic Lat/Lon" : "Arbitrary", map.x(-0.5), map.y(-0.5),
                       map.x_step, -map.y_step, map.projection.in_degrees() ? ", WGS-84" : "");
}

/// CARRIER_HZ is "carrier hz" there; values of several words stand in braces.
std::string envi_name(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return lower(std::move(name));
}
std::string plain_fact(const std::string& value) {
    const bool one_word = value.find(' ') == std::string::npos;
    return one_word ? plain(value) : fmt::format("{{{}}}", plain(value));
}

}  // namespace

std::string envi_header(const Image& image) {
    const Acquisition& a = image.acquisition;
    std::string text = "ENVI\n";
    const auto line = [&](const char* name, const std::string& value) {
        text += fmt::format("{} = {}\n", name, value);
    };
    line("description", fmt::format("{{Single-look complex image of {} {} by {}. {}}}", plain(a.identification.mission),
                                    plain(a.polarization), plain(image.processing.algorithm),
                                    image.map ? "Rows go south, columns east, where the map has north up"
                                              : fmt::format("Row i: zero Doppler at {:.9f} + {:.15g} i s since {}; "
                                                            "column k: slant range {:.6f} + {:.12g} k m",
                                                            image.grid.first_time_s, image.grid.time_spacing_s, a.epoch,
                                                            image.grid.near_range_m, image.grid.range_spacing_m)));
    line("samples", fmt::format("{}", image.grid.columns));
    line("lines", fmt::format("{}", image.grid.rows));
    line("bands", "1");
    line("header offset", "0");
    line("file type", "ENVI Standard");
    line("data type", "6");  // complex of two float32
    line("interleave", "bsq");
    line("byte order", "0");
    line("band names", fmt::format("{{{}}}", plain(a.polarization)));
    for (const auto& [name, value] : image_facts(image)) line(envi_name(name).c_str(), plain_fact(value));
    if (!image.map) return text;
    line("map info", map_info(*image.map));
    if (image.map->projection.is_local() || image.map->projection.is_plane()) return text;
    line("coordinate system string",
         fmt::format("{{{}}}", plain(MapTransform(image.map->projection).well_known_text())));
    return text;
}

std::string isce_header(const Image& image, const std::string& samples) {
    pugi::xml_document document;
    const NewElement root(document.append_child("imageFile"));
    const auto property = [](const NewElement& to, const char* name, const std::string& value) {
        to.in("property").with("name", name).text("value", value);
    };
    for (const auto& [name, value] : {std::pair("access_mode", std::string("read")),
                                      {"byte_order", "l"},
                                      {"data_type", "CFLOAT"},
                                      {"family", "slc"},
                                      {"file_name", samples},
                                      {"image_type", "cpx"},
                                      {"length", fmt::format("{}", image.grid.rows)},
                                      {"name", "slc"},
                                      {"number_bands", "1"},
                                      {"scheme", "BIP"},
                                      {"width", fmt::format("{}", image.grid.columns)}})
        property(root, name, value);
    const auto coordinate = [&](const char* name, std::int64_t size, double first, double step) {
        const NewElement node = root.in("component").with("name", name);
        node.text("factorymodule", "isceobj.Image");
        node.text("factoryname", "createCoordinate");
        property(node, "delta", fmt::format("{}", step));
        property(node, "endingvalue", fmt::format("{}", first + step * static_cast<double>(size)));
        property(node, "family", "imagecoordinate");
        property(node, "name", "imagecoordinate_name");
        property(node, "size", fmt::format("{}", size));
        property(node, "startingvalue", fmt::format("{}", first));
    };
    const auto& map = image.map;  // outer corners, as GDAL has it
    coordinate("coordinate1", image.grid.columns, map ? map->x(-0.5) : 0, map ? map->x_step : 1);
    coordinate("coordinate2", image.grid.rows, map ? map->y(-0.5) : 0, map ? map->y_step : 1);
    return text_of(document, "    ");
}

struct EnviImage::Open {
    Open(const std::string& path, const Image& image)
        : header(envi_header(image)),
          isce(isce_header(image, std::filesystem::path(path).filename().string())),
          row_bytes(static_cast<std::uint64_t>(image.grid.columns) * sizeof(std::complex<float>)),
          file(path, static_cast<std::uint64_t>(image.grid.rows) * row_bytes) {}
    std::string header, isce;
    std::uint64_t row_bytes;
    PlacedFile file;
};

EnviImage::EnviImage(std::string path) : path_(std::move(path)) {}
EnviImage::~EnviImage() = default;

void EnviImage::begin(const Image& header) {
    if (open_) throw InputError(fmt::format("{}: an ENVI file holds one image; choose one polarization", path_));
    for (const char* ending : {".hdr", ".xml"}) check_output_path(path_ + ending);
    open_ = std::make_unique<Open>(path_, in_product_epoch(header));
}

void EnviImage::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    throw_if_interrupted();
    open_->file.write(static_cast<std::uint64_t>(first_row) * open_->row_bytes, std::as_bytes(rows));
    written_bytes_ += rows.size_bytes();
}

void EnviImage::commit() {
    if (!open_) throw std::logic_error("ENVI: no image was written");
    throw_if_interrupted();
    open_->file.commit();
    replace_file(path_ + ".xml", std::as_bytes(std::span(open_->isce)));
    replace_file(path_ + ".hdr", std::as_bytes(std::span(open_->header)));
}

}  // namespace cornerturn
