// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/map_plan.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "kernels/errors.h"
#include "kernels/host/line_loop.h"
#include "pipeline/formers/grid_places.h"
#include "pipeline/formers/map_sampling.h"
#include "pipeline/formers/scene_grid.h"

namespace cornerturn {
namespace {

/// Between what a map's numbers are and what can be allotted at all.
void check_size(const MapGrid& grid) {
    constexpr double most_pixels = 1e10;
    if (static_cast<double>(grid.rows) * static_cast<double>(grid.columns) <= most_pixels) return;
    const PixelSize pixel = pixel_size(grid);
    throw InputError(fmt::format(
        "map {}: {} x {} pixels of {:.4g} x {:.4g} m (rows x columns), more than {:.0e}; give a larger --spacing or "
        "smaller bounds (--grid FILE)",
        grid.projection.name(), grid.rows, grid.columns, pixel.down_m, pixel.across_m, most_pixels));
}

/// What the echo covers, on a map.
class Footprint {
public:
    Footprint(const ImagePlan& plan, const Track& track) : plan_(plan), track_(track) {}

    Geographic middle() const {
        const ImageGrid& grid = plan_.grid;
        return geographic(vector_of(track_.place(grid.time_s(0.5 * static_cast<double>(grid.rows)),
                                                 grid.range_m(0.5 * static_cast<double>(grid.columns)))));
    }

