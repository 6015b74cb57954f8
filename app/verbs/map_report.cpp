// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/map_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>

#include "app/verbs/product_facts.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {
namespace {

using Json = nlohmann::ordered_json;

/// Outer edges.
struct Edges {
    double west, east, south, north;
};
Edges edges_of(const MapGrid& grid) {
    const double last_row = static_cast<double>(grid.rows) - 0.5, last_column = static_cast<double>(grid.columns) - 0.5;
    const double first_x = grid.x(-0.5), last_x = grid.x(last_column), first_y = grid.y(-0.5),
                 last_y = grid.y(last_row);
    return {std::min(first_x, last_x), std::max(first_x, last_x), std::min(first_y, last_y), std::max(first_y, last_y)};
}

double db_of(std::complex<double> value) { return 20 * std::log10(std::abs(value)); }
double degrees_of(std::complex<double> value) { return degrees(std::arg(value)); }

}  // namespace

std::string grid_text(const MapGrid& grid) {
    const PixelSize pixel = pixel_size(grid);
    const Edges edges = edges_of(grid);
    return fmt::format("{}, {} rows x {} columns of {:.6g} x {:.6g} m, x {:.10g} to {:.10g}, y {:.10g} to {:.10g}",
                       grid.projection.name(), grid.rows, grid.columns, pixel.down_m, pixel.across_m, edges.west,
                       edges.east, edges.south, edges.north);
}

Json map_json(const Image& image, std::string_view format) {
    const MapGrid& grid = *image.map;
    const Edges edges = edges_of(grid);
    const PixelSize pixel = pixel_size(grid);
    const ProcessingRecord& p = image.processing;
    const Acquisition& a = image.acquisition;
    Json json{{"product", fmt::format("single-look complex image on a map ({})", format)},
              {"rows", grid.rows},
              {"columns", grid.columns},
              {"projection", grid.projection.name()},
              {"x_spacing", grid.x_step},
              {"y_spacing", grid.y_step},
              {"x_spacing_m", pixel.across_m},
              {"y_spacing_m", pixel.down_m},
              {"west", edges.west},
              {"east", edges.east},
              {"south", edges.south},
              {"north", edges.north},
              {"mission", a.identification.mission},
              {"frequency", a.frequency},
              {"polarization", a.polarization},
              {"carrier_hz", a.carrier_hz},
              {"phase", "flattened: a point at a pixel's centre has its own"},
              {"scene_height_m", p.scene_height_m},
              {"terrain", p.terrain.empty() ? "level" : p.terrain},
              {"algorithm", p.algorithm},
              {"software", p.software},
              {"range_bandwidth_hz", p.range_bandwidth_hz},
              {"azimuth_bandwidth_hz", p.azimuth_bandwidth_hz},
              {"range_window", p.range_window.name()},
              {"azimuth_window", p.azimuth_window.name()},
              {"known_targets", a.truth.size()}};
    if (!format.starts_with("NISAR")) json.erase("phase");
    leave_out_untold(json, format);
    return json;
}

Json geo_of_map(const std::string& file, const Image& image) {
    const MapGrid& grid = *image.map;
    if (grid.projection.is_local())
        throw InputError(fmt::format(
            "{}: lies in a local plane, of which nothing tells where on the Earth it is; leave --geo out", file));
    const MapTransform transform(grid.projection);
    const double last_row = static_cast<double>(grid.rows - 1), last_column = static_cast<double>(grid.columns - 1);
    const auto place = [&](double row, double column) {
        const Geographic at = transform.at(grid.at(row, column));
        return Json{{"latitude_deg", at.latitude_deg},
                    {"longitude_deg", at.longitude_deg},
                    {"height_m", at.height_m + image.processing.scene_height_m}};
    };
    const PixelSize pixel = pixel_size(grid);
    return {{"projection", grid.projection.name()},
            {"corners",
             {{"upper_left", place(0, 0)},
              {"upper_right", place(0, last_column)},
              {"lower_left", place(last_row, 0)},
              {"lower_right", place(last_row, last_column)}}},
            {"middle", place(0.5 * last_row, 0.5 * last_column)},
            {"x_spacing_m", pixel.across_m},
            {"y_spacing_m", pixel.down_m}};
}

std::string map_point_table(const std::vector<MapPointAnalysis>& points) {
    std::string text = fmt::format("{:<5}{:>18}{:>18}{:>10}{:>10}{:>10}{:>9}{:>9}{:>9}{:>9}\n", "point", "x", "y",
                                   "x err m", "y err m", "peak dB", "IRW x m", "IRW y m", "PSLR x", "PSLR y");
    for (std::size_t i = 0; i < points.size(); ++i) {
        const MapPointAnalysis& p = points[i];
        if (!p.refused.empty()) {
            text += fmt::format("{:<5}{:>18.9g}{:>18.9g}  {}\n", i + 1, p.target.place.x, p.target.place.y, p.refused);
            continue;
        }
        const auto error = [&](double metres) {
            return p.target.exact ? fmt::format("{:10.4f}", metres) : fmt::format("{:>10}", "-");
        };
        text += fmt::format("{:<5}{:>18.11g}{:>18.11g}{}{}{:>10.2f}{:>9.3f}{:>9.3f}{:>9.2f}{:>9.2f}\n", i + 1,
                            p.found.x, p.found.y, error(p.east_m), error(p.north_m), 20 * std::log10(p.magnitude),
                            p.across.irw_m, p.down.irw_m, p.across.pslr_db, p.down.pslr_db);
    }
    for (std::size_t i = 0; i < points.size(); ++i)
        if (points[i].over_truth)
            text += fmt::format(
                "point {}: against the truth {}{:+.3f} deg at its place\n", i + 1,
                points[i].target.truth->whole ? fmt::format("{:+.3f} dB, ", db_of(*points[i].over_truth)) : "",
                degrees_of(*points[i].over_truth));
    return text;
}

nlohmann::json map_points_json(const Image& image, const std::vector<MapPointAnalysis>& points) {
    nlohmann::json targets = nlohmann::json::array();
    for (const MapPointAnalysis& p : points) {
        nlohmann::json target{{"x", p.target.place.x}, {"y", p.target.place.y}, {"exact", p.target.exact}};
        if (!p.refused.empty()) {
            target["refused"] = p.refused;
        } else {
            const auto cut = [](const CutMetrics& m) {
                return nlohmann::json{
                    {"irw_m", m.irw_m}, {"irw_px", m.irw_px}, {"pslr_db", m.pslr_db}, {"islr_db", m.islr_db}};
            };
            target["found"] = {{"x", p.found.x}, {"y", p.found.y}, {"row", p.row}, {"column", p.column}};
            if (p.target.exact) target["error_m"] = {{"x", p.east_m}, {"y", p.north_m}};
            target["magnitude"] = p.magnitude;
            if (p.over_truth) {
                if (p.target.truth->whole) target["magnitude_error_db"] = db_of(*p.over_truth);
                target["phase_error_deg"] = degrees_of(*p.over_truth);
            }
            target["pixel_phase_deg"] = p.pixel_phase_deg;
            target["along_x"] = cut(p.across);
            target["along_y"] = cut(p.down);
        }
        targets.push_back(std::move(target));
    }
    return {{"projection", image.map->projection.name()}, {"targets", targets}};
}

}  // namespace cornerturn
