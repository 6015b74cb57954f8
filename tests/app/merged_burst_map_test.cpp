// SPDX-License-Identifier: Apache-2.0
// Bursts of two sub-swaths on one map: where targets lie, and that no seam shows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

#include "data/nisar/gslc_reader.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/proof/geodesy.h"
#include "tests/app/burst_program.h"
#include "tests/app/image_program.h"
#include "tests/support/sentinel1_slice.h"

namespace cornerturn {
namespace {

/// Two sub-swaths of two bursts on a map whose pixels targets lie on.
class MergedBurstMapTest : public BurstProgramTest {
protected:
    /// A burst that sees all of the beam pass over it, and the middle row of that.
    struct Seen {
        std::vector<Sentinel1Slice::Which> bursts;
        double time_s, range_m;
    };

    static constexpr double pixel_m = 8, peak = 215;

    MergedBurstMapTest() {
        const double overlap_s = middle_of_overlap_s(1), swaths_m = 0.5 * (slice_.near_m(2) + slice_.far_whole_m(1));
        const double inner_m = 0.5 * (slice_.near_m(1) + slice_.near_m(2));
        seen_ = {{{{1, 0}}, overlap_s - 0.35, inner_m},
                 {{{1, 0}, {1, 1}}, overlap_s, inner_m},
                 {{{1, 1}}, overlap_s + 0.35, inner_m},
                 {{{1, 0}, {2, 0}}, overlap_s - 0.35, swaths_m},
                 {{{2, 0}}, middle_of_overlap_s(2) - 0.3, swaths_m + 700}};
        const Geodetic first = to_geodetic(Sentinel1Slice::place_m(overlap_s, inner_m));
        projection_ = MapProjection::utm_at({first.longitude_deg, first.latitude_deg, 0});
        const MapTransform map(projection_);
        MapPoint least{1e9, 1e9}, greatest{-1e9, -1e9};
        for (const Seen& seen : seen_) {
            const Geodetic place = to_geodetic(Sentinel1Slice::place_m(seen.time_s, seen.range_m));
            const MapPoint on_map = map.of({place.longitude_deg, place.latitude_deg, 0});
            const MapPoint pixel{(std::floor(on_map.x / pixel_m) + 0.5) * pixel_m,
                                 (std::floor(on_map.y / pixel_m) + 0.5) * pixel_m};
            const Geographic there = map.at(pixel);
            pixels_.push_back(pixel);
            slice_.targets.push_back({.place_m = to_ecef({there.latitude_deg, there.longitude_deg, 0})});
            least = {std::min(least.x, pixel.x), std::min(least.y, pixel.y)};
            greatest = {std::max(greatest.x, pixel.x), std::max(greatest.y, pixel.y)};
        }
        const double edge_m = 40.5 * pixel_m;
        std::ofstream(file("grid.yaml")) << fmt::format("projection: epsg:{}\nbounds: [{}, {}, {}, {}]\nspacing: {}\n",
                                                        projection_.epsg, least.x - edge_m, least.y - edge_m,
                                                        greatest.x + edge_m, greatest.y + edge_m, pixel_m);
        write("iw.dat", slice_);
    }
    /// Zero-Doppler time half way between the bursts of a sub-swath.
    double middle_of_overlap_s(int swath) const {
        return 0.5 * (slice_.broadside_s({swath, 0}) + slice_.broadside_s({swath, 1}));
    }
    Image focused(const Words& options, const std::string& name) {
        succeed(with({"focus", file("iw.dat"), "-o", file(name), "--grid", file("grid.yaml")}, options));
        ImageInMemory made;
        open_gslc(file(name)).pass_to(made);
        return std::move(made.image);
    }
    static std::complex<float> at(const Image& image, const MapPoint& place, int right = 0, int down = 0) {
        const auto row = std::llround(image.map->row_at(place.y)) + down,
                   column = std::llround(image.map->column_at(place.x)) + right;
        return image.samples[static_cast<std::size_t>(row * image.grid.columns + column)];
    }

    Sentinel1Slice slice_{.samples = 340};
    MapProjection projection_;
    std::vector<Seen> seen_;
    std::vector<MapPoint> pixels_;
};

TEST_F(MergedBurstMapTest, TargetsLieWhereTheyAreAndNoSeamShows) {
    const Image merged = focused({"--merge"}, "map.h5");
    std::map<std::pair<int, int>, Image> single;
    for (const int swath : {1, 2})
        for (const int cycle : {0, 1})
            single[{swath, cycle}] =
                focused({"--swath", fmt::format("IW{}", swath), "--burst", fmt::format("{}", cycle)},
                        fmt::format("map-{}-{}.h5", swath, cycle));
    double furthest = 0;
    std::int64_t gaps = 0, seen = 0;
    for (std::int64_t row = 0; row < merged.grid.rows; ++row) {
        std::int64_t empty = 0;  // since the last pixel that somebody saw
        bool begun = false;
        for (std::int64_t column = 0; column < merged.grid.columns; ++column) {
            const auto i = static_cast<std::size_t>(row * merged.grid.columns + column);
            if (merged.samples[i] == 0.0f) {
                ++empty;
                continue;
            }
            if (begun) gaps += empty;
            begun = true, empty = 0, ++seen;
            double nearest = INFINITY;
            for (const auto& [which, image] : single)
                nearest = std::min<double>(nearest, std::abs(image.samples[i] - merged.samples[i]));
            furthest = std::max(furthest, nearest);
        }
    }
    EXPECT_GT(seen, 100000);
    EXPECT_EQ(gaps, 0);
    EXPECT_LT(furthest, 3e-5 * peak) << "each pixel is that of a burst, but for sums in other tiles: 100 dB";
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        SCOPED_TRACE(i);
        const std::complex<float> value = at(merged, pixels_[i]);
        // By the packets' vectors alone: 0.02 rows and 3 degrees.
        EXPECT_LT(std::abs(std::arg(value)), 3 * degree);
        EXPECT_NEAR(std::abs(value), peak, 0.15 * peak) << "of IW1 and IW2 unlike parts of the beam are taken";
        for (const bool down : {false, true}) {
            const double before = std::abs(at(merged, pixels_[i], down ? 0 : -1, down ? -1 : 0)),
                         behind = std::abs(at(merged, pixels_[i], down ? 0 : 1, down ? 1 : 0)), here = std::abs(value);
            EXPECT_LT(std::abs(behind - before), 0.04 * (2 * here - before - behind)) << "0.02 pixels of a parabola";
        }
        const auto [swath, cycle] = seen_[i].bursts.front();
        const std::complex<float> first = at(single.at({swath, cycle}), pixels_[i]);
        for (const auto& which : seen_[i].bursts) {
            const std::complex<float> other = at(single.at({which.swath, which.cycle}), pixels_[i]);
            EXPECT_LT(std::abs(std::arg(other * std::conj(first))), degree) << "phases agree in overlaps";
            if (which.swath != swath) continue;
            EXPECT_NEAR(std::abs(other), std::abs(first), 0.005 * peak);
        }
    }
}

}  // namespace
}  // namespace cornerturn
