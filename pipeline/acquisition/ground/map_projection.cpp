// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/ground/map_projection.h"

#include <fmt/format.h>
#include <proj.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "kernels/errors.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/number_text.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/proj_context.h"

namespace cornerturn {
namespace {

constexpr int utm_north = 32600, utm_south = 32700, utm_zones = 60;  // EPSG: 32601 to 32660, 32701 to 32760

struct UtmZone {
    int zone;
    bool south;
};
std::optional<UtmZone> utm_zone(int epsg) {
    for (const int half : {utm_north, utm_south})
        if (epsg > half && epsg <= half + utm_zones) return UtmZone{epsg - half, half == utm_south};
    return std::nullopt;
}

[[noreturn]] void refuse_name(const std::string& name) {
    throw InputError(fmt::format(
        "map '{}': unknown; expected utm, utm:ZONE (utm:33n, utm:19s), geographic, local, plane, or epsg:CODE "
        "of a map in metres (epsg:3413)",
        name));
}

MapProjection utm_named(const std::string& name) {
    const std::string_view zone(name.data() + 4, name.size() - 4);
    const char half = zone.empty() ? ' ' : zone.back();
    const auto number = zone.empty() ? std::nullopt : number_from<int>(zone.substr(0, zone.size() - 1));
    if (!number || *number < 1 || *number > utm_zones || (half != 'n' && half != 's')) refuse_name(name);
    return {(half == 'n' ? utm_north : utm_south) + *number};
}

}  // namespace

MapProjection MapProjection::utm_at(const Geographic& place) {
    const double turned_deg = place.longitude_deg + 180 - 360 * std::floor((place.longitude_deg + 180) / 360);
    const int zone = std::clamp(static_cast<int>(turned_deg / 6) + 1, 1, utm_zones);
    return {(place.latitude_deg < 0 ? utm_south : utm_north) + zone};
}

std::string MapProjection::name() const {
    return is_local() ? "local" : is_plane() ? "plane" : fmt::format("EPSG:{}", epsg);
}

std::optional<MapProjection> map_projection_named(const std::string& given) {
    const std::string name = lower(given);
    if (name == "utm") return std::nullopt;
    if (name == "geographic") return MapProjection::geographic();
    if (name == "local") return MapProjection::local();
    if (name == "plane") return MapProjection::plane_of_scene();
    if (name.starts_with("utm:")) return utm_named(name);
    if (!name.starts_with("epsg:")) refuse_name(given);
    const auto code = number_from<int>(std::string_view(name).substr(5));
    if (!code || *code < 1) refuse_name(given);
    return MapProjection{*code};
}

std::optional<MapProjection> map_projection_of_text(const std::string& well_known_text) {
    if (!well_known_text.starts_with("PROJ") && !well_known_text.starts_with("GEOG")) return std::nullopt;
    constexpr int sure = 90;  // percent
    PJ_CONTEXT* const context = new_proj_context();
    PJ* const map = proj_create(context, well_known_text.c_str());
    int* sureness = nullptr;
    PJ_OBJ_LIST* const known = map == nullptr ? nullptr : proj_identify(context, map, "EPSG", nullptr, &sureness);
    std::optional<int> code;
    if (known != nullptr && proj_list_get_count(known) > 0 && sureness[0] >= sure) {
        PJ* const best = proj_list_get(context, known, 0);
        code = number_from<int>(proj_get_id_code(best, 0));
        proj_destroy(best);
    }
    proj_int_list_destroy(sureness);
    proj_list_destroy(known);
    proj_destroy(map);
    proj_context_destroy(context);
    return code ? std::optional(MapProjection{*code}) : std::nullopt;
}

bool is_map_name(const std::string& given) {
    const std::string name = lower(given);
    return name == "utm" || name == "geographic" || name == "local" || name == "plane" || name.starts_with("utm:") ||
           name.starts_with("epsg:");
}

/// UTM goes by its formula alone, which needs none of PROJ's database; other maps are looked up there.
struct MapTransform::Proj {
    MapProjection projection;

    explicit Proj(const MapProjection& of) : projection(of) {
        if (of.is_plane() && !of.plane) throw std::logic_error("the plane of a scene that nobody told");
        if (!has_formula()) return;
        Tool& tool = tools_[of_thread()];
        tool.context.reset(new_proj_context());
        if (!utm_zone(of.epsg)) check_is_in_metres(tool.context.get());
        make(tool);
        unit_ = proj_degree_input(tool.transform.get(), PJ_FWD) != 0 ? 1 : degree;
    }
    Proj(const Proj&) = delete;
    Proj& operator=(const Proj&) = delete;

