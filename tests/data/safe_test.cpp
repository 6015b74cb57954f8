// SPDX-License-Identifier: Apache-2.0
// Bursts as ESA's SLC products have them. What GDAL, xarray-sentinel and sarsen make of them: scripts/check-products.
#include <cmath>
#include <complex>
#include <numbers>
#include <pugixml.hpp>
#include <sstream>

#include "data/product/product_file.h"
#include "data/safe/safe_folder.h"
#include "data/tiff/tiff.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "tests/data/product_fixture.h"
#include "tests/support/sentinel1_slice.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

constexpr double first_s = 18000, row_s = 2.0555563e-3, column_m = 2.25, speed_m_s = 7100;
constexpr const char* safe_name = "S1A_IW_SLC__1SSV_20250615T051941_20250615T051951_059651_0768B3_0000.SAFE";

double fm_rate_hz_s(const Acquisition& acquisition, double range_m) {
    return -2 * speed_m_s * speed_m_s / (acquisition.wavelength_m() * range_m);
}
double sweep_hz_s(const Acquisition& acquisition, double range_m, double time_s) {
    const double a = fm_rate_hz_s(acquisition, range_m),
                 s = 2 * norm(interpolate(*acquisition.orbit, time_s).velocity_m_s) *
                     acquisition.burst->steering_rad_s / acquisition.wavelength_m();
    return a * s / (a - s);
}

/// Of 40 rows by 30 columns, on the lattice from these on, of which rows 5 to 36 and columns 4 to 26 are valid. The
/// beam is broadside at row 20, its centroid 33 Hz there.
Image burst_image(std::int64_t row, std::int64_t column, std::int64_t number, const std::string& swath = "IW1") {
    Image image;
    Acquisition& a = image.acquisition;
    a.identification.mission = "SENTINEL-1";
    a.polarization = "VV";
    a.epoch = "2025-06-15T00:00:00";
    a.lines = 1400;
    a.carrier_hz = 5.405e9;
    a.prf_hz = 1717;
    a.near_range_m = 845e3;
    a.range_spacing_m = column_m;
    a.chirp = {.slope_hz_s = 1e12, .duration_s = 50e-6};
    a.orbit.emplace();
    for (int i = -2; i < 4; ++i) {
        const StateVector at = Sentinel1Slice::antenna(10.0 * i);
        a.orbit->add(first_s + 10.0 * i, at);
    }
    image.grid = {.rows = 40,
                  .columns = 30,
                  .first_time_s = first_s + row_s * static_cast<double>(row),
                  .time_spacing_s = row_s,
                  .near_range_m = 846e3 + column_m * static_cast<double>(column),
                  .range_spacing_m = column_m};
    a.burst = Burst{.swath = swath,
                    .number = number,
                    .steering_rad_s = 0.0278,
                    .broadside_time_s = image.grid.time_s(20.3),
                    .row_spacing_s = row_s};
    a.first_pulse_time_s = a.burst->broadside_time_s - 0.4;
    image.processing.effective_velocity_m_s.assign(30, speed_m_s);
    image.processing.range_bandwidth_hz = 50e6;
    image.processing.azimuth_bandwidth_hz = 320;
    image.processing.software = "cornerturn 1.2.3";
    SmoothSurface surface;
    surface.x_centre = image.grid.time_s(20);
    surface.powers[0][0] = 33;
    surface.powers[1][0] = sweep_hz_s(a, 846e3, surface.x_centre);
    image.processing.doppler_surface_hz = DopplerSurface(surface);
    image.valid_columns.assign(40, Interval{});
    for (std::size_t i = 5; i < 36; ++i) image.valid_columns[i] = {4, 26};
    image.valid_columns[3] = {4, 11}, image.valid_columns[4] = {4, 18};
    return image;
}

/// Of a row and column of an image, and of a burst, in steps of 0.001.
std::complex<float> sample(std::int64_t burst, std::int64_t row, std::int64_t column) {
    return {static_cast<float>(row) * 0.5f, static_cast<float>(column + 100 * burst)};
}

void send(ImageFile& to, const Image& image) {
    to.begin(image);
    std::vector<std::complex<float>> rows;
    for (std::int64_t row = 0; row < image.grid.rows; ++row)
        for (std::int64_t column = 0; column < image.grid.columns; ++column)
            rows.push_back(sample(image.acquisition.burst ? image.acquisition.burst->number : 0, row, column));
    const std::size_t part = static_cast<std::size_t>(image.grid.columns * 7);
    to.write(0, std::span(rows).first(part));
    to.write(7, std::span(rows).subspan(part));
}

