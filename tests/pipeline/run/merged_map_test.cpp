// SPDX-License-Identifier: Apache-2.0
// Bursts of two swaths on one map: who has which pixels, and what of the map is valid.
#include "pipeline/run/merged_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// Seen from it x is the range, and y the time.
class RulerTrack final : public Track {
public:
    DelayHistory delay_history(double, double) const override { return {}; }
    PulsePath pulse_path(double) const override { return {}; }
    PlaceOfRange places(double) const override { return {}; }
    ClosestPass closest_pass(const Place& place, double) const override { return {place.y_m, place.x_m}; }
    double speed_m_s(double, double) const override { return 1; }
    bool steady() const override { return true; }
};

/// Pixels of 1 m, whose edges are these.
MapGrid map_over(double least_x, double least_y, double greatest_x, double greatest_y) {
    return grid_over(MapProjection::local(), {least_x, least_y}, {greatest_x, greatest_y}, 1, 1);
}

struct Sent {
    SeenArea sees;
    std::string swath;
    float value;
};
const std::vector<Sent> bursts{
    {{0, 20, 0, 20}, "A", 1}, {{15, 35, 0, 20}, "A", 2}, {{3, 23, 15, 35}, "B", 3}, {{18, 38, 15, 35}, "B", 4}};

BurstOnMap on_map(const SeenArea& sees, const SeenArea& own) {
    const MapGrid grid = map_over(sees.near_m, sees.first_s, sees.far_m, sees.last_s);
    const auto ground = std::make_shared<const MapGround>(grid.projection, 0);
    const ImageGrid seen{.rows = 20,
                         .columns = 20,
                         .first_time_s = sees.first_s,
                         .time_spacing_s = 1,
                         .near_range_m = sees.near_m,
                         .range_spacing_m = 1};
    Image header;
    header.map = grid;
    header.grid.rows = grid.rows, header.grid.columns = grid.columns;
    header.valid_columns.assign(static_cast<std::size_t>(grid.rows), {0, static_cast<std::int32_t>(grid.columns)});
    header.acquisition.first_pulse_time_s = sees.first_s;
    header.acquisition.lines = 20, header.acquisition.prf_hz = 1;
    return {
        .header = header,
        .seen = seen,
        .places = GridPlaces({.grid = grid, .middle = grid.middle(), .ground = ground, .seen = seen, .free_track = {}},
                             RulerTrack()),
        .own = own};
}

Image merged_of(const std::vector<Sent>& sent, const MapGrid* whole = nullptr) {
    std::vector<std::string> swaths;
    std::vector<SeenArea> areas;
    for (const Sent& burst : sent) swaths.push_back(burst.swath), areas.push_back(burst.sees);
    const std::vector<SeenArea> own = parted(swaths, areas);
    std::vector<BurstOnMap> parts;
    std::vector<MapGrid> grids;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        parts.push_back(on_map(sent[i].sees, own[i]));
        grids.push_back(*parts.back().header.map);
    }
    const std::vector<BurstOnMap> coming = parts;
    ImageInMemory made;
    MergedMap merged(std::move(parts), whole ? *whole : map_of_all(grids), std::filesystem::temp_directory_path(),
                     made);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const ImageGrid& grid = coming[i].header.grid;
        merged.begin(coming[i].header);
        for (std::int64_t row = 0; row < grid.rows; row += 7)
            merged.write(row, std::vector<std::complex<float>>(
                                  static_cast<std::size_t>(std::min<std::int64_t>(7, grid.rows - row) * grid.columns),
                                  sent[i].value));
    }
    merged.finish();
    return made.image;
}

/// Of the pixel with the edges floor(x) and floor(y).
int burst_at(const Image& image, double x, double y) {
    const auto row = std::llround(image.map->row_at(y)), column = std::llround(image.map->column_at(x));
    return static_cast<int>(image.samples[static_cast<std::size_t>(row * image.grid.columns + column)].real());
}

TEST(MergedMap, PixelsAreOfTheBurstInWhoseMiddleTheyLie) {
    const Image image = merged_of(bursts);
    EXPECT_EQ(image.grid.rows, 38);
    EXPECT_EQ(image.grid.columns, 35);
    EXPECT_EQ(burst_at(image, 10.5, 10.5), 1);
    EXPECT_EQ(burst_at(image, 10.5, 16.5), 1) << "the middle of 15 and 20 is the seam";
    EXPECT_EQ(burst_at(image, 10.5, 18.5), 2);
    EXPECT_EQ(burst_at(image, 16.5, 10.5), 1);
    EXPECT_EQ(burst_at(image, 18.5, 10.5), 3) << "the middle of 15 and 20 is the seam of the swaths";
    EXPECT_EQ(burst_at(image, 30.5, 19.5), 3);
    EXPECT_EQ(burst_at(image, 30.5, 21.5), 4);
    EXPECT_EQ(image.acquisition.first_pulse_time_s, 0);
    EXPECT_EQ(image.acquisition.lines, 38);
}

TEST(MergedMap, WhereASwathEndsEarlierTheOtherOneGoesOn) {
    const Image image = merged_of(bursts);
    EXPECT_EQ(burst_at(image, 18.5, 1.5), 1) << "B begins at 3";
    EXPECT_EQ(burst_at(image, 16.5, 36.5), 4) << "A ends at 35";
    EXPECT_EQ(burst_at(image, 10.5, 36.5), 0) << "which nobody saw";
    for (std::int64_t row = 0; row < image.grid.rows; ++row)
        for (std::int32_t column = 0; column < image.grid.columns; ++column)
            EXPECT_EQ(image.valid(row, {column, column + 1}),
                      image.samples[static_cast<std::size_t>(row * image.grid.columns + column)] != 0.0f);
}

TEST(MergedMap, SwathsThatDoNotMeetMakeRowsOfTwoIntervals) {
    const Image image = merged_of({{{0, 10, 0, 10}, "A", 1}, {{0, 10, 25, 35}, "B", 2}});
    EXPECT_EQ(image.intervals_per_row, 2);
    EXPECT_EQ(image.valid_columns[1], (Interval{25, 35}));
    EXPECT_EQ(burst_at(image, 15.5, 5.5), 0);
    EXPECT_EQ(burst_at(image, 30.5, 5.5), 2);
}

TEST(MergedMap, PartsLieOnTheLatticeOfTheWhole) {
    const MapGrid map = map_over(0, 0, 20, 20), part = map_over(5, 12, 30, 40);
    const auto common = common_part(map, part);
    ASSERT_TRUE(common);
    EXPECT_EQ(common->columns, 15);
    EXPECT_EQ(common->rows, 8);
    EXPECT_DOUBLE_EQ(common->first_x, 5.5);
    EXPECT_DOUBLE_EQ(common->first_y, 19.5);
    EXPECT_FALSE(common_part(map, map_over(20, 0, 30, 10)));
    MapGrid moved = part;
    moved.first_x += 0.25;
    EXPECT_THROW(common_part(map, moved), InputError);
    EXPECT_THROW(parted({"A", "A"}, {bursts[1].sees, bursts[0].sees}), InputError) << "not in the order of time";
}

TEST(MergedMap, NeedsAFolderThatTakesItsRows) {
    ImageInMemory made;
    const BurstOnMap burst = on_map(bursts[0].sees, bursts[0].sees);
    EXPECT_THROW(MergedMap({burst}, *burst.header.map, "/no/such/folder", made), DeviceError);
}

}  // namespace
}  // namespace cornerturn
