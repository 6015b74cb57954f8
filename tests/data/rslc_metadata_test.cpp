// SPDX-License-Identifier: Apache-2.0
// What focused images tell of themselves, row by row, for other software that reads NISAR RSLC.
#include <fmt/format.h>

#include <numbers>
#include <sstream>

#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/rslc_reader.h"
#include "data/nisar/rslc_writer.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/proof/geodesy.h"
#include "product_fixture.h"
#include "tests/data/rslc_image.h"
#include "tests/support/whole_files.h"

namespace cornerturn {
namespace {

using RslcMetadata = ProductTest;

TEST_F(RslcMetadata, TheAlgorithmIsNamedInWords) {
    Image image = small_image();
    for (const auto& [algorithm, words] :
         {std::pair{"omegak", "omega-K"}, {"spotlight of others", "spotlight of others"}}) {
        image.processing.algorithm = algorithm;
        write_rslc(path("a.h5"), image);
        const h5::Reader file(path("a.h5"));
        EXPECT_EQ(file.optional_text("/science/LSAR/RSLC/metadata/processingInformation/algorithms/azimuthCompression"),
                  words);
    }
}

TEST_F(RslcMetadata, HoldsEveryRowThatOtherReadersWant) {
    write_rslc(path("a.h5"), small_image());
    const h5::Reader file(path("a.h5"));
    for (const char* name : {"missionId", "productType", "lookDirection", "orbitPassDirection", "boundingPolygon",
                             "zeroDopplerStartTime", "zeroDopplerEndTime", "isUrgentObservation", "productLevel"})
        EXPECT_TRUE(file.optional_text(lsar + "/identification/" + name)) << name;
    EXPECT_EQ(file.optional_text(lsar + "/identification/zeroDopplerStartTime"), "2026-02-28T23:59:42.000000000");
    EXPECT_EQ(file.optional_text(lsar + "/identification/zeroDopplerEndTime"), "2026-02-28T23:59:42.046200000");
    for (const char* name :
         {"acquiredCenterFrequency", "processedCenterFrequency", "acquiredRangeBandwidth", "processedRangeBandwidth",
          "processedAzimuthBandwidth", "nominalAcquisitionPRF", "sceneCenterGroundRangeSpacing",
          "sceneCenterAlongTrackSpacing", "numberOfSubSwaths", "slantRangeSpacing"})
        EXPECT_GT(file.number(rslc_swath + "/" + name), 0) << name;
    const std::string parameters = rslc_group + "/metadata/processingInformation/parameters";
    const auto count = [&](const std::string& name) { return h5::shape(file.dataset(parameters + name)); };
    EXPECT_EQ(count("/frequencyA/dopplerCentroid"),
              (std::vector<hsize_t>{count("/frequencyA/zeroDopplerTime")[0], count("/frequencyA/slantRange")[0]}));
    EXPECT_EQ(count("/effectiveVelocity"),
              (std::vector<hsize_t>{count("/zeroDopplerTime")[0], count("/slantRange")[0]}));
    EXPECT_EQ(count("/rangeChirpWeighting"), std::vector<hsize_t>{256});
    EXPECT_EQ(count("/azimuthChirpWeighting"), std::vector<hsize_t>{256});
    EXPECT_EQ(file.attribute(rslc_group + "/swaths/zeroDopplerTime", "units"), "seconds since 2026-02-28T23:59:30");
    EXPECT_TRUE(file.is_group(rslc_group + "/metadata/attitude"));
    // Cumming & Wong eq. 4.38 at the Doppler centroid; negative, as the frequency falls.
    const double wavelength_m = speed_of_light_m_s / 9.65e9, v = 200, r = 7950.5,
                 sine = 0.5 * wavelength_m * 345.25 / v;
    const double rate =
        file.table(parameters + "/frequencyA/azimuthFMRate", {.rows = {}, .columns = 33, .meaning = ""}).at(0, 0);
    EXPECT_NEAR(rate / (-2 * v * v * std::pow(1 - sine * sine, 1.5) / (wavelength_m * r)), 1, 1e-12);
}

TEST_F(RslcMetadata, GroundSpacingFollowsFromTheGeometry) {
    Image image = small_image();
    image.processing.scene_height_m = 0;
    write_rslc(path("a.h5"),
               image);  // 5000 m above the equator, 7981 m away: cos(incidence) = 5000 / 7981 but for the curvature
    const h5::Reader file(path("a.h5"));
    const double sine = std::sqrt(1 - std::pow(5000.0 / 7980.5, 2));
    EXPECT_NEAR(file.number(rslc_swath + "/sceneCenterGroundRangeSpacing") / (1.5 / sine), 1, 1e-3);
    EXPECT_NEAR(file.number(rslc_swath + "/sceneCenterAlongTrackSpacing") / (0.0021 * 200.0), 1, 1e-3);
}

TEST_F(RslcMetadata, IdentificationHasTheRowsOfTheSpecification) {
    write_rslc(path("a.h5"), small_image());
    const h5::Reader file(path("a.h5"));
    const auto text = [&](const char* name) {
        return file.optional_text(fmt::format("{}/identification/{}", lsar, name));
    };
    EXPECT_EQ(file.number(lsar + "/identification/trackNumber"), 172);
    EXPECT_EQ(file.number(lsar + "/identification/frameNumber"), 8);
    EXPECT_EQ(text("instrumentName"), "XSAR");
    EXPECT_EQ(text("radarBand"), "X");
    EXPECT_EQ(text("isDithered"), "True");
    EXPECT_EQ(text("lookDirection"), "Left") << "words as NISAR has them";
    EXPECT_EQ(text("orbitPassDirection"), "Descending");
    EXPECT_EQ(text("isMixedMode"), "False");
    EXPECT_EQ(text("processingDateTime"), "2026-11-22T01:02:03");
    EXPECT_EQ(text("granuleId"),
              "TESTS_L1_OD_RSLC_000_172_D_008_8000_XXNA_A_20260228T235942_20260228T235942_X00000_N_X_X_001");
    for (const char* name : {"processingCenter", "processingType", "productVersion", "productSpecificationVersion"})
        EXPECT_FALSE(text(name).value_or("").empty()) << name;
}

TEST_F(RslcMetadata, FrequencyBHasTheRowsOfFrequencyA) {
    Image a = small_image(), b = small_image(23, 30);
    b.acquisition.frequency = "B";
    b.acquisition.polarization = "VV";
    b.processing.range_bandwidth_hz = 5e6;
    b.processing.range_window = Window::parse("hamming");
    {
        RslcFile file(path("a.h5"), 2);
        for (const Image* image : {&a, &b}) {
            file.begin(*image);
            file.write(0, image->samples);
        }
        file.commit();
    }
    const h5::Reader file(path("a.h5"));
    const std::string parameters = rslc_group + "/metadata/processingInformation/parameters";
    const auto names = [&](const std::string& group) { return file.children(group); };
    EXPECT_EQ(names(parameters + "/frequencyB"), names(parameters + "/frequencyA"));
    EXPECT_EQ(file.attribute(parameters + "/frequencyB/rangeChirpWeighting", "window_name"), "cosine");
    EXPECT_EQ(file.attribute(parameters + "/rangeChirpWeighting", "window_name"), "kaiser");  // the first one's
    expect_in(file.optional_text(lsar + "/identification/granuleId").value_or(""), "_8005_XXSV_");
    const Image back = read_rslc(path("a.h5"), {.frequency = "B", .polarization = {}});
    EXPECT_TRUE(back.samples == b.samples);
    EXPECT_EQ(back.processing.range_window, b.processing.range_window);
    EXPECT_EQ(back.processing.effective_velocity_m_s, b.processing.effective_velocity_m_s);
}

/// WKT of three coordinates each.
std::vector<Geographic> ring_of(const std::string& polygon) {
    std::vector<Geographic> ring;
    std::string numbers = polygon.substr(polygon.find("((") + 2);
    for (char& c : numbers)
        if (c == ',' || c == ')') c = ' ';
    std::istringstream stream(numbers);
    for (Geographic p; stream >> p.longitude_deg >> p.latitude_deg >> p.height_m;) ring.push_back(p);
    return ring;
}

TEST_F(RslcMetadata, ThePolygonRunsAboutTheImage) {
    for (const LookSide side : {LookSide::left, LookSide::right}) {
        Image image = small_image();
        image.acquisition.identification.look_side = side;
        write_rslc(path("a.h5"), image);
        const auto ring =
            ring_of(h5::Reader(path("a.h5")).optional_text(lsar + "/identification/boundingPolygon").value());
        ASSERT_EQ(ring.size(), 41u);  // 11 points an edge, and closed
        double area = 0;              // positive: counter-clockwise
        for (std::size_t i = 0; i + 1 < ring.size(); ++i)
            area += ring[i].longitude_deg * ring[i + 1].latitude_deg - ring[i + 1].longitude_deg * ring[i].latitude_deg;
        EXPECT_GT(area, 0);
        EXPECT_EQ(ring.front().latitude_deg, ring.back().latitude_deg);
        // First time, near range, at the scene's height, by the simulator's geometry; WKT has 1e-9 degrees, 0.1 mm.
        const StateVector state = interpolate(*image.acquisition.orbit, image.grid.first_time_s);
        const Geodetic first =
            to_geodetic(place_at(state.position_m, state.velocity_m_s, image.grid.near_range_m, 0, 321.5, side));
        EXPECT_NEAR(ring[0].latitude_deg, first.latitude_deg, 1e-7);
        EXPECT_NEAR(ring[0].longitude_deg, first.longitude_deg, 1e-7);
        EXPECT_NEAR(ring[0].height_m, 321.5, 0.01);
    }
}

TEST_F(RslcMetadata, GeolocationGridIsThatOfTheGeometry) {
    const Image image = small_image();
    write_rslc(path("a.h5"), image);
    const h5::Reader file(path("a.h5"));
    const std::string group = rslc_group + "/metadata/geolocationGrid";
    const auto height_m = file.numbers(group + "/heightAboveEllipsoid", {}),
               time_s = file.numbers(group + "/zeroDopplerTime", {}), range_m = file.numbers(group + "/slantRange", {});
    EXPECT_EQ(height_m.size(), 20u);
    EXPECT_EQ(file.number(group + "/epsg"), 4326);
    EXPECT_NEAR(time_s.front(), image.grid.first_time_s, 1e-9);
    EXPECT_NEAR(time_s.back(), image.grid.time_s(22), 1e-9);
    EXPECT_NEAR(range_m.back(), image.grid.range_m(40), 1e-6);
    const auto cube = [&](const char* name) {
        const h5::Dataset data = file.dataset(group + "/" + name);
        EXPECT_EQ(h5::shape(data), (std::vector<hsize_t>{height_m.size(), time_s.size(), range_m.size()})) << name;
        std::vector<double> values(height_m.size() * time_s.size() * range_m.size());
        EXPECT_GE(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
        return values;
    };
    const auto longitude = cube("coordinateX"), latitude = cube("coordinateY"), incidence = cube("incidenceAngle"),
               east = cube("losUnitVectorX"), north = cube("losUnitVectorY"),
               along_east = cube("alongTrackUnitVectorX"), along_north = cube("alongTrackUnitVectorY"),
               elevation = cube("elevationAngle"), speed = cube("groundTrackVelocity");
    for (std::size_t i = 0; i < longitude.size(); ++i) {
        const double height = height_m[i / (time_s.size() * range_m.size())],
                     time = time_s[i / range_m.size() % time_s.size()], range = range_m[i % range_m.size()];
        const StateVector state = interpolate(*image.acquisition.orbit, time);
        const Vec3 place = place_at(state.position_m, state.velocity_m_s, range, 0, height, LookSide::left);
        const Geodetic expected = to_geodetic(place);
        ASSERT_NEAR(latitude[i], expected.latitude_deg,
                    1e-6);  // 0.1 m: the ellipsoid raised by a height is not quite that height
        ASSERT_NEAR(longitude[i], expected.longitude_deg, 1e-6);
        // At the equator near Greenwich x points up, y east and z north; the cosine of incidence there, floats.
        const Vec3 to_antenna = unit(state.position_m - place);
        ASSERT_NEAR(std::cos(incidence[i] * std::numbers::pi / 180), to_antenna[0],
                    2e-3);                             // the Earth bends by 7 km / 6378 km
        ASSERT_NEAR(elevation[i], incidence[i], 0.1);  // likewise, in degrees
        ASSERT_NEAR(east[i], to_antenna[1], 2e-3);
        ASSERT_NEAR(north[i], to_antenna[2], 2e-3);
        ASSERT_NEAR(along_east[i], 1, 1e-5);
        ASSERT_NEAR(along_north[i], 0.125 / 200, 2e-3);
        ASSERT_NEAR(speed[i], 200 * (6378137 + height) / (6378137 + 5000), 0.1);
    }
}

TEST_F(RslcMetadata, WindowsAreOverTheSampledBand) {
    write_rslc(path("a.h5"), small_image());
    const h5::Reader file(path("a.h5"));
    const std::string parameters = rslc_group + "/metadata/processingInformation/parameters";
    const auto number = [&](const std::string& name) {
        double value = 0;
        const h5::Attribute attribute(
            H5Aopen_by_name(file.id(), (parameters + name).c_str(), "window_shape", H5P_DEFAULT, H5P_DEFAULT));
        EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), 0);
        return value;
    };
    for (const std::string& group : {std::string(), std::string("/frequencyA")}) {
        const auto range = file.numbers(parameters + group + "/rangeChirpWeighting", {}),
                   azimuth = file.numbers(parameters + group + "/azimuthChirpWeighting", {});
        ASSERT_EQ(range.size(), 256u);
        ASSERT_EQ(azimuth.size(), 256u);
        EXPECT_EQ(file.attribute(parameters + group + "/rangeChirpWeighting", "window_name"), "kaiser");
        EXPECT_EQ(number(group + "/rangeChirpWeighting"), 2.5);
        EXPECT_EQ(file.attribute(parameters + group + "/azimuthChirpWeighting", "window_name"), "taylor");
        EXPECT_EQ(number(group + "/azimuthChirpWeighting"), 30);
        // Zero frequency in bin 128; 80 of c / 3 m = 99.93 MHz, 300.5 of 1 / 0.0021 s = 476.19 Hz; floats.
        const auto expect = [](const std::vector<double>& weights, const Window& window, double band_part) {
            for (int i = 0; i < 256; ++i)
                EXPECT_NEAR(weights[static_cast<std::size_t>(i)], window((i - 128) / 256.0 / band_part), 1e-6) << i;
            EXPECT_EQ(weights[128], 1);
            EXPECT_EQ(weights[0], 0);
        };
        expect(range, Window::parse("kaiser:2.5"), 80e6 / (speed_of_light_m_s / 3));
        expect(azimuth, Window::parse("taylor:5:30"), 300.5 * 0.0021);
    }
}

/// A window may be laid over more than the beam, and without one the filter lets its ripple pass: a reader hears of
/// what is there.
TEST_F(RslcMetadata, ProcessedAzimuthBandwidthIsThatOfTheImage) {
    Image image = small_image();
    for (const auto& [beam_hz, expected_hz] : {std::pair<double, double>{200, 200}, {300.5, 300.5}, {400, 300.5}}) {
        image.acquisition.azimuth_bandwidth_hz = beam_hz;
        write_rslc(path("a.h5"), image);
        const h5::Reader file(path("a.h5"));
        EXPECT_EQ(file.number(rslc_swath + "/processedAzimuthBandwidth"), expected_hz);
        EXPECT_EQ(read_rslc_header(path("a.h5")).processing.azimuth_bandwidth_hz, 300.5);
        const auto weights =
            file.numbers(rslc_group + "/metadata/processingInformation/parameters/azimuthChirpWeighting", {});
        const auto filled = std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; });
        EXPECT_EQ(filled, 1 + 2 * static_cast<int>(128 * expected_hz * 0.0021));  // to either side of bin 128
        // Over the whole of what was processed.
        EXPECT_NEAR(weights[128 + 40], Window::parse("taylor:5:30")(40 / 256.0 / (300.5 * 0.0021)), 1e-6);
    }
    image.acquisition.azimuth_bandwidth_hz.reset();
    write_rslc(path("a.h5"), image);
    EXPECT_EQ(h5::Reader(path("a.h5")).number(rslc_swath + "/processedAzimuthBandwidth"), 300.5);
}

