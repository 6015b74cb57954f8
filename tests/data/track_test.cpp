// SPDX-License-Identifier: Apache-2.0
// Navigation files: every kind of column, and what is refused in which words.
#include <cmath>

#include "data/hdf5/hdf5_writer.h"
#include "data/navigation/track_file.h"
#include "data/nisar/l0b_writer.h"
#include "tests/data/product_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class TrackFileTest : public ProductTest {
protected:
    std::string csv(const std::string& text) const {
        std::ofstream(path("nav.csv"), std::ios::binary) << text;
        return path("nav.csv");
    }
    TrackFile read(const std::string& file) {
        remarks_.clear();
        return read_track(file, remarks_);
    }
    void refused(const std::string& text, std::vector<std::string> words) {
        SCOPED_TRACE(text);
        words.push_back(path("nav.csv"));
        expect_refused([&] { read(csv(text)); }, words);
    }
    std::vector<std::string> remarks_;
};

TEST_F(TrackFileTest, ReadsEarthFixedPositionsWithVelocitiesAndAngles) {
    const TrackFile file =
        read(csv("time_s,x_m,y_m,z_m,vx_m_s,vy_m_s,vz_m_s,roll_deg,pitch_deg,yaw_deg\n"
                 "0.5,1,2,3,4,5,6,7,8,9\n1.5,-1e3,+2.25,3,4,5,6,7,8,359.5\n"));
    EXPECT_EQ(file.track.name, path("nav.csv"));
    EXPECT_EQ(file.track.frame, TrackFrame::earth_fixed);
    EXPECT_EQ(file.track.time_s, (std::vector{0.5, 1.5}));
    EXPECT_EQ(file.track.position, (std::vector<Vec3>{{1, 2, 3}, {-1000, 2.25, 3}}));
    EXPECT_EQ(file.track.velocity_m_s, (std::vector<Vec3>{{4, 5, 6}, {4, 5, 6}}));
    EXPECT_EQ(file.track.roll_pitch_yaw_deg, (std::vector<Vec3>{{7, 8, 9}, {7, 8, 359.5}}));
    EXPECT_FALSE(file.epoch);
    EXPECT_TRUE(remarks_.empty());
}

/// As spreadsheets and people write it.
TEST_F(TrackFileTest, ReadsAnyOrderCommentsBlanksAndLineEnds) {
    const TrackFile file =
        read(csv("\xef\xbb\xbf# flight 7\r\n \"Longitude_deg\" , latitude_deg,height_m,sats, utc\r\n"
                 "\r\n11.5, 47.25 ,600.125,9, 2026-02-28T23:59:58.250Z\r\n"
                 "# turned\r\n11.5,47.5,600,none,2026-03-01T00:00:01.5\r\n"));
    EXPECT_EQ(file.track.frame, TrackFrame::geographic);
    EXPECT_EQ(file.track.position, (std::vector<Vec3>{{47.25, 11.5, 600.125}, {47.5, 11.5, 600}}));
    EXPECT_EQ(file.track.time_s, (std::vector{0.25, 3.5}));
    EXPECT_EQ(file.since("2026-02-28T23:59:30").time_s, (std::vector{28.25, 31.5}));
    ASSERT_EQ(remarks_.size(), 1u);
    expect_in(remarks_[0], "left out: sats");
}

TEST_F(TrackFileTest, ReadsLocalPositionsAndQuaternions) {
    const TrackFile file =
        read(csv("time_s,east_m,north_m,up_m,east_m_s,north_m_s,up_m_s,qw,qx,qy,qz\n0,1,2,3,4,5,6,1,0,0,0"));
    EXPECT_EQ(file.track.frame, TrackFrame::local);
    EXPECT_EQ(file.track.position, (std::vector<Vec3>{{1, 2, 3}}));
    EXPECT_EQ(file.track.velocity_m_s, (std::vector<Vec3>{{4, 5, 6}}));
    EXPECT_EQ(file.track.quaternions, (std::vector<std::array<double, 4>>{{1, 0, 0, 0}}));
}