template <class Number = double>
std::vector<Number> numbers(const pugi::xml_node& node) {
    std::istringstream text(node.text().get());
    const std::vector<Number> all{std::istream_iterator<Number>(text), {}};
    EXPECT_EQ(node.attribute("count").as_ullong(), all.size()) << node.name();
    return all;
}

class SafeTest : public ProductTest {
protected:
    std::string folder() const { return path(safe_name); }
    ProductOptions options() const { return {.samples = {.full_scale = 32.767}}; }
    /// The only file in a part of the folder.
    std::string file_in(const std::string& part, const std::string& ending) const {
        std::string found;
        for (const auto& entry : std::filesystem::directory_iterator(folder() + "/" + part)) {
            if (entry.path().extension() != ending) continue;
            EXPECT_EQ(found, "") << "and " << entry.path();
            found = entry.path();
        }
        return found;
    }
    static pugi::xml_document read(const std::string& file) {
        pugi::xml_document document;
        EXPECT_TRUE(document.load_file(file.c_str())) << file;
        return document;
    }
    /// Two bursts of IW1, the second with columns that begin 3 later, by two writers, the later one first.
    void write_two() const {
        const auto all = std::make_shared<SafeFolder>(folder(), "iw.dat", std::optional(4000.0));
        for (const Image& image : {burst_image(1342, 3, 1), burst_image(0, 0, 0)}) {
            ProductOptions of_both = options();
            of_both.safe = all;
            const auto file = product_file(folder(), of_both);
            send(*file, image);
            file->commit();
            EXPECT_FALSE(std::filesystem::exists(folder()));
        }
        all->commit();
        EXPECT_EQ(all->remarks(), std::vector<std::string>{});
    }
    void expect_no_place_for(const Image& image, const TextParts& words) const {
        const auto file = product_file(folder(), options());
        expect_refused([&] { file->begin(image); }, words);
        EXPECT_EQ(left(), std::vector<std::string>{});
    }
};

TEST_F(SafeTest, BurstsLieOneAboveTheOther) {
    write_two();
    EXPECT_EQ(left(), std::vector<std::string>{safe_name});
    const pugi::xml_document annotation = read(file_in("annotation", ".xml"));
    const pugi::xml_node product = annotation.child("product"), timing = product.child("swathTiming");
    // Rows 5 to 36 about row 20, of which the last lies farthest, and an empty one. Columns 4 to 26 and 7 to 29.
    EXPECT_EQ(timing.child("linesPerBurst").text().as_int(), 34);
    EXPECT_EQ(timing.child("samplesPerBurst").text().as_int(), 25);
    const pugi::xml_node list = timing.child("burstList");
    EXPECT_EQ(list.attribute("count").as_int(), 2);
    const TiffHandle tiff = open_tiff(file_in("measurement", ".tiff"), "r");
    ASSERT_TRUE(tiff);
    std::uint32_t columns = 0, rows = 0;
    std::uint16_t bits = 0, format = 0;
    TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &columns);
    TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &rows);
    TIFFGetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetField(tiff.get(), TIFFTAG_SAMPLEFORMAT, &format);
    EXPECT_EQ((std::array{columns, rows, std::uint32_t{bits}, std::uint32_t{format}}), (std::array{25u, 68u, 32u, 5u}));
    std::ifstream bytes(file_in("measurement", ".tiff"), std::ios::binary);
    std::int64_t burst = 0;
    for (const pugi::xml_node& one : list.children("burst")) {
        const auto first = numbers<int>(one.child("firstValidSample")),
                   last = numbers<int>(one.child("lastValidSample"));
        ASSERT_EQ(first.size(), 34u);
        bytes.seekg(one.child("byteOffset").text().as_llong());
        for (int line = 0; line < 34; ++line) {
            const bool any = line >= 2 && line < 33;
            EXPECT_EQ(first[static_cast<std::size_t>(line)], any ? 3 * burst : -1) << line;
            EXPECT_EQ(last[static_cast<std::size_t>(line)], any ? 21 + 3 * burst : -1) << line;
            for (int k = 0; k < 25; ++k) {
                std::int16_t parts[2];
                bytes.read(reinterpret_cast<char*>(parts), sizeof(parts));
                const bool valid = any && k >= 3 * burst && k <= 21 + 3 * burst;
                const std::complex<float> expected =
                    valid ? sample(burst, line + 3, k + 4 - 3 * burst) : std::complex<float>();
                constexpr double step = 4000.0 / 32767;
                EXPECT_EQ(parts[0], std::lround(expected.real() / step)) << line << " " << k;
                EXPECT_EQ(parts[1], std::lround(expected.imag() / step)) << line << " " << k;
            }
        }
        ++burst;
    }
    EXPECT_NEAR(product.select_node("//processorScalingFactor").node().text().as_double(), 32767 / 4000.0, 1e-12);
}

