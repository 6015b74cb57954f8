// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/ground/scene_height.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/height_surface.h"

namespace cornerturn {
namespace {

/// Points for each term that is kept, so that what the terms do not follow averages out.
constexpr int points_per_term = 4;
/// Between cells heights are straight.
constexpr int cells_per_point = 4;
/// Range histories are taken at few more ranges (range_history.cpp).
constexpr int fewest_range_terms = 8, most_range_terms = 20;
constexpr int fewest_time_terms = 4, most_time_terms = 40;
constexpr double ground_of_a_term_m = 7e3;

int terms_along(double ground_m, int fewest, int most) {
    return std::clamp(fewest + static_cast<int>(ground_m / ground_of_a_term_m), fewest, most);
}

/// A terrain, and where a range ends on it.
class Ground {
public:
    explicit Ground(HeightGrid grid) : heights_(std::move(grid)) {}

    /// Whether the terrain itself tells the height.
    bool known(const Geographic& place) const { return heights_.known(place.latitude_deg, place.longitude_deg); }

    /// The point that an antenna sees at a range at zero Doppler, by false position (Illinois). Where layover leaves a
    /// choice, one of them.
    struct Seen {
        double height_m = 0;
        Geographic place;
    };
    Seen seen(const StateVector& antenna, double range_m, LookSide side) const {
        constexpr double tolerance_m = 0.02;
        const LookPlane plane(antenna.position_m, antenna.velocity_m_s, side);
        const auto place_at = [&](double height_m) { return geographic(plane.at(range_m, height_m).position_m); };
        const auto above = [&](double height_m) {
            const Geographic place = place_at(height_m);
            return heights_.height_m(place.latitude_deg, place.longitude_deg) - height_m;
        };
        double far = heights_.lowest_m(), near = heights_.highest_m(), far_value = above(far), near_value = above(near);
        for (int round = 0; round < 60 && std::abs(far_value) > tolerance_m && far_value != near_value; ++round) {
            const double next = far - far_value * (far - near) / (far_value - near_value), value = above(next);
            if (value * far_value < 0)
                near = far, near_value = far_value;
            else
                near_value *= 0.5;
            far = next, far_value = value;
        }
        return {far, place_at(far)};
    }

