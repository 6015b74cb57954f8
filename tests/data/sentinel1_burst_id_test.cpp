// SPDX-License-Identifier: Apache-2.0
// What bursts are called: by names of files, and by when the satellite came over the equator.
#include "data/sentinel1/burst_id.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "data/raw_file.h"
#include "tests/data/product_fixture.h"
#include "tests/support/sentinel1_slice.h"

namespace cornerturn {
namespace {

using sentinel1::ascending_node_s;
using sentinel1::burst_id;
using sentinel1::flight_of;

TEST(Flights, AreToldByNamesAsTheyAreDownloaded) {
    const auto of_folder =
        flight_of("/a/S1A_IW_RAW__0SDV_20200511T135117_20200511T135149_032518_03C421_9D2B.SAFE/measured.dat");
    ASSERT_TRUE(of_folder);
    EXPECT_EQ(of_folder->satellite, 'A');
    EXPECT_EQ(of_folder->absolute_orbit, 32518u);
    EXPECT_EQ(of_folder->relative_orbit(), 71u);
    EXPECT_EQ(of_folder->data_take, 0x03c421u);
    const auto of_file = flight_of("s1b-iw-raw-s-vv-20210810t044826-20210810t044859-028179-035c9b.dat");
    ASSERT_TRUE(of_file);
    EXPECT_EQ(of_file->satellite, 'B');
    EXPECT_EQ(of_file->absolute_orbit, 28179u);
    EXPECT_FALSE(flight_of("/a/iw.dat"));
    EXPECT_FALSE(flight_of("/a/S1A_IW_RAW_something.SAFE/iw.dat"));
}

/// Orbits 1681 and 8018 of Sentinel-1C are 110 and 147 in ASF's archive; behind its move in 2026 others are.
TEST(Flights, RepeatThemselvesBehind175Orbits) {
    const auto relative = [](char satellite, std::uint32_t orbit) {
        return sentinel1::Flight{satellite, orbit}.relative_orbit();
    };
    EXPECT_EQ(relative('A', 73), 1u);
    EXPECT_EQ(relative('A', 72), 175u);
    EXPECT_EQ(relative('B', 27 + 175), 1u);
    EXPECT_EQ(relative('C', 1681), 110u);
    EXPECT_EQ(relative('C', 8018), 147u);
    EXPECT_EQ(relative('C', 8019), 46u);
    EXPECT_EQ(relative('D', 42), 1u);
    EXPECT_EQ(relative('E', 42), 0u);
}

/// As ESA's annotation of a burst of Sentinel-1A tells them (2022-04-14, IW1): 2115.86 s after the node it begins.
TEST(BurstNumbers, CountByTheRelativeOrbitAndByTheAbsoluteOne) {
    constexpr double middle_s = 2115.855921 + 0.41;
    EXPECT_EQ(sentinel1::burst_number(171, middle_s, "IW1"), 365915);
    EXPECT_EQ(sentinel1::burst_number(42768, middle_s, "IW1"), 91861198);
}

struct Measured {
    double time_s;
    Vec3 position_m, velocity_m_s;
    double node_s;
};

/// Of Sentinel-1A, as parameter files of Gamma's software tell times, tracks and nodes of ESA's annotations: seconds of
/// 2019-09-18 and 2015-11-27.
TEST(AscendingNode, OfMeasuredTracksIsThatOfTheirAnnotations) {
    const Measured tracks[] = {{72554.620665,
                                {-5473596.7263, 3824397.0618, -2351357.2236},
                                {2941.69511, -80.57799, -6998.31829},
                                69274.088345},
                               {69291.212008,
                                {-5466216.2247, 2410609.7846, -3800220.7521},
                                {4313.07847, -43.45318, -6240.07284},
                                65792.793864}};
    for (const Measured& track : tracks) {
        const Orbit orbit{{track.time_s}, {track.position_m}, {track.velocity_m_s}};
        const auto node_s = ascending_node_s(orbit, track.time_s + 3);
        ASSERT_TRUE(node_s);
        EXPECT_NEAR(*node_s, track.node_s, 0.2) << "a burst is as far as 1.3 s from the edge of its cycle";
    }
    EXPECT_FALSE(ascending_node_s({{0}, {{7e6, 0, 1e5}}, {{1000, 0, 0}}}, 0)) << "which falls down";
}

TEST(BurstId, BurstsOfACycleHaveOneNumber) {
    // The 71st orbit begins 150354.95 cycles behind the first one: the middle of IW2 lies in cycle 150625.45 from 0 on.
    const double begin_s = 2.299849 + 270 * 2.758273;
    EXPECT_EQ(burst_id(71, begin_s + 0.416, "IW1"), "t071_150626_iw1");
    EXPECT_EQ(burst_id(71, begin_s + 1.371, "IW2"), "t071_150626_iw2");
    EXPECT_EQ(burst_id(71, begin_s + 2.334, "IW3"), "t071_150626_iw3");
    EXPECT_EQ(burst_id(71, begin_s + 2.758273 + 0.416, "IW1"), "t071_150627_iw1");
    EXPECT_EQ(burst_id(1, 2.299849 + 1.9, "EW3"), "t001_000001_ew3");
    EXPECT_EQ(burst_id(1, 2.299849 + 3.038376 + 0.9, "EW1"), "t001_000002_ew1");
    const double orbit_s = 12 * 86400.0 / 175;
    EXPECT_EQ(burst_id(71, orbit_s + 10.0, "IW1").substr(0, 5), "t072_") << "behind the node within a slice";
    EXPECT_EQ(burst_id(71, orbit_s + 10.0, "IW1").substr(5), burst_id(72, 10.0, "IW1").substr(5));
    EXPECT_EQ(burst_id(175, orbit_s + 10.0, "IW1").substr(0, 5), "t001_");
}

class BurstNamesTest : public ProductTest {};

TEST_F(BurstNamesTest, AreListedAndLeftOutWhereTheOrbitIsNotKnown) {
    const std::string bytes = Sentinel1Slice{.swaths = {1, 2}, .samples = 220}.file();
    const std::string folder = path("S1A_IW_RAW__0SDV_20250615T051942_20250615T051950_032518_03C421_9D2B.SAFE");
    std::filesystem::create_directory(folder);
    for (const std::string& file : {path("a.dat"), folder + "/a.dat"}) std::ofstream(file, std::ios::binary) << bytes;
    EXPECT_TRUE(list_raw(path("a.dat")).swaths.at(0).burst_ids.empty());
    const auto swaths = list_raw(folder).swaths;
    ASSERT_EQ(swaths.size(), 2u);
    // From 45 degrees behind the node on, a circle of 98.62 minutes, in the 71st orbit.
    const double node_s = -0.125 * 2 * std::acos(-1.0) * std::sqrt(std::pow(7.071e6, 3) / 3.986004418e14),
                 cycle =
                     (Sentinel1Slice{}.broadside_s({2, 0}) - node_s + 70 * 12 * 86400.0 / 175 - 2.299849) / 2.758273;
    const std::string first = fmt::format("t071_{:06}_iw", 1 + static_cast<int>(cycle)),
                      second = fmt::format("t071_{:06}_iw", 2 + static_cast<int>(cycle));
    EXPECT_EQ(swaths[0].burst_ids, (std::vector{first + "1", second + "1"}));
    EXPECT_EQ(swaths[1].burst_ids, (std::vector{first + "2", second + "2"}));
    std::vector<std::string> warnings;
    const Identification id = read_raw_header(folder, {.swath = "IW2", .burst = 1}, warnings).identification;
    EXPECT_EQ(id.burst_id, second + "2");
    EXPECT_EQ(id.absolute_orbit_number, 32518u);
    EXPECT_EQ(id.track_number, 71u);
    EXPECT_EQ(id.mission, "SENTINEL-1A");
}

}  // namespace
}  // namespace cornerturn
