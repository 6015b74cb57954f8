// SPDX-License-Identifier: Apache-2.0
// Orbit files of ESA's.
#include "data/navigation/orbit_file.h"

#include <fmt/format.h>

#include <fstream>

#include "tests/data/product_fixture.h"

namespace cornerturn {
namespace {

class OrbitFileTest : public ProductTest {
protected:
    static std::string vector(int second, const std::string& x = "+7000000.5") {
        return fmt::format(
            "<OSV><TAI>TAI=2025-06-15T05:19:37.000000</TAI><UTC>UTC=2025-06-15T05:{:02}:{:02}.000000</UTC>"
            "<X unit=\"m\">{}</X><Y unit=\"m\">{}</Y><Z unit=\"m\">-3.25</Z><VX unit=\"m/s\">-1</VX>"
            "<VY unit=\"m/s\">+2.5</VY><VZ unit=\"m/s\">7500</VZ></OSV>",
            second / 60, second % 60, x, second);
    }
    std::string write(const std::string& vectors, const std::string& frame = "EARTH_FIXED") const {
        std::ofstream(path("a.EOF"))
            << "<?xml version=\"1.0\"?><Earth_Explorer_File><Earth_Explorer_Header><Variable_Header><Ref_Frame>"
            << frame << "</Ref_Frame></Variable_Header></Earth_Explorer_Header><Data_Block type=\"xml\"><List_of_OSVs>"
            << vectors << "</List_of_OSVs></Data_Block></Earth_Explorer_File>";
        return path("a.EOF");
    }
    static std::string day() {
        std::string all;
        for (int second = 0; second < 600; second += 10) all += vector(second);
        return all;
    }
};

TEST_F(OrbitFileTest, TakesTheVectorsAroundThePulses) {
    const std::string file = write(day());
    const Orbit orbit = read_orbit_file(file, "2025-06-15T05:00:00", 300, 305);
    ASSERT_EQ(orbit.time_s.size(), 13u);
    for (std::size_t i = 0; i < orbit.time_s.size(); ++i)
        EXPECT_NEAR(orbit.time_s[i], orbit.position_m[i][1], 1e-9) << "which are their seconds";
    EXPECT_EQ(orbit.position_m[3][0], 7000000.5);
    EXPECT_EQ(orbit.velocity_m_s[3], (Vec3{-1, 2.5, 7500}));
    const Orbit later = read_orbit_file(file, "2025-06-15T04:59:42", 318, 323);
    EXPECT_NEAR(later.time_s[0] - orbit.time_s[0], 18, 1e-9);
}

TEST_F(OrbitFileTest, RefusesWhatDoesNotServe) {
    const std::string epoch = "2025-06-15T05:00:00";
    const auto refused = [&](const std::string& file, double first_s, const std::vector<std::string>& words) {
        expect_refused([&] { read_orbit_file(file, epoch, first_s, first_s + 5); }, words);
    };
    refused(write(day()), 5000, {"a.EOF", "0 state vectors", "orbit file of their day"});
    refused(write(day(), "J2000"), 300, {"J2000", "EARTH_FIXED"});
    refused(write(vector(290) + vector(295) + vector(300) + vector(310)), 292, {"equal steps"});
    refused(write(vector(290) + vector(280)), 292, {"do not ascend"});
    refused(write(vector(290, "far")), 292, {"X is", "far", "a number"});
    std::ofstream(path("b.EOF")) << "no XML";
    refused(path("b.EOF"), 300, {"b.EOF", "no orbit file"});
    std::ofstream(path("c.EOF")) << "<a/>";
    refused(path("c.EOF"), 300, {"List_of_OSVs"});
}

}  // namespace
}  // namespace cornerturn