TEST_F(RslcMetadata, WindowsHaveTheNamesThatNisarKnows) {
    for (const auto& [ours, name] : {std::pair{"none", "kaiser"}, {"hamming", "cosine"}}) {
        Image image = small_image();
        image.processing.range_window = Window::parse(ours);
        write_rslc(path("a.h5"), image);
        EXPECT_EQ(h5::Reader(path("a.h5"))
                      .attribute(rslc_group + "/metadata/processingInformation/parameters/rangeChirpWeighting",
                                 "window_name"),
                  name);
    }
}

TEST_F(RslcMetadata, SaysWhatStandsForNothing) {
    write_rslc(path("a.h5"), small_image());
    const h5::Reader file(path("a.h5"));
    const h5::Attribute of_image(
        H5Aopen_by_name(file.id(), (rslc_swath + "/HV").c_str(), "_FillValue", H5P_DEFAULT, H5P_DEFAULT));
    std::complex<float> fill(1, 1);
    EXPECT_GE(H5Aread(of_image, h5::complex_type(H5T_IEEE_F32LE), &fill), 0);
    EXPECT_EQ(fill, 0.f);  // what lies outside the echo
    double cube_fill = 0;
    const h5::Attribute of_cube(H5Aopen_by_name(file.id(),
                                                (rslc_group + "/metadata/geolocationGrid/incidenceAngle").c_str(),
                                                "_FillValue", H5P_DEFAULT, H5P_DEFAULT));
    EXPECT_GE(H5Aread(of_cube, H5T_NATIVE_DOUBLE, &cube_fill), 0);
    EXPECT_TRUE(std::isnan(cube_fill));
}

