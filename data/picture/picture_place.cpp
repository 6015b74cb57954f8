// SPDX-License-Identifier: Apache-2.0
#include "data/picture/picture_place.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <sstream>

#include "data/files/output_file.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/acquisition/ground/terrain.h"

namespace cornerturn {
namespace {

/// Edges of the picture on the map. North is up: top_y is above bottom_y.
struct Edges {
    double left_x, right_x, top_y, bottom_y;
};
Edges edges_of(const MapGrid& grid, const PictureCells& cells) {
    const auto edge = [](std::int64_t pixel) { return static_cast<double>(pixel) - 0.5; };  // of pixels' middles
    return {grid.x(edge(cells.column_edges.front())), grid.x(edge(cells.column_edges.back())),
            grid.y(edge(cells.row_edges.front())), grid.y(edge(cells.row_edges.back()))};
}

}  // namespace

std::string world_file(const MapGrid& grid, const PictureCells& cells) {
    const Edges edges = edges_of(grid, cells);
    const double x_step = (edges.right_x - edges.left_x) / static_cast<double>(cells.columns()),
                 y_step = (edges.bottom_y - edges.top_y) / static_cast<double>(cells.rows());
    return fmt::format("{:.17g}\n0\n0\n{:.17g}\n{:.17g}\n{:.17g}\n", x_step, y_step, edges.left_x + 0.5 * x_step,
                       edges.top_y + 0.5 * y_step);
}

std::string picture_kml(const std::string& picture, const MapGrid& grid, const PictureCells& cells) {
    if (grid.projection.is_local())
        throw InputError(fmt::format("{}: a local plane has no place on the Earth", picture));
    const MapTransform transform(grid.projection);
    const Edges edges = edges_of(grid, cells);
    std::string places;
    std::optional<double> near_deg;  // over the antimeridian longitudes count on: else the picture would span the Earth
    for (const MapPoint& corner : {MapPoint{edges.left_x, edges.bottom_y}, MapPoint{edges.right_x, edges.bottom_y},
                                   MapPoint{edges.right_x, edges.top_y}, MapPoint{edges.left_x, edges.top_y}}) {
        const Geographic place = transform.at(corner);
        near_deg = near_deg.value_or(place.longitude_deg);
        places += fmt::format("{}{:.9f},{:.9f}", places.empty() ? "" : " ",
                              longitude_near_deg(place.longitude_deg, *near_deg), place.latitude_deg);
    }
    pugi::xml_document document;
    pugi::xml_node kml = document.append_child("kml");
    kml.append_attribute("xmlns") = "http://www.opengis.net/kml/2.2";
    kml.append_attribute("xmlns:gx") = "http://www.google.com/kml/ext/2.2";
    pugi::xml_node overlay = kml.append_child("GroundOverlay");
    overlay.append_child("name").text().set(picture.c_str());
    overlay.append_child("Icon").append_child("href").text().set(picture.c_str());
    overlay.append_child("gx:LatLonQuad").append_child("coordinates").text().set(places.c_str());
    std::ostringstream text;
    document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
    return text.str();
}

void write_picture_place(const std::string& picture, const MapGrid& grid, const PictureCells& cells) {
    const std::filesystem::path path(picture);
    const auto write = [&](const char* ending, const std::string& text) {
        replace_file(std::filesystem::path(path).replace_extension(ending).string(), std::as_bytes(std::span(text)));
    };
    write(".kml", picture_kml(path.filename().string(), grid, cells));
    write(".pgw", world_file(grid, cells));
}

}  // namespace cornerturn