TEST_F(TrackFileTest, ReadsTheSameFromHdf5) {
    h5::Writer writer(path("nav.h5"), 0);
    writer.numbers("/time_s", std::vector{0.5, 1.5}, "seconds since 2026-03-01T00:00:00");
    writer.numbers("/x_m", std::vector{1.0, 2.0});
    writer.numbers("/y_m", std::vector{3.0f, 4.0f});
    writer.numbers("/z_m", std::vector{5.0, 6.0});
    writer.numbers("/sats", std::vector{9.0});
    writer.commit();
    const TrackFile file = read(path("nav.h5"));
    EXPECT_EQ(file.track.position, (std::vector<Vec3>{{1, 3, 5}, {2, 4, 6}}));
    EXPECT_EQ(file.since("2026-02-28T23:59:30").time_s, (std::vector{30.5, 31.5}));
    ASSERT_EQ(remarks_.size(), 1u);
    {
        Editor editor(path("nav.h5"));
        const std::vector<double> three{1, 2, 3};
        editor.replace("/y_m", H5T_IEEE_F64LE, {3}, three.data());
    }
    expect_refused([&] { read(path("nav.h5")); }, {"/y_m", "holds 3 numbers, expected 2"});
    {
        Editor editor(path("nav.h5"));
        const std::vector<double> none{1, std::nan("")};
        editor.replace("/y_m", H5T_IEEE_F64LE, {2}, none.data());
    }
    expect_refused([&] { read(path("nav.h5")); }, {"/y_m", "nan at index 1"});
}

TEST_F(TrackFileTest, TakesTheStateVectorsOfARawEcho) {
    const Echo echo = small_echo(SampleFormat::int8);
    write_l0b(path("raw.h5"), echo);
    const TrackFile file = read(path("raw.h5"));
    EXPECT_EQ(file.since(echo.acquisition.epoch).time_s, echo.acquisition.orbit->time_s);
    EXPECT_EQ(file.track.position, echo.acquisition.orbit->position_m);
    EXPECT_EQ(file.track.velocity_m_s, echo.acquisition.orbit->velocity_m_s);
    EXPECT_TRUE(file.track.quaternions.empty());
}

TEST_F(TrackFileTest, RefusesWhatIsNoTrack) {
    const std::string head = "time_s,x_m,y_m,z_m\n";
    refused("", {"is empty", "time_s,x_m,y_m,z_m"});
    refused("# nothing\n\n", {"is empty"});
    refused("1,2,3,4\n", {"line 1", "'1'", "names of columns"});
    refused(std::string("\x01\x02\n", 3), {"line 1", "'\?\?'"});
    refused("time_s;x_m;y_m;z_m\n", {"line 1", "commas"});
    refused(head + "1,2,3\n", {"line 2", "3 fields, expected 4"});
    refused(head + "1,2,3,4\n2,3,,4\n", {"line 3", "'' as y_m", "expected a number"});
    refused(head + "1,2,3,nan\n", {"line 2", "'nan' as z_m"});
    refused(head + "1,2,3,1e999\n", {"line 2", "'1e999' as z_m"});
    refused(head + "1,2,3,4 m\n", {"line 2", "'4 m' as z_m"});
    refused("time_s,x_m,y_m,z_m,x_m\n", {"x_m twice"});
    refused("x_m,y_m,z_m\n1,2,3\n", {"no times", "time_s", "utc"});
    refused("time_s,utc,x_m,y_m,z_m\n", {"times twice"});
    refused("utc,x_m,y_m,z_m\n12:00:00,1,2,3\n", {"line 2", "'12:00:00' as utc", "YYYY-MM-DD"});
    refused("time_s,x_m,y_m\n1,2,3\n", {"z_m is missing", "positions", "all of x_m, y_m, z_m"});
    refused("time_s,roll_deg,pitch_deg,yaw_deg\n1,2,3,4\n", {"no positions", "latitude_deg", "east_m"});
    refused("time_s,x_m,y_m,z_m,east_m,north_m,up_m\n1,2,3,4,5,6,7\n", {"positions twice"});
    refused("time_s,x_m,y_m,z_m,vx_m_s\n1,2,3,4,5\n", {"vy_m_s, vz_m_s is missing", "velocities"});
    refused("time_s,x_m,y_m,z_m,east_m_s,north_m_s,up_m_s\n1,2,3,4,5,6,7\n", {"velocities as east_m_s", "vx_m_s"});
    refused("time_s,x_m,y_m,z_m,qw,qx,qy\n1,2,3,4,5,6,7\n", {"qz is missing", "attitude"});
    refused("time_s,x_m,y_m,z_m,qw,qx,qy,qz,roll_deg,pitch_deg,yaw_deg\n1,2,3,4,5,6,7,8,9,10,11\n", {"attitude twice"});
    refused(head + std::string(70000, '1') + "\n", {"line 2", "characters"});
    expect_refused([&] { read(path("none.csv")); }, {"none.csv", "cannot be opened", "No such file"});
    expect_refused([&] { read(path("")); }, {"is a folder"});
}

}  // namespace
}  // namespace cornerturn