    struct Box {
        MapPoint least{INFINITY, INFINITY}, greatest{-INFINITY, -INFINITY};
    };
    /// Along the first and last covered rows, and the first and last columns.
    Box box(const MapTransform& map) const {
        constexpr int places = 65;
        Box box;
        std::optional<double> near_deg;
        for (int k = 0; k < places; ++k) {
            const auto column =
                static_cast<std::int64_t>(std::llround(static_cast<double>(plan_.grid.columns - 1) * k / (places - 1)));
            const Interval rows = plan_.coverage.beam_rows[static_cast<std::size_t>(column)];
            for (int i = 0; i < places && rows.first < rows.last; ++i) {
                const double row = rows.first + static_cast<double>(rows.last - 1 - rows.first) * i / (places - 1);
                Geographic place = geographic(
                    vector_of(track_.place(plan_.grid.time_s(row), plan_.grid.range_m(static_cast<double>(column)))));
                near_deg = near_deg.value_or(place.longitude_deg);
                place.longitude_deg = longitude_near_deg(place.longitude_deg, *near_deg);
                const MapPoint point = map.of(place);
                box = {{std::min(box.least.x, point.x), std::min(box.least.y, point.y)},
                       {std::max(box.greatest.x, point.x), std::max(box.greatest.y, point.y)}};
            }
        }
        return box;
    }

private:
    const ImagePlan& plan_;
    const Track& track_;
};

}  // namespace

MapGrid counted_as(MapGrid grid, const MapGrid& other) {
    const auto middle = [](const MapGrid& of) { return of.x(0.5 * static_cast<double>(of.columns - 1)); };
    if (grid.projection.in_degrees()) grid.first_x += longitude_near_deg(middle(grid), middle(other)) - middle(grid);
    return grid;
}

MapGrid map_around(const ImagePlan& plan, const MapRequest& request) {
    if (request.grid) return *request.grid;
    const Track& track = plan.geometry->track();
    const Footprint footprint(plan, track);
    const Geographic middle = footprint.middle();
    const MapProjection projection = request.projection.value_or(MapProjection::utm_at(middle));
    const Footprint::Box box = footprint.box(MapTransform(projection));
    if (!(box.least.x <= box.greatest.x)) throw InputError("the echo covers no ground that could be put on a map");
    if (!projection.in_degrees())
        return grid_over(projection, box.least, box.greatest, request.spacing_m, request.spacing_m);
    const DegreeSize degree_m = degree_size(middle.latitude_deg);
    return grid_over(projection, box.least, box.greatest, request.spacing_m / degree_m.longitude_m,
                     request.spacing_m / degree_m.latitude_m);
}

namespace {

bool covers(const ImagePlan& plan, const GridPlace& place) {
    const auto column = std::llround(place.column);
    if (column < 0 || column >= plan.grid.columns) return false;
    const Interval rows = plan.coverage.beam_rows[static_cast<std::size_t>(column)];
    return place.row > rows.first - 0.5 && place.row < rows.last - 0.5;
}

bool is_valid(const ImagePlan& plan, const GridPlace& place) {
    const auto row = std::llround(place.row), column = std::llround(place.column);
    if (row < 0 || row >= plan.grid.rows || column < 0 || column >= plan.grid.columns) return false;
    return plan.coverage.valid.holds(row, column);
}

/// From the first to the last of so many that are held. missed(i) is 0 for those, and for others by how many it is that
/// far at least to the next that may be.
template <class Missed>
Interval span_of(std::int64_t count, const Missed& missed) {
    std::int64_t first = 0, last = count;
    for (std::int64_t step = 1; first < last && (step = missed(first)) > 0;) first += step;
    for (std::int64_t step = 1; first < last && (step = missed(last - 1)) > 0;) last -= step;
    return first < last ? Interval{static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)} : Interval{};
}

/// Of a map, what a plan on the zero-Doppler grid covers: without gaps along a row or column, as that has none.
ImageCoverage coverage_on(const MapGrid& grid, const ImagePlan& plan, const GridPlaces& places) {
    std::vector<Interval> beam_rows(static_cast<std::size_t>(grid.columns)), valid(static_cast<std::size_t>(grid.rows));
#pragma omp parallel for schedule(dynamic, 16)
    for (std::int64_t column = 0; column < grid.columns; ++column)
        beam_rows[static_cast<std::size_t>(column)] =
            span_of(grid.rows, [&](std::int64_t row) { return covers(plan, places(row, column)) ? 0 : 1; });
#pragma omp parallel for schedule(dynamic, 16)
    for (std::int64_t row = 0; row < grid.rows; ++row)
        valid[static_cast<std::size_t>(row)] =
            span_of(grid.columns, [&](std::int64_t column) { return is_valid(plan, places(row, column)) ? 0 : 1; });
    return {.beam_rows = std::move(beam_rows), .valid = {std::move(valid)}};
}

void check_covered(const ImagePlan& image) {
    for (const Interval& rows : image.coverage.beam_rows)
        if (rows.first < rows.last) return;
    const MapGrid& grid = image.map->grid;
    throw InputError(fmt::format(
        "map {}: none of x {:.9g} to {:.9g}, y {:.9g} to {:.9g} is covered by the echo; check the bounds of the grid",
        grid.projection.name(), grid.x(0), grid.x(static_cast<double>(grid.columns - 1)),
        grid.y(static_cast<double>(grid.rows - 1)), grid.y(0)));
}

/// Half the width of what pulses tell apart across the line of sight: places whose ways differ by a wavelength from a
/// pulse to the next look the same.
double unambiguous_half_m(const Acquisition& acquisition, const Orbit& track, double height_m) {
    double largest_rad = 0;
    Vec3 before{};
    for (std::int64_t line = 0; line < acquisition.lines; ++line) {
        const Vec3 antenna = interpolate(track, acquisition.pulse_time_s(static_cast<double>(line))).position_m;
        const Vec3 towards = unit({antenna[0], antenna[1], antenna[2] - height_m});
        if (line > 0) largest_rad = std::max(largest_rad, norm(towards - before));
        before = towards;
    }
    return largest_rad > 0 ? acquisition.wavelength_m() / (4 * largest_rad) : INFINITY;
}

/// The square about the origin of which every pulse records whole chirps, and which pulses tell apart.
MapGrid square_about_origin(const Acquisition& acquisition, const Orbit& track, const MapRequest& request,
                            double height_m) {
    const double near_m = acquisition.near_range_m,
                 far_m = acquisition.range_m(static_cast<double>(acquisition.samples) - acquisition.chirp_samples());
    double half_m = unambiguous_half_m(acquisition, track, height_m);
    for (std::int64_t line = 0; line < acquisition.lines; ++line) {
        const Vec3 antenna = interpolate(track, acquisition.pulse_time_s(static_cast<double>(line))).position_m;
        const double below_m = antenna[2] - height_m, ground_m = std::hypot(antenna[0], antenna[1]),
                     range_m = std::hypot(ground_m, below_m);
        if (!(range_m > near_m && range_m < far_m))
            throw InputError(fmt::format(
                "--grid local: line {} records slant ranges of {:.1f} to {:.1f} m, the origin of the track's frame "
                "is {:.1f} m away; give the bounds of the image by --grid FILE",
                line, near_m, far_m, range_m));
        const auto ground_at = [&](double slant_m) {
            return std::sqrt(std::max(0.0, slant_m * slant_m - below_m * below_m));
        };
        half_m = std::min({half_m, ground_m - ground_at(near_m), ground_at(far_m) - ground_m});
    }
    return grid_over(MapProjection::local(), {-half_m, -half_m}, {half_m, half_m}, request.spacing_m,
                     request.spacing_m);
}

std::shared_ptr<const MapGround> ground_of(const MapGrid& grid, const MapHeights& heights,
                                           std::vector<std::string>& remarks) {
    return heights.terrain ? std::make_shared<MapGround>(grid, *heights.terrain, remarks)
                           : std::make_shared<MapGround>(grid.projection, heights.height_m);
}

/// What the windows of first, middle and last pulse hold of each row of a map. A range changes from pixel to pixel by
/// no more than their distance, here with as much again for slopes and for the map's scale: no pixel is looked at that
/// lies nearer to the last one than that is off the windows.
std::vector<Interval> columns_in_windows(const Acquisition& acquisition, const MapView& map) {
    const PhaseHistory& history = *acquisition.phase_history;
    const std::array paths{history.path(0), history.path(acquisition.lines / 2), history.path(acquisition.lines - 1)};
    const double least_m = acquisition.range_m(0), most_m = acquisition.far_range_m(),
                 most_m_per_pixel = 2 * pixel_size(map.grid).across_m;
    std::vector<Interval> columns(static_cast<std::size_t>(map.grid.rows));
    const auto missed = [&](std::int64_t row, std::int64_t column) -> std::int64_t {
        const Place place = map.ground->at(map.grid.at(static_cast<double>(row), static_cast<double>(column))).place;
        double off_m = 0;
        for (const PulsePath& path : paths) {
            const double range_m = distance_m(path.start, place) - 0.5 * c_m_s * path.opens_s;
            off_m = std::max({off_m, least_m - range_m, range_m - most_m});
        }
        if (!(off_m > 0)) return 0;
        return 1 + static_cast<std::int64_t>(std::min(off_m / most_m_per_pixel, static_cast<double>(map.grid.columns)));
    };
    // A place may lie nowhere on the map, which is refused.
    for_each_line(
        map.grid.rows, omp_get_max_threads(),
        [&](std::int64_t row) {
            columns[static_cast<std::size_t>(row)] =
                span_of(map.grid.columns, [&](std::int64_t column) { return missed(row, column); });
        },
        16);
    return columns;
}

/// Of pixels that are too wide for what the echo tells of the middle of the map.
void tell_folded_spectrum(const Acquisition& acquisition, const ImagePlan& image, std::vector<std::string>& remarks) {
    if (const std::string text = folded_spectrum_text(image.map->grid, map_bandwidth(acquisition, image));
        !text.empty())
        remarks.push_back(text);
}

}  // namespace