TEST_F(RslcMetadata, WithoutOrbitNoneIsInvented) {
    Image image = small_image();
    image.acquisition.orbit.reset();
    image.acquisition.truth.clear();
    write_rslc(path("a.h5"), image);
    const h5::Reader file(path("a.h5"));
    for (const char* group : {"orbit", "attitude", "geolocationGrid"})
        EXPECT_FALSE(file.exists(rslc_group + "/metadata/" + group)) << group;
    expect_in(file.attribute(rslc_group + "/metadata", "description").value_or(""), "No orbit is known");
    // Where it lies only the raw file may know.
    EXPECT_EQ(file.optional_text(lsar + "/identification/boundingPolygon"), "POLYGON ((1 2, 3 4, 5 6, 1 2))");
    const Image back = read_rslc(path("a.h5"));
    EXPECT_FALSE(back.acquisition.orbit);
    EXPECT_FALSE(back.acquisition.attitude);
}

/// A list of texts of fixed length.
std::vector<std::string> texts_of(const std::string& name, const std::string& list) {
    const h5::File file(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const h5::Dataset data(H5Dopen2(file, list.c_str(), H5P_DEFAULT));
    const h5::Type type = h5::type_of(data);
    const std::size_t length = h5::size_of(type);
    std::string packed(length * static_cast<std::size_t>(H5Sget_simple_extent_npoints(h5::space_of(data))), 0);
    EXPECT_GE(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), 0);
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < packed.size(); at += length) texts.emplace_back(packed.substr(at, length).c_str());
    return texts;
}

