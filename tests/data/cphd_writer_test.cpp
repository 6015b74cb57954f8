// SPDX-License-Identifier: Apache-2.0
// Simulated spotlights as CPHD: what is written is what is read, in all types, with its truth.
#include "data/cphd/writer.h"

#include <cmath>
#include <complex>
#include <fstream>

#include "data/raw_file.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/line_of_sight.h"
#include "pipeline/proof/geodesy.h"
#include "tests/data/product_fixture.h"

namespace cornerturn {
namespace {

Scene small_scene(const char* preset) {
    Scene scene = preset_scene(preset);
    scene.lines = 120;
    return scene;
}

class CphdWriterTest : public ProductTest {
protected:
    std::unique_ptr<EchoSource> written(const Scene& scene, const FrameSelection& selection = {}) {
        write_cphd(path("a.cphd"), SpotlightPulses(scene), {}, 2);
        return read(selection);
    }
    std::unique_ptr<EchoSource> read(const FrameSelection& selection = {}) {
        warnings.clear();
        return open_raw(path("a.cphd"), selection, warnings);
    }
    std::string bytes() const {
        std::ifstream in(path("a.cphd"), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::vector<std::string> warnings;

    static std::vector<std::complex<float>> line_of(EchoSource& echo, std::int64_t line) {
        std::vector<std::complex<float>> values(static_cast<std::size_t>(echo.acquisition().samples));
        echo.read(line, 1, std::as_writable_bytes(std::span(values)));
        return values;
    }
};

TEST_F(CphdWriterTest, PositionsTimesSceneAndTruthComeBack) {
    for (const char* preset : {"spotlight", "sliding"}) {
        SCOPED_TRACE(preset);
        const Scene scene = small_scene(preset);
        const SpotlightPulses pulses(scene);
        const auto echo = written(scene);
        for (const std::string& warning : warnings)
            EXPECT_NE(warning.find("VV (VV) is taken"), std::string::npos) << warning;
        EXPECT_EQ(raw_format(path("a.cphd")), "CPHD");
        const Acquisition& a = echo->acquisition();
        EXPECT_EQ(a.lines, 120);
        EXPECT_EQ(a.epoch, "2026-01-01T01:00:00");
        EXPECT_NEAR(a.first_pulse_time_s, 0, 1e-5) << "the whole second before";
        EXPECT_NEAR(a.prf_hz, scene.prf_hz, 1e-3);
        EXPECT_NEAR(a.carrier_hz, scene.carrier_hz, 1);
        EXPECT_EQ(a.identification.look_side, scene.look_side);
        EXPECT_EQ(a.polarization, scene.polarizations.front());
        ASSERT_TRUE(a.phase_history && a.scene);
        for (const std::size_t i : {0u, 60u, 119u}) {
            const SpotlightPulse& pulse = pulses.pulses()[i];
            EXPECT_LT(norm(a.phase_history->antenna_m[i] - 0.5 * (pulse.sender.position_m + pulse.receiver.position_m)),
                      1e-9);
        }
        EXPECT_LT(norm(a.scene->plane.y_axis - pulses.area().plane.y_axis), 1e-12);
        EXPECT_EQ(a.scene->greatest_y_m, pulses.area().greatest_y_m);
        EXPECT_NEAR(a.scene->height_m, scene.height_m, 1e-6);
        ASSERT_EQ(a.truth.size(), 9u);
        for (std::size_t i = 0; i < 9; ++i) {
            const PointTarget &is = a.truth[i], &was = pulses.truth()[i];
            EXPECT_LT(norm(*is.place_m - *was.place_m), 1e-7);
            EXPECT_LT(std::abs(is.amplitude - was.amplitude), 1e-12);
            EXPECT_NEAR(is.illuminated_s->first_s, was.illuminated_s->first_s - 3600, 1e-9);
            EXPECT_NEAR(is.illuminated_s->last_s, was.illuminated_s->last_s - 3600, 1e-9);
        }
    }
}

/// However little the Doppler frequency of the place changes meanwhile: taken for a strip, it would have no place on a
/// map, and rows whose zero Doppler lies far beyond its pulses.
TEST_F(CphdWriterTest, ASpotlightOfATwentiethOfASecondIsNoStrip) {
    for (const char* preset : {"spotlight", "sliding"}) {
        SCOPED_TRACE(preset);
        Scene scene = small_scene(preset);
        scene.prf_hz = 2400;
        const auto echo = written(scene);
        EXPECT_TRUE(echo->acquisition().phase_history);
        EXPECT_FALSE(echo->acquisition().doppler_centroid_hz);
    }
}

/// A line is the band of a target, about its delay; of one in the middle of a sample next to nothing is lost.
TEST_F(CphdWriterTest, LinesPeakWhereTheTargetIsInAllTypes) {
    Scene scene = small_scene("spotlight");
    const SceneArea area = SpotlightPulses(scene).area();
    const Geodetic place = to_geodetic(area.plane.at(25, -40));
    scene.targets = {{GroundPosition{place.latitude_deg, place.longitude_deg}, 0.8, 75, place.height_m}};
    for (const auto& [type, tolerance] : {std::pair{SampleFormat::complex64, 1e-4},
                                          std::pair{SampleFormat::int16, 2e-4}, std::pair{SampleFormat::int8, 0.01}}) {
        scene.sample_type = type;
        const auto echo = written(scene);
        const Acquisition& a = echo->acquisition();
        const Vec3 antenna_m = a.phase_history->antenna_m[70];
        const auto line = line_of(*echo, 70);
        std::size_t most = 0;
        for (std::size_t i = 0; i < line.size(); ++i)
            if (std::norm(line[i]) > std::norm(line[most])) most = i;
        const double range_m = norm(*a.truth.front().place_m - antenna_m),
                     at_m =
                         a.range_m(static_cast<double>(most)) + 0.5 * speed_of_light_m_s * a.phase_history->opens_s[70];
        EXPECT_LT(std::abs(at_m - range_m), 0.5 * a.range_spacing_m);
        // exp(-j 4 pi R / lambda) times the response of a band that ends sharply, next to its peak.
        const double x = std::numbers::pi * 2 * (at_m - range_m) / speed_of_light_m_s * a.chirp.bandwidth_hz();
        const double part = a.chirp.bandwidth_hz() / a.sample_rate_hz();  // of a line's band, which is not filled
        const std::complex<double> expected = part * std::polar(0.8 * (x == 0 ? 1 : std::sin(x) / x), 75 * degree) *
                                              std_phasor(-2 * range_m / a.wavelength_m());
        EXPECT_LT(std::abs(std::complex<double>(line[most]) - expected), tolerance + 1e-3)
            << bytes_per_sample(type) << " bytes: " << std::complex<double>(line[most]) / expected << " at " << x;
    }
}

TEST_F(CphdWriterTest, PolarizationsAreChannelsOfTheSamePulses) {
    Scene scene = small_scene("sliding");
    scene.noise_db = -20;
    const auto first = written(scene), second = read({.polarization = "VH"});
    EXPECT_EQ(list_raw(path("a.cphd")).frequencies.at(0).polarizations, (std::vector<std::string>{"VV", "VH"}));
    EXPECT_EQ(second->acquisition().polarization, "VH");
    EXPECT_EQ(second->acquisition().phase_history->antenna_m, first->acquisition().phase_history->antenna_m);
    EXPECT_NE(line_of(*first, 5), line_of(*second, 5));
}

TEST_F(CphdWriterTest, LostPulsesAreToldAndThreadsChangeNothing) {
    Scene scene = small_scene("spotlight");
    scene.lost_lines = 0.1;
    const auto echo = written(scene);
    EXPECT_LT(echo->acquisition().lines, 120);
    ASSERT_FALSE(warnings.empty());
    EXPECT_NE(warnings.front().find("of 120 pulses are missing"), std::string::npos) << warnings.front();
    const std::string by_two = bytes();
    write_cphd(path("a.cphd"), SpotlightPulses(scene), {}, 1);
    EXPECT_EQ(bytes(), by_two);
}

TEST_F(CphdWriterTest, TheSameWithoutAFile) {
    const Scene scene = small_scene("spotlight");
    const auto echo = written(scene);
    std::vector<std::string> told;
    const auto nameless = simulated_cphd(scene, {}, told);
    EXPECT_EQ(nameless->acquisition().truth, echo->acquisition().truth);
    EXPECT_EQ(line_of(*nameless, 33), line_of(*echo, 33));
}

TEST_F(CphdWriterTest, DamagedTruthIsRefusedByName) {
    written(small_scene("spotlight"));
    const std::string whole = bytes();
    const auto refused = [&](const std::string& from, const std::string& to, const std::vector<std::string>& words) {
        ASSERT_EQ(from.size(), to.size());
        std::string changed = whole;
        changed.replace(changed.find(from), from.size(), to);
        std::ofstream(path("a.cphd"), std::ios::binary) << changed;
        expect_refused([&] { read(); }, words);
    };
    refused("name=\"height_m\"", "name=\"heigth_m\"", {"/CPHD/GeoInfo", "SimulatedPointTarget without height_m"});
    refused("name=\"amplitude\">1", "name=\"amplitude\">x", {"/CPHD/GeoInfo/Desc", "expected a number"});
    refused("<Point><Lat>35", "<Point><Lat>95", {"/CPHD/GeoInfo/Point", "a place on the Earth"});
    refused("<Point>", "<Pint >", {"not well-formed"});
}

/// By the standard's definitions, of a simple case: an antenna north of the point, flying east, looking right.
TEST_F(CphdWriterTest, AnglesOfASimpleCase) {
    const Vec3 point_m{wgs84_equatorial_radius_m, 0, 0}, antenna_m = point_m + Vec3{500e3, 0, 500e3};
    const LineOfSight seen = line_of_sight({antenna_m, {0, 7500, 0}}, point_m);
    EXPECT_FALSE(seen.left);
    EXPECT_NEAR(seen.slant_range_m, 500e3 * std::numbers::sqrt2, 1e-6);
    EXPECT_NEAR(seen.cone_deg, 90, 1e-9);
    EXPECT_NEAR(seen.graze_deg, 45, 1e-9);
    EXPECT_NEAR(seen.azimuth_deg, 0, 1e-9);
    EXPECT_NEAR(seen.layover_deg, 0, 1e-9) << "towards the antenna";
    EXPECT_NEAR(seen.twist_deg, 0, 1e-9);
    EXPECT_NEAR(seen.slope_deg, 45, 1e-9);
    EXPECT_NEAR(seen.ground_range_m, wgs84_equatorial_radius_m * std::atan2(500e3, wgs84_equatorial_radius_m + 500e3),
                1e-3);
}

}  // namespace
}  // namespace cornerturn