    double lowest_m() const { return heights_.lowest_m(); }
    double highest_m() const { return heights_.highest_m(); }

private:
    HeightSurface heights_;
};

bool holds(const GeographicBox& box, const Geographic& place) {
    const double longitude_deg = longitude_near_deg(place.longitude_deg, 0.5 * (box.west_deg + box.east_deg));
    return place.latitude_deg >= box.south_deg && place.latitude_deg <= box.north_deg &&
           (box.goes_round() || (longitude_deg >= box.west_deg && longitude_deg <= box.east_deg));
}

/// A box so far as to hold a place too, whose longitude is taken near another.
void extend(GeographicBox& box, const Geographic& place, double near_longitude_deg) {
    const double longitude_deg = longitude_near_deg(place.longitude_deg, near_longitude_deg);
    box = {std::min(box.south_deg, place.latitude_deg), std::max(box.north_deg, place.latitude_deg),
           std::min(box.west_deg, longitude_deg), std::max(box.east_deg, longitude_deg)};
}

constexpr GeographicBox no_box{INFINITY, -INFINITY, INFINITY, -INFINITY};

/// Where the scene lies if its heights do.
GeographicBox box_of(const Orbit& orbit, LookSide side, const PixelSpan& span, const SceneHeight::Limits& heights,
                     double near_longitude_deg) {
    constexpr int times = 9;
    GeographicBox box = no_box;
    for (const double time_s : chebyshev_points(span.from_s, span.to_s, times))
        for (const double range_m : {span.from_m, span.to_m})
            for (const double height_m : {heights.lowest_m, heights.highest_m})
                extend(box,
                       geographic(
                           zero_doppler_ground_point(interpolate(orbit, time_s), range_m, side, height_m).position_m),
                       near_longitude_deg);
    return box;
}

/// Throws where a scene ends outside of the terrain.
void check_covered(const Orbit& orbit, LookSide side, const PixelSpan& scene, const TerrainSource& terrain,
                   const Ground& ground) {
    constexpr int places = 9;
    const GeographicBox there = terrain.extent();
    GeographicBox box = no_box;
    bool covered = true;
    for (int i = 0; i < places; ++i)
        for (const double range_m : {scene.from_m, scene.to_m}) {
            const double time_s = scene.from_s + (scene.to_s - scene.from_s) * i / (places - 1);
            const Geographic place = ground.seen(interpolate(orbit, time_s), range_m, side).place;
            extend(box, place, 0.5 * (there.west_deg + there.east_deg));
            covered = covered && holds(there, place);
        }
    if (!covered)
        throw InputError(fmt::format(
            "{}: covers {}, the scene lies at {}; give a terrain that covers it, or one --height for all of it",
            terrain.name(), text_of(there), text_of(box)));
}

HeightGrid read_about(TerrainSource& terrain, const GeographicBox& box, int cells) {
    HeightGrid grid = terrain.read(box, (box.north_deg - box.south_deg) / cells, (box.east_deg - box.west_deg) / cells);
    if (grid.rows == 0 || grid.columns == 0)
        throw InputError(fmt::format(
            "{}: covers {}, the scene lies within {}; give a terrain that covers it, or one --height for all of it",
            terrain.name(), text_of(terrain.extent()), text_of(box)));
    if (std::all_of(grid.height_m.begin(), grid.height_m.end(), [](float h) { return std::isnan(h); }))
        throw InputError(fmt::format(
            "{}: knows no height within {}, where the scene lies; give a terrain that does, or one --height for "
            "all of it",
            terrain.name(), text_of(box)));
    return grid;
}

/// In two steps, as heights tell how far away on the ground a range ends.
Ground ground_about(const Orbit& orbit, LookSide side, const PixelSpan& span, TerrainSource& terrain, int cells) {
    constexpr SceneHeight::Limits anywhere{-500, 9000};
    constexpr double means_hide_m = 500;  // heights of coarse cells are means
    const StateVector antenna = interpolate(orbit, span.from_s);
    const double near_longitude_deg =
        geographic(zero_doppler_ground_point(antenna, span.from_m, side, 0).position_m).longitude_deg;
    const Ground coarse(read_about(terrain, box_of(orbit, side, span, anywhere, near_longitude_deg), cells));
    const SceneHeight::Limits seen{std::max(anywhere.lowest_m, coarse.lowest_m() - means_hide_m),
                                   std::min(anywhere.highest_m, coarse.highest_m() + means_hide_m)};
    return Ground(read_about(terrain, box_of(orbit, side, span, seen, near_longitude_deg), cells));
}

double swath_on_ground_m(const Orbit& orbit, LookSide side, const PixelSpan& span) {
    const StateVector antenna = interpolate(orbit, 0.5 * (span.from_s + span.to_s));
    return norm(zero_doppler_ground_point(antenna, span.to_m, side, 0).position_m -
                zero_doppler_ground_point(antenna, span.from_m, side, 0).position_m);
}

PixelSpan widened(const PixelSpan& span) {
    constexpr double part = 0.05;
    const double time_s = part * (span.to_s - span.from_s), range_m = part * (span.to_m - span.from_m);
    return {span.from_s - time_s, span.to_s + time_s, span.from_m - range_m, span.to_m + range_m};
}

ChebyshevSeries with_terms(const ChebyshevSeries& series, int terms) {
    std::vector<double> coefficients = series.coefficients();
    coefficients.resize(static_cast<std::size_t>(terms));
    return {series.from(), series.to(), std::move(coefficients)};
}

/// Of what lies within the scene, the farthest from the surface in each of so many parts squared.
std::vector<SceneHeight::Relief> largest_in_parts(const std::vector<SceneHeight::Relief>& all, const PixelSpan& scene) {
    constexpr int parts = 8;
    std::array<std::optional<SceneHeight::Relief>, std::size_t{parts} * parts> largest;
    for (const SceneHeight::Relief& there : all) {
        const double along = (there.zero_doppler_time_s - scene.from_s) / (scene.to_s - scene.from_s),
                     across = (there.range_m - scene.from_m) / (scene.to_m - scene.from_m);
        if (!(along >= 0 && along <= 1 && across >= 0 && across <= 1)) continue;
        const auto part = [](double of) { return static_cast<std::size_t>(std::min(of * parts, parts - 1.0)); };
        auto& kept = largest[part(along) * parts + part(across)];
        if (!kept || std::abs(there.height_m) > std::abs(kept->height_m)) kept = there;
    }
    std::vector<SceneHeight::Relief> relief;
    for (const auto& there : largest)
        if (there) relief.push_back(*there);
    return relief;
}

}  // namespace

double SceneHeight::operator()(double zero_doppler_time_s, double range_m) const {
    if (constant_) return constant_m_;
    return surface_m_(std::clamp(range_m, span_.from_m, span_.to_m),
                      std::clamp(zero_doppler_time_s, span_.from_s, span_.to_s));
}

SceneHeight::OverRange SceneHeight::at(double zero_doppler_time_s) const {
    if (constant_) return OverRange(constant_m_);
    return OverRange(surface_m_.along_x(std::clamp(zero_doppler_time_s, span_.from_s, span_.to_s)));
}

SceneHeight::Limits SceneHeight::limits() const {
    constexpr int places = 33;
    Limits limits{INFINITY, -INFINITY};
    for (int i = 0; i < places; ++i)
        for (int k = 0; k < places; ++k) {
            const double part = static_cast<double>(i) / (places - 1), of_range = static_cast<double>(k) / (places - 1);
            const double height_m = (*this)(span_.from_s + part * (span_.to_s - span_.from_s),
                                            span_.from_m + of_range * (span_.to_m - span_.from_m));
            limits = {std::min(limits.lowest_m, height_m), std::max(limits.highest_m, height_m)};
        }
    return limits;
}

/// The first terms of a series through many Chebyshev points are the best ones in the mean square there.
SceneHeight height_over_terrain(const Orbit& orbit, LookSide side, const PixelSpan& scene, TerrainSource& terrain,
                                std::vector<std::string>& remarks) {
    const PixelSpan span = widened(scene);  // as far as range histories are taken
    const double track_m = norm(interpolate(orbit, span.to_s).position_m - interpolate(orbit, span.from_s).position_m);
    const int time_terms = terms_along(track_m, fewest_time_terms, most_time_terms),
              range_terms = terms_along(swath_on_ground_m(orbit, side, span), fewest_range_terms, most_range_terms);
    const int times = points_per_term * time_terms, ranges = points_per_term * range_terms;
    const Ground ground = ground_about(orbit, side, span, terrain, cells_per_point * std::max(times, ranges));
    check_covered(orbit, side, scene, terrain, ground);

    const std::vector<double> range_points = chebyshev_points(span.from_m, span.to_m, ranges),
                              kept_ranges = chebyshev_points(span.from_m, span.to_m, range_terms);
    std::vector<std::vector<double>> heights_m(kept_ranges.size());  // [range][time]
    std::vector<SceneHeight::Relief> seen_at;                        // above the ellipsoid, to begin with
    int unknown = 0;
    for (const double time_s : chebyshev_points(span.from_s, span.to_s, times)) {
        const StateVector antenna = interpolate(orbit, time_s);
        std::vector<double> seen_m;
        for (const double range_m : range_points) {
            const Ground::Seen seen = ground.seen(antenna, range_m, side);
            seen_m.push_back(seen.height_m);
            if (ground.known(seen.place))
                seen_at.push_back({time_s, range_m, seen.height_m});
            else
                ++unknown;
        }
        const ChebyshevSeries over_range =
            with_terms(ChebyshevSeries::through(span.from_m, span.to_m, seen_m), range_terms);
        for (std::size_t k = 0; k < kept_ranges.size(); ++k) heights_m[k].push_back(over_range(kept_ranges[k]));
    }
    check_known_heights(terrain, static_cast<double>(unknown) / (times * ranges), "scene", remarks);
    std::vector<ChebyshevSeries> over_time;
    for (const auto& of_range : heights_m)
        over_time.push_back(with_terms(ChebyshevSeries::through(span.from_s, span.to_s, of_range), time_terms));
    const ChebyshevSurface surface_m(span.from_m, span.to_m, over_time);
    for (SceneHeight::Relief& there : seen_at) there.height_m -= surface_m(there.range_m, there.zero_doppler_time_s);
    return {span, surface_m, largest_in_parts(seen_at, scene)};
}

}  // namespace cornerturn