TEST_F(RslcMetadata, InputsAndOptionsAreToldAsNisarHasThem) {
    const std::string processing = rslc_group + "/metadata/processingInformation";
    const auto texts = [&] {
        return std::pair{texts_of(path("a.h5"), processing + "/inputs/l0bGranules"),
                         h5::Reader(path("a.h5")).optional_text(processing + "/parameters/runConfigurationContents")};
    };
    write_rslc(path("a.h5"), small_image());
    EXPECT_EQ(texts(), std::pair(std::vector<std::string>{"NONE"}, std::optional<std::string>{}));
    const Image image = small_image();
    RslcFile file(path("a.h5"));
    file.begin(image);
    file.write(0, image.samples);
    file.set_origin({.parameters_sha256 = {},
                     .input_sha256 = {},
                     .input_names = {granule_name("in/R\u00fcgen.h5"), granule_name("S1A.SAFE/")},
                     .parameters = "--algorithm=rda\n"});
    file.commit();
    EXPECT_EQ(texts(), std::pair(std::vector<std::string>{"R\u00fcgen.h5", "S1A.SAFE"},
                                 std::optional<std::string>("--algorithm=rda")));
}

TEST_F(RslcMetadata, TextIsDeclaredAsWhatItIs) {
    Image image = small_image();
    image.acquisition.identification.mission = "R\u00fcgen";
    write_rslc(path("a.h5"), image);
    EXPECT_EQ(read_rslc_header(path("a.h5")).acquisition.identification.mission, "R\u00fcgen");
    const h5::File file(H5Fopen(path("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const auto character_set = [&](const std::string& name) {
        const h5::Dataset data(H5Dopen2(file, (lsar + "/identification/" + name).c_str(), H5P_DEFAULT));
        return H5Tget_cset(h5::type_of(data));
    };
    EXPECT_EQ(character_set("missionId"), H5T_CSET_UTF8);
    EXPECT_EQ(character_set("productType"), H5T_CSET_ASCII);
}

TEST_F(RslcMetadata, EulerAnglesAreThoseOfTheQuaternions) {
    Image image = small_image();
    // A quarter turn to the right about z, then none; 30 degrees about x.
    image.acquisition.attitude =
        Attitude{.time_s = {11, 13},
                 .quaternions = {{std::sqrt(0.5), 0, 0, std::sqrt(0.5)},
                                 {std::cos(std::numbers::pi / 12), std::sin(std::numbers::pi / 12), 0, 0}}};
    write_rslc(path("a.h5"), image);
    const h5::Table angles =
        h5::Reader(path("a.h5"))
            .table(rslc_group + "/metadata/attitude/eulerAngles", {.rows = 2, .columns = 3, .meaning = ""});
    const std::vector<double> expected{0, 0, std::numbers::pi / 2, std::numbers::pi / 6, 0, 0};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(angles.values[i], expected[i], 1e-12) << i;
}

TEST_F(RslcMetadata, CalibrationTellsWhatTheGeometryDoes) {
    const Image image = small_image();
    write_rslc(path("a.h5"), image);
    const h5::Reader file(path("a.h5"));
    const std::string geometry = rslc_group + "/metadata/calibrationInformation/geometry";
    const h5::Expected table{.rows = 6, .columns = 33, .meaning = ""};
    const auto sigma = file.table(geometry + "/sigma0", table), gamma = file.table(geometry + "/gamma0", table),
               beta = file.table(geometry + "/beta0", table);
    const auto view = ground_view(interpolate(*image.acquisition.orbit, image.grid.first_time_s),
                                  image.grid.near_range_m, image.acquisition.identification.look_side, 321.5);
    ASSERT_TRUE(view);
    const double angle = view->incidence_deg * std::numbers::pi / 180;
    EXPECT_EQ(beta.values[0], 1);
    EXPECT_NEAR(sigma.values[0], 1 / std::sqrt(std::sin(angle)), 1e-6);
    EXPECT_NEAR(gamma.values[0], 1 / std::sqrt(std::tan(angle)), 1e-6);
    expect_in(file.attribute(rslc_group + "/metadata/calibrationInformation", "description").value_or(""),
              "No file tells a calibration");
}

TEST_F(RslcMetadata, AnAttitudeIsMadeUpBesideAnOrbitAndMarked) {
    Image image = small_image();
    image.acquisition.attitude.reset();
    write_rslc(path("a.h5"), image);
    EXPECT_TRUE(h5::Reader(path("a.h5")).attribute(rslc_group + "/metadata/attitude", "description"));
    const Image back = read_rslc_header(path("a.h5"));
    EXPECT_TRUE(back.acquisition.orbit);
    EXPECT_FALSE(back.acquisition.attitude);
}

}  // namespace
}  // namespace cornerturn