    bool has_formula() const { return !projection.is_local() && !projection.is_plane() && !projection.in_degrees(); }
    MapPoint on_map(const Geographic& place) {
        const PJ_COORD to = turned(PJ_FWD, unit_ * place.longitude_deg, unit_ * place.latitude_deg);
        return {to.xy.x, to.xy.y};
    }
    Geographic on_earth(const MapPoint& point) {
        const PJ_COORD to = turned(PJ_INV, point.x, point.y);
        return {to.lp.lam / unit_, to.lp.phi / unit_, 0};
    }

private:
    /// PROJ's objects serve one thread at a time.
    struct Tool {
        struct Destroy {
            void operator()(PJ_CONTEXT* context) const { proj_context_destroy(context); }
            void operator()(PJ* object) const { proj_destroy(object); }
        };
        std::mutex in_use;
        std::unique_ptr<PJ_CONTEXT, Destroy> context;
        std::unique_ptr<PJ, Destroy> transform;  ///< between degrees or radians, and metres
    };

    std::size_t of_thread() const { return std::hash<std::thread::id>{}(std::this_thread::get_id()) % tools_.size(); }
    /// By the tool of this thread, or another that is free: threads that wait for one another take longer than PROJ.
    PJ_COORD turned(PJ_DIRECTION direction, double x, double y) {
        const std::size_t mine = of_thread();
        for (std::size_t k = 0; k < tools_.size(); ++k) {
            Tool& tool = tools_[(mine + k) % tools_.size()];
            if (const std::unique_lock lock(tool.in_use, std::try_to_lock); lock)
                return turned_by(tool, direction, x, y);
        }
        const std::lock_guard lock(tools_[mine].in_use);
        return turned_by(tools_[mine], direction, x, y);
    }
    PJ_COORD turned_by(Tool& tool, PJ_DIRECTION direction, double x, double y) const {
        if (tool.transform == nullptr) make(tool);
        return proj_trans(tool.transform.get(), direction, proj_coord(x, y, 0, 0));
    }

    void make(Tool& tool) const {
        if (tool.context == nullptr) tool.context.reset(new_proj_context());
        if (const auto utm = utm_zone(projection.epsg)) {
            const std::string formula =
                fmt::format("+proj=utm +zone={} +datum=WGS84{}", utm->zone, utm->south ? " +south" : "");
            tool.transform.reset(proj_create(tool.context.get(), formula.c_str()));
        } else {
            tool.transform.reset(from_database(tool.context.get()));
        }
        if (tool.transform == nullptr) refuse("PROJ knows no such map");
    }
    void check_is_in_metres(PJ_CONTEXT* context) const {
        if (proj_context_get_database_path(context) == nullptr)
            throw InputError(
                fmt::format("map {}: PROJ finds no proj.db, its list of maps; install it (package proj-data), name its "
                            "folder by PROJ_DATA, or give utm or geographic",
                            projection.name()));
        PJ* map = proj_create(context, projection.name().c_str());
        PJ* axes = map == nullptr ? nullptr : proj_crs_get_coordinate_system(context, map);
        double metres = 0;
        const bool known =
            axes != nullptr && proj_get_type(map) == PJ_TYPE_PROJECTED_CRS &&
            proj_cs_get_axis_info(context, axes, 0, nullptr, nullptr, nullptr, &metres, nullptr, nullptr, nullptr) != 0;
        proj_destroy(axes);
        proj_destroy(map);
        if (!known || metres != 1) refuse("is no map in metres that PROJ knows");
    }
    PJ* from_database(PJ_CONTEXT* context) const {
        PJ* between = proj_create_crs_to_crs(context, "EPSG:4326", projection.name().c_str(), nullptr);
        if (between == nullptr) return nullptr;
        PJ* in_order = proj_normalize_for_visualization(context, between);  // degrees, east before north
        proj_destroy(between);
        return in_order;
    }
    [[noreturn]] void refuse(const char* why) const {
        throw InputError(
            fmt::format("map {}: {}; give utm, geographic or a map in metres (epsg:3413)", projection.name(), why));
    }