TEST_F(SafeTest, TimesAndRangesAreThoseOfLinesAndSamples) {
    write_two();
    const pugi::xml_document annotation = read(file_in("annotation", ".xml"));
    const auto text = [&](const char* name) {
        return std::string(annotation.select_node((std::string("//") + name).c_str()).node().text().get());
    };
    // Line 0 is row 3 of each, 18000.006167 s and 1342 rows of 2.0555563 ms after the day began.
    EXPECT_EQ(text("productFirstLineUtcTime"), "2025-06-15T05:00:00.006167");
    EXPECT_EQ(text("azimuthTimeInterval").substr(0, 12), "0.0020555563");
    std::vector<std::string> times;
    for (const auto& node : annotation.select_nodes("//burst/azimuthTime"))
        times.emplace_back(node.node().text().get());
    EXPECT_EQ(times, (std::vector<std::string>{"2025-06-15T05:00:00.006167", "2025-06-15T05:00:02.764723"}));
    EXPECT_NEAR(std::stod(text("imageInformation/slantRangeTime")) * speed_of_light_m_s / 2, 846e3 + 4 * column_m,
                1e-6);
    EXPECT_EQ(text("numberOfLines") + " " + text("numberOfSamples"), "68 25");
    EXPECT_EQ(text("swath") + text("missionId") + text("absoluteOrbitNumber") + text("polarisation"), "IW1S1A59651VV");
    const Orbit orbit = *burst_image(0, 0, 0).acquisition.orbit;
    int points = 0;
    for (const auto& found : annotation.select_nodes("//geolocationGridPoint")) {
        const pugi::xml_node point = found.node();
        const auto number = [&](const char* name) { return point.child(name).text().as_double(); };
        const double line = number("line") == 67 ? 1342 + 33 : number("line") == 34 ? 1342 : 0;
        const StateVector at = interpolate(orbit, first_s + row_s * (line + 3));
        const Vec3 away = point_of({number("longitude"), number("latitude"), number("height")}) - at.position_m;
        EXPECT_NEAR(norm(away), 846e3 + column_m * (4 + number("pixel")), 0.01);
        EXPECT_NEAR(norm(away), number("slantRangeTime") * speed_of_light_m_s / 2, 0.01);
        EXPECT_NEAR(dot(away, at.velocity_m_s) / norm(at.velocity_m_s), 0, 0.01);
        ++points;
    }
    EXPECT_EQ(points, 3 * 21);
}

/// The law as ESA tells it, against the frequencies of the images.
TEST_F(SafeTest, ThePhaseAlongABurstFollowsItsAnnotation) {
    write_two();
    const pugi::xml_document annotation = read(file_in("annotation", ".xml"));
    const auto polynomial = [&](const char* name, std::size_t burst) {
        const pugi::xml_node node = annotation.select_nodes((std::string("//") + name).c_str())[burst].node();
        const double origin_s = node.parent().child("t0").text().as_double();
        const std::vector<double> c = numbers(node);
        return [=](double delay_s) { return c[0] + (delay_s - origin_s) * (c[1] + (delay_s - origin_s) * c[2]); };
    };
    const std::vector<Image> images{burst_image(0, 0, 0), burst_image(1342, 3, 1)};
    for (std::size_t burst = 0; burst < images.size(); ++burst) {
        const Image& image = images[burst];
        const auto rate = polynomial("azimuthFmRatePolynomial", burst),
                   centroid = polynomial("dataDcPolynomial", burst);
        const double start_s = image.grid.time_s(3), middle_s = start_s + 17 * row_s;
        const double speed = norm(interpolate(*image.acquisition.orbit, middle_s).velocity_m_s),
                     steering = 2 * speed / image.acquisition.wavelength_m() * image.acquisition.burst->steering_rad_s;
        const auto delay_s = [&](double k) { return 2 * (846e3 + (4 + k) * column_m) / speed_of_light_m_s; };
        for (const double line : {0.0, 17.0, 33.0})
            for (const double k : {0.0, 12.0, 24.0}) {
                const double a = rate(delay_s(k)), along = a * steering / (a - steering);
                const double reference_s = -centroid(delay_s(k)) / a + centroid(delay_s(12)) / rate(delay_s(12));
                const double hz = centroid(delay_s(k)) + along * ((line - 17) * row_s - reference_s);
                EXPECT_NEAR(hz, image.processing.doppler_hz(start_s + line * row_s, 0), 0.01) << line << " " << k;
                EXPECT_NEAR(a, fm_rate_hz_s(image.acquisition, delay_s(k) * speed_of_light_m_s / 2), 1e-6);
            }
    }
}