ImagePlan on_map(const Acquisition& acquisition, const ImagePlan& plan, const MapRequest& request,
                 const MapHeights& heights, std::vector<std::string>& remarks) {
    const Track& track = plan.geometry->track();
    ImagePlan image = plan;
    const MapGrid grid = map_around(plan, request);
    image.map = MapView{.grid = grid, .middle = grid.middle(), .ground = {}, .seen = plan.grid, .free_track = {}};
    MapView& map = *image.map;
    check_size(map.grid);
    map.ground = ground_of(map.grid, heights, remarks);
    image.grid.rows = map.grid.rows;
    image.grid.columns = map.grid.columns;
    image.coverage = coverage_on(map.grid, plan, GridPlaces(map, track));
    check_covered(image);
    tell_folded_spectrum(acquisition, image, remarks);
    return image;
}

ImagePlan plan_of_all_pulses(const Acquisition& acquisition, const FormerParameters& parameters,
                             const MapRequest& request, const MapHeights& heights, double late_s,
                             std::vector<std::string>& remarks) {
    const Orbit& track = acquisition.local_track ? *acquisition.local_track : *acquisition.orbit;
    const MapGrid grid = request.grid ? *request.grid
                         : acquisition.phase_history
                             ? grid_over_scene(acquisition, request, heights.height_m)
                             : square_about_origin(acquisition, track, request, heights.height_m);
    check_size(grid);
    ImagePlan image;
    image.parameters = parameters;
    // Steady, of which nothing else is asked.
    image.geometry.shared = std::make_shared<ViewingGeometry>(straight_geometry(acquisition, parameters));
    image.map = MapView{.grid = grid,
                        .middle = grid.middle(),
                        .ground = ground_of(grid, heights, remarks),
                        .seen = {},
                        .free_track = std::make_shared<const Orbit>(track),
                        .late_s = late_s,
                        .pulses = acquisition.phase_history};
    image.grid.rows = grid.rows;
    image.grid.columns = grid.columns;
    image.reach.range_samples = filter_reach_samples;
    image.least = {
        acquisition.samples + static_cast<std::int64_t>(std::ceil(acquisition.chirp_samples())) + filter_reach_samples,
        1};
    image.swath = {acquisition.range_m(0), acquisition.far_range_m()};
    const auto rows = static_cast<std::int32_t>(grid.rows), columns = static_cast<std::int32_t>(grid.columns);
    image.coverage.beam_rows.assign(static_cast<std::size_t>(columns), {0, rows});
    image.coverage.valid.intervals = acquisition.phase_history
                                         ? columns_in_windows(acquisition, *image.map)
                                         : std::vector(static_cast<std::size_t>(rows), Interval{0, columns});
    image.aperture.lines = static_cast<double>(acquisition.lines);
    tell_folded_spectrum(acquisition, image, remarks);
    return image;
}

}  // namespace cornerturn