    double unit_ = 1;  ///< angles of a degree
    std::array<Tool, 64> tools_;
};

MapTransform::MapTransform(const MapProjection& projection) : proj_(std::make_unique<Proj>(projection)) {}
MapTransform::~MapTransform() = default;
MapTransform::MapTransform(MapTransform&&) noexcept = default;

MapPoint MapTransform::of(const Geographic& place) const {
    if (proj_->projection.is_local()) throw std::logic_error("a local plane has no longitude and latitude");
    if (const auto& plane = proj_->projection.plane) {
        const Vec3 from_origin_m = point_of(place) - plane->origin_m;
        return {dot(from_origin_m, plane->x_axis), dot(from_origin_m, plane->y_axis)};
    }
    if (!proj_->has_formula()) return {place.longitude_deg, place.latitude_deg};
    const MapPoint to = proj_->on_map(place);
    if (!std::isfinite(to.x) || !std::isfinite(to.y))
        throw InputError(
            fmt::format("map {}: does not hold longitude {:.4f}, latitude {:.4f} degrees; choose another --grid",
                        proj_->projection.name(), place.longitude_deg, place.latitude_deg));
    return to;
}

Geographic MapTransform::at(const MapPoint& point) const {
    if (proj_->projection.is_local()) throw std::logic_error("a local plane has no longitude and latitude");
    if (const auto& plane = proj_->projection.plane) return geographic(plane->at(point.x, point.y));
    if (!proj_->has_formula()) return {point.x, point.y, 0};
    const Geographic to = proj_->on_earth(point);
    if (!std::isfinite(to.longitude_deg) || !std::isfinite(to.latitude_deg))
        throw InputError(
            fmt::format("map {}: x {:.1f}, y {:.1f} m lies nowhere on the Earth; check the bounds of the grid",
                        proj_->projection.name(), point.x, point.y));
    return to;
}

std::string MapTransform::well_known_text() const {
    if (proj_->projection.is_local() || proj_->projection.is_plane()) return {};
    PJ_CONTEXT* context = new_proj_context();
    PJ* map = proj_create(context, proj_->projection.name().c_str());
    const char* text = map == nullptr ? nullptr : proj_as_wkt(context, map, PJ_WKT1_GDAL, nullptr);
    const std::string found = text == nullptr ? "" : text;
    proj_destroy(map);
    proj_context_destroy(context);
    return found;
}

std::vector<Geographic> outline(const MapGrid& grid, double height_m, int points_per_edge) {
    std::vector<Geographic> ring;
    if (grid.projection.is_local()) return ring;
    const MapTransform transform(grid.projection);
    const double last_row = static_cast<double>(grid.rows - 1), last_column = static_cast<double>(grid.columns - 1);
    const std::pair<double, double> corners[] = {
        {last_row, 0}, {last_row, last_column}, {0, last_column}, {0, 0}, {last_row, 0}};
    for (std::size_t edge = 0; edge < 4; ++edge)
        for (int k = 0; k + (edge < 3 ? 1 : 0) < points_per_edge; ++k) {
            const double part = static_cast<double>(k) / (points_per_edge - 1);
            ring.push_back(transform.at({grid.x(std::lerp(corners[edge].second, corners[edge + 1].second, part)),
                                         grid.y(std::lerp(corners[edge].first, corners[edge + 1].first, part))}));
            ring.back().height_m += height_m;
        }
    return ring;
}

PixelSize pixel_size(const MapGrid& grid) {
    const double across = std::abs(grid.x_step), down = std::abs(grid.y_step);
    if (!grid.projection.in_degrees()) return {across, down};
    const double latitude_deg = grid.y(0.5 * static_cast<double>(grid.rows - 1));
    const DegreeSize degree_m = degree_size(latitude_deg);
    return {across * degree_m.longitude_m, down * degree_m.latitude_m};
}

MapGrid grid_over(const MapProjection& projection, const MapPoint& least, const MapPoint& greatest, double x_step,
                  double y_step) {
    constexpr double rounding = 1e-6;  // of a pixel
    const double west = std::floor(least.x / x_step + rounding), east = std::ceil(greatest.x / x_step - rounding);
    const double south = std::floor(least.y / y_step + rounding), north = std::ceil(greatest.y / y_step - rounding);
    return {.projection = projection,
            .rows = std::max<std::int64_t>(1, static_cast<std::int64_t>(north - south)),
            .columns = std::max<std::int64_t>(1, static_cast<std::int64_t>(east - west)),
            .first_x = (west + 0.5) * x_step,
            .x_step = x_step,
            .first_y = (north - 0.5) * y_step,
            .y_step = -y_step};
}

}  // namespace cornerturn