TEST_F(SafeTest, TheManifestListsAllFiles) {
    write_two();
    const pugi::xml_document manifest = read(folder() + "/manifest.safe");
    int files = 0;
    for (const auto& found : manifest.select_nodes("//fileLocation")) {
        const std::string file = folder() + "/" + found.node().attribute("href").value();
        EXPECT_TRUE(std::filesystem::exists(file)) << file;
        EXPECT_EQ(found.node().parent().attribute("size").as_ullong(), std::filesystem::file_size(file));
        ++files;
    }
    EXPECT_EQ(files, 3);
    const auto value = [&](const char* name) {
        return std::string(
            manifest.select_node((std::string("//*[name()='") + name + "']").c_str()).node().text().get());
    };
    EXPECT_EQ(value("safe:orbitNumber") + " " + value("safe:relativeOrbitNumber") + " " + value("safe:number"),
              "59651 79 A");
    EXPECT_EQ(value("s1sarl1:missionDataTakeID"), "485555");
    const pugi::xml_document calibration = read(file_in("annotation/calibration", ".xml"));
    const auto beta = numbers(calibration.select_node("//betaNought").node());
    EXPECT_NEAR(beta.front(), 32767 / 4000.0, 1e-8);
}

TEST_F(SafeTest, WithoutAScaleTheLargestAmplitudeIsTaken) {
    const auto file = product_file(folder(), {});
    send(*file, burst_image(0, 0, 2));
    file->commit();
    EXPECT_EQ(file->remarks(), std::vector<std::string>{});
    const double largest = std::abs(sample(2, 39, 29));
    EXPECT_NEAR(read(file_in("annotation", ".xml")).select_node("//processorScalingFactor").node().text().as_double(),
                32767 / largest, 1e-6 * 32767 / largest);
}

TEST_F(SafeTest, NothingStaysUnlessItIsComplete) {
    {
        const auto file = product_file(folder(), options());
        send(*file, burst_image(0, 0, 0));
    }
    EXPECT_EQ(left(), std::vector<std::string>{});
    const auto all = std::make_shared<SafeFolder>(folder(), "", std::nullopt);
    for (const double moved : {0.0, 0.3}) {
        ProductOptions shared = options();
        shared.safe = all;
        const auto file = product_file(folder(), shared);
        Image image = burst_image(0, 0, 0);
        image.grid.near_range_m += moved * column_m;
        image.grid.first_time_s += moved > 0 ? row_s * 1342 : 0;
        image.acquisition.burst->broadside_time_s += moved > 0 ? row_s * 1342 : 0;
        image.processing.doppler_surface_hz->x_centre += moved > 0 ? row_s * 1342 : 0;
        send(*file, image);
        file->commit();
    }
    expect_refused([&] { all->commit(); }, {"burst IW1 0", "columns", "0.300", "whole"});
    EXPECT_EQ(left(), std::vector<std::string>{});
}

TEST_F(SafeTest, RefusesWhatHasNoPlaceInIt) {
    Image strip = burst_image(0, 0, 0);
    strip.acquisition.burst.reset();
    strip.acquisition.identification.mission = "NISAR";
    expect_no_place_for(strip, {safe_name, "bursts of Sentinel-1", "NISAR", ".h5"});
    Image lost = burst_image(0, 0, 0);
    lost.acquisition.orbit.reset();
    expect_no_place_for(lost, {"orbit", "--orbit FILE.EOF"});
    Image dark = burst_image(0, 0, 7);
    dark.valid_columns.assign(40, Interval{});
    expect_no_place_for(dark, {"burst IW1 7", "fully compressed"});
    Image held = burst_image(0, 0, 3);
    held.processing.doppler_surface_hz->powers[1][0] = 0;
    expect_no_place_for(held, {"burst IW1 3", "Doppler frequencies", "Hz off", "1.593 degrees per second"});
    Image map = burst_image(0, 0, 0);
    map.map = MapGrid{MapProjection{32633}, 30, 20, 500001, 2, 5e6 - 1, -2};
    expect_no_place_for(map, {"--grid"});
    const auto refused = [&](const ProductOptions& asked, const TextParts& words) {
        expect_refused([&] { product_file(folder(), asked); }, words);
    };
    refused({.on_map = true}, {"--grid", safe_name});
    refused({.storage = {.compression = 3}}, {"--compress 3"});
    refused({.samples = {.type = SampleType::float16}}, {"--sample-type f16", "int16"});
    refused({.tiff = TiffContent::amplitude}, {"--tiff"});
    expect_refused([&] { product_file(path("a.SAFE"), {.input = "iw.dat"}); },
                   {"a.SAFE", "satellite and orbit", "iw.dat", "S1A_IW_SLC"});
    std::filesystem::create_directory(folder());
    refused({}, {safe_name, "exists", "remove it"});
}

}  // namespace
}  // namespace cornerturn
