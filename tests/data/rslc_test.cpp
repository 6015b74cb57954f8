// SPDX-License-Identifier: Apache-2.0
// Focused images: the layout other software relies on, our own record in full, foreign files as far as they go.
#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/l0b_writer.h"
#include "data/nisar/rslc_reader.h"
#include "data/nisar/rslc_writer.h"
#include "data/picture/quicklook.h"
#include "product_fixture.h"

namespace cornerturn {
namespace {

const std::string band = "/science/LSAR";
const std::string product = band + "/RSLC";
const std::string frequency = product + "/swaths/frequencyA";

using RslcTest = ProductTest;

Image small_image(std::int64_t rows = 23, std::int64_t columns = 41) {
    Image image;
    image.acquisition = small_echo(SampleFormat::complex64).acquisition;
    image.grid = {
        .rows = rows, .columns = columns, .first_time_s = 12.0, .time_spacing_s = 0.0021, .near_range_m = 7950.5, .range_spacing_m = 1.5};
    image.processing = {.algorithm = "rda",
                        .doppler_centroid_hz = -345.25,
                        .doppler_source = "estimated",
                        .effective_velocity_m_s = {},
                        .velocity_source = "orbit",
                        .range_bandwidth_hz = 80e6,
                        .azimuth_bandwidth_hz = 300.5,
                        .range_window = Window::parse("kaiser:2.5"),
                        .azimuth_window = Window::parse("taylor:5:30"),
                        .software = "cornerturn 1.2.3"};
    for (std::int64_t k = 0; k < columns; ++k) image.processing.effective_velocity_m_s.push_back(200 + 0.01 * static_cast<double>(k));
    for (std::int64_t i = 0; i < rows; ++i)
        image.valid_columns.push_back({static_cast<std::int32_t>(i % 5), static_cast<std::int32_t>(columns - i % 3)});
    for (std::int64_t i = 0; i < rows * columns; ++i) image.samples.push_back({static_cast<float>(i), -0.5f * static_cast<float>(i)});
    return image;
}

TEST_F(RslcTest, ReadsBackInFull) {
    const Image image = small_image();
    write_rslc(path("a.h5"), image);
    const Image back = read_rslc(path("a.h5"));
    EXPECT_EQ(product_kind(path("a.h5")), ProductKind::image);
    EXPECT_TRUE(back.samples == image.samples);
    EXPECT_EQ(back.valid_columns, image.valid_columns);
    EXPECT_EQ(back.grid.rows, image.grid.rows);
    EXPECT_EQ(back.grid.columns, image.grid.columns);
    EXPECT_EQ(back.grid.first_time_s, image.grid.first_time_s);
    EXPECT_EQ(back.grid.time_spacing_s, image.grid.time_spacing_s);
    EXPECT_EQ(back.grid.near_range_m, image.grid.near_range_m);
    EXPECT_EQ(back.grid.range_spacing_m, image.grid.range_spacing_m);
    const ProcessingRecord &a = back.processing, &b = image.processing;
    EXPECT_EQ(a.algorithm, b.algorithm);
    EXPECT_EQ(a.doppler_centroid_hz, b.doppler_centroid_hz);
    EXPECT_EQ(a.doppler_source, b.doppler_source);
    EXPECT_EQ(a.effective_velocity_m_s, b.effective_velocity_m_s);
    EXPECT_EQ(a.velocity_source, b.velocity_source);
    EXPECT_EQ(a.range_bandwidth_hz, b.range_bandwidth_hz);
    EXPECT_EQ(a.azimuth_bandwidth_hz, b.azimuth_bandwidth_hz);
    EXPECT_EQ(a.range_window, b.range_window);
    EXPECT_EQ(a.azimuth_window, b.azimuth_window);
    EXPECT_EQ(a.software, b.software);
    const Acquisition &c = back.acquisition, &d = image.acquisition;
    EXPECT_EQ(c.identification.mission, d.identification.mission);
    EXPECT_EQ(c.polarization, d.polarization);
    EXPECT_EQ(c.epoch, d.epoch);
    EXPECT_EQ(c.lines, d.lines);
    EXPECT_EQ(c.samples, d.samples);
    EXPECT_EQ(c.prf_hz, d.prf_hz);
    EXPECT_EQ(c.carrier_hz, d.carrier_hz);
    EXPECT_EQ(c.near_range_m, d.near_range_m);
    EXPECT_EQ(c.range_spacing_m, d.range_spacing_m);
    EXPECT_EQ(c.chirp.slope_hz_s, d.chirp.slope_hz_s);
    EXPECT_EQ(c.chirp.duration_s, d.chirp.duration_s);
    ASSERT_EQ(c.truth.size(), 2u);
    EXPECT_EQ(c.truth[0].height_m, 123.5);
    EXPECT_EQ(c.truth[0].lit_band_hz, (DopplerBand{-30.5, 41.25}));
    EXPECT_FALSE(c.truth[1].lit_band_hz);
    EXPECT_EQ(c.orbit->position_m, d.orbit->position_m);
    EXPECT_TRUE(read_rslc_header(path("a.h5")).samples.empty());
}

TEST_F(RslcTest, HoldsEveryRowThatOtherReadersWant) {
    write_rslc(path("a.h5"), small_image());
    const h5::Reader file(path("a.h5"));
    for (const char* name : {"missionId", "productType", "lookDirection", "orbitPassDirection", "boundingPolygon", "zeroDopplerStartTime",
                             "zeroDopplerEndTime", "isUrgentObservation", "productLevel"})
        EXPECT_TRUE(file.optional_text(band + "/identification/" + name)) << name;
    EXPECT_EQ(file.optional_text(band + "/identification/zeroDopplerStartTime"), "2026-02-28T23:59:42.000000000");
    EXPECT_EQ(file.optional_text(band + "/identification/zeroDopplerEndTime"), "2026-02-28T23:59:42.046200000");
    for (const char* name : {"acquiredCenterFrequency", "processedCenterFrequency", "acquiredRangeBandwidth", "processedRangeBandwidth",
                             "processedAzimuthBandwidth", "nominalAcquisitionPRF", "sceneCenterGroundRangeSpacing",
                             "sceneCenterAlongTrackSpacing", "numberOfSubSwaths", "slantRangeSpacing"})
        EXPECT_GT(file.number(frequency + "/" + name), 0) << name;
    const std::string parameters = product + "/metadata/processingInformation/parameters";
    const auto count = [&](const std::string& name) { return h5::shape(file.dataset(parameters + name)); };
    EXPECT_EQ(count("/frequencyA/dopplerCentroid"),
              (std::vector<hsize_t>{count("/frequencyA/zeroDopplerTime")[0], count("/frequencyA/slantRange")[0]}));
    EXPECT_EQ(count("/effectiveVelocity"), (std::vector<hsize_t>{count("/zeroDopplerTime")[0], count("/slantRange")[0]}));
    EXPECT_EQ(count("/rangeChirpWeighting"), std::vector<hsize_t>{256});
    EXPECT_EQ(count("/azimuthChirpWeighting"), std::vector<hsize_t>{256});
    EXPECT_EQ(file.attribute(product + "/swaths/zeroDopplerTime", "units"), "seconds since 2026-02-28T23:59:30");
    EXPECT_TRUE(file.is_group(product + "/metadata/attitude"));
    // Cumming & Wong eq. 4.38 at the Doppler centroid; negative, as the frequency falls.
    const double wavelength_m = speed_of_light_m_s / 9.65e9, v = 200, r = 7950.5, sine = 0.5 * wavelength_m * 345.25 / v;
    const double rate = file.table(parameters + "/frequencyA/azimuthFMRate", {.rows = {}, .columns = 33, .meaning = ""}).at(0, 0);
    EXPECT_NEAR(rate / (-2 * v * v * std::pow(1 - sine * sine, 1.5) / (wavelength_m * r)), 1, 1e-12);
}

TEST_F(RslcTest, GroundSpacingFollowsFromTheGeometry) {
    write_rslc(path("a.h5"), small_image());  // 5000 m above the equator, 7981 m away: cos(incidence) = 5000 / 7981 but for the curvature
    const h5::Reader file(path("a.h5"));
    const double sine = std::sqrt(1 - std::pow(5000.0 / 7980.5, 2));
    EXPECT_NEAR(file.number(frequency + "/sceneCenterGroundRangeSpacing") / (1.5 / sine), 1, 1e-3);
    EXPECT_NEAR(file.number(frequency + "/sceneCenterAlongTrackSpacing") / (0.0021 * 200.0), 1, 1e-3);
}

TEST_F(RslcTest, SeveralSubSwathsReadBack) {
    Image image = small_image();
    image.intervals_per_row = 3;
    image.valid_columns.clear();
    for (int row = 0; row < 23; ++row) image.valid_columns.insert(image.valid_columns.end(), {{row % 3, 12}, {15, 20 + row % 2}, {0, 0}});
    image.valid_columns.back() = {30, 41};  // a swath that only the last row has
    write_rslc(path("a.h5"), image);
    EXPECT_EQ(h5::Reader(path("a.h5")).number(frequency + "/numberOfSubSwaths"), 3);
    const Image back = read_rslc_header(path("a.h5"));
    EXPECT_EQ(back.intervals_per_row, 3);
    EXPECT_EQ(back.valid_columns, image.valid_columns);
    image.valid_columns.pop_back();
    EXPECT_THROW(write_rslc(path("b.h5"), image), std::logic_error);
}

TEST_F(RslcTest, EdgesOfShape) {
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 50}, {50, 1}, {7, 1031}}) {
        const Image image = small_image(rows, columns);
        write_rslc(path("a.h5"), image);
        EXPECT_TRUE(read_rslc(path("a.h5")).samples == image.samples) << rows << " x " << columns;
    }
}

/// The samples by HDF5's own filters, as h5py and GDAL come by them.
std::vector<std::complex<float>> by_hdf5(const std::string& file, const Image& image) {
    const h5::Reader reader(file);
    const h5::Dataset data = reader.dataset(frequency + "/HV");
    std::vector<std::complex<float>> samples(image.samples.size());
    EXPECT_GE(H5Dread(data, h5::type_of(data), H5S_ALL, H5S_ALL, H5P_DEFAULT, samples.data()), 0);
    return samples;
}

std::vector<H5Z_filter_t> filters_of(const std::string& file) {
    const h5::Reader reader(file);
    const h5::Properties creation = h5::creation_of(reader.dataset(frequency + "/HV"));
    std::vector<H5Z_filter_t> filters;
    for (unsigned i = 0; i < static_cast<unsigned>(H5Pget_nfilters(creation)); ++i) {
        unsigned flags = 0;
        std::size_t values = 0;
        filters.push_back(H5Pget_filter2(creation, i, &flags, &values, nullptr, 0, nullptr, nullptr));
    }
    return filters;
}

/// Rows in pieces of sizes that fit neither chunks nor each other.
void write_in_pieces(const std::string& file, const Image& image, const RslcStorage& storage) {
    RslcFile output(file, 1, storage);
    output.begin(image);
    std::int64_t row = 0;
    for (std::int64_t piece = 1; row < image.grid.rows; piece = piece * 5 % 1031) {
        const std::int64_t rows = std::min(piece, image.grid.rows - row);
        output.write(row,
                     std::span(image.samples)
                         .subspan(static_cast<std::size_t>(row * image.grid.columns), static_cast<std::size_t>(rows * image.grid.columns)));
        row += rows;
    }
    output.commit();
}

TEST_F(RslcTest, CompressedOrNotIsReadByAnyReader) {
    using Filters = std::vector<H5Z_filter_t>;
    for (const auto& [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 41}, {512, 512}, {1030, 37}, {1100, 700}, {40, 1600}})
        for (const int compression : {0, 1, 9}) {
            SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", " << compression);
            const Image image = small_image(rows, columns);
            write_in_pieces(path("a.h5"), image, {.compression = compression, .threads = 2});
            EXPECT_TRUE(read_rslc(path("a.h5")).samples == image.samples);
            EXPECT_TRUE(by_hdf5(path("a.h5"), image) == image.samples);
            EXPECT_EQ(filters_of(path("a.h5")), compression > 0 ? (Filters{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE}) : Filters{});
        }
}

TEST_F(RslcTest, CompressionSavesRoom) {
    const Image image = small_image(600, 700);
    write_rslc(path("plain.h5"), image);
    write_rslc(path("small.h5"), image, {.compression = 9});
    EXPECT_LT(std::filesystem::file_size(path("small.h5")), std::filesystem::file_size(path("plain.h5")) / 2);
}

TEST_F(RslcTest, RowsHaveToComeInOrderToBeCompressed) {
    const Image image = small_image(10, 10);
    RslcFile output(path("a.h5"), 1, {.compression = 1});
    output.begin(image);
    EXPECT_THROW(output.write(1, std::span(image.samples).first(10)), std::logic_error);
}

/// Rows of a file in strips give the picture of the whole image.
TEST_F(RslcTest, PicturesOfFilesAreThoseOfTheirImages) {
    const Image image = small_image(1100, 700);
    for (const int compression : {0, 1}) {
        write_rslc(path("a.h5"), image, {.compression = compression});
        const QuicklookOptions options{.looks = Looks{7, 3}, .dynamic_range_db = {}, .max_size_px = 2048};
        QuicklookSink sink(options);
        pass_rslc(path("a.h5"), {}, sink);
        EXPECT_EQ(sink.picture().pixels, quicklook(image, options).pixels);
    }
}

TEST_F(RslcTest, PatchesAreReadWhereTheyLie) {
    const Image image = small_image(1100, 700);
    for (const int compression : {0, 1}) {
        write_rslc(path("a.h5"), image, {.compression = compression});
        RslcImage file(path("a.h5"));
        EXPECT_EQ(file.header().grid, image.grid);
        for (const PixelBlock& block : {PixelBlock{0, 1, 0, 1}, PixelBlock{500, 30, 505, 20}, PixelBlock{1090, 10, 0, 700},
                                        PixelBlock{0, 1100, 0, 700}, PixelBlock{3, 700, 699, 1}})
            EXPECT_TRUE(file.view().read(block).samples == ImageView(image).read(block).samples) << block.first_row << ", " << compression;
    }
}

TEST_F(RslcTest, WithoutOrbitReadersStillFindOne) {
    Image image = small_image();
    image.acquisition.orbit.reset();
    image.acquisition.attitude.reset();
    image.acquisition.truth.clear();
    write_rslc(path("a.h5"), image);
    const h5::Reader file(path("a.h5"));
    const auto times = file.numbers(product + "/metadata/orbit/time", {});
    EXPECT_GE(times.size(), 4u);
    EXPECT_LT(times.front(), 12.0);
    EXPECT_GT(times.back(), 12.25 + 37 / 500.0);
    EXPECT_TRUE(file.attribute(product + "/metadata/orbit", "description"));
    const Image back = read_rslc(path("a.h5"));
    EXPECT_FALSE(back.acquisition.orbit);
    EXPECT_FALSE(back.acquisition.attitude);
}

TEST_F(RslcTest, ForeignFilesOpenAsFarAsTheyGo) {
    write_rslc(path("a.h5"), small_image());
    {
        Editor file(path("a.h5"));
        file.remove(product + "/metadata");
        file.remove(band + "/identification");
        file.remove(frequency + "/validSamplesSubSwath1");
        file.remove(frequency + "/nominalAcquisitionPRF");
        file.remove(product + "/swaths/zeroDopplerTimeSpacing");
        const std::vector<std::uint16_t> ones(2 * 23 * 41, 0x3c00);
        file.replace(frequency + "/HV", h5::complex_type(h5::float16_type()), {23, 41}, ones.data());
        H5Lmove(file.id(), product.c_str(), file.id(), (band + "/SLC").c_str(), H5P_DEFAULT, H5P_DEFAULT);
    }
    const Image image = read_rslc(path("a.h5"));
    EXPECT_EQ(image.samples.at(500), std::complex<float>(1, 1));
    EXPECT_NEAR(image.grid.time_spacing_s, 0.0021, 1e-12);
    EXPECT_NEAR(image.acquisition.prf_hz, 1 / 0.0021, 1e-3);
    EXPECT_EQ(image.valid_columns.at(3), (Interval{0, 41}));
    EXPECT_EQ(image.processing.range_window.kind, Window::Kind::none);
    EXPECT_TRUE(image.processing.effective_velocity_m_s.empty());
}

TEST_F(RslcTest, ForeignGridsGiveDopplerAndVelocity) {
    write_rslc(path("a.h5"), small_image());
    Editor(path("a.h5")).remove(product + "/metadata/processingInformation/parameters/record");
    const ProcessingRecord record = read_rslc_header(path("a.h5")).processing;
    EXPECT_NEAR(record.doppler_centroid_hz, -345.25, 1e-9);
    ASSERT_EQ(record.effective_velocity_m_s.size(), 41u);
    EXPECT_NEAR(record.effective_velocity_m_s[0], 200.2, 1e-9);  // the mean
}

TEST_F(RslcTest, RefusesRawForImageAndTheReverse) {
    write_rslc(path("image.h5"), small_image());
    write_l0b(path("raw.h5"), small_echo(SampleFormat::int16));
    expect_refused([&] { read_rslc(path("raw.h5")); }, {"raw.h5", "raw echo", "expected a focused image"});
    std::vector<std::string> warnings;
    expect_refused([&] { read_l0b(path("image.h5"), {}, warnings); }, {"image.h5", "focused image", "expected raw echo"});
    Editor(path("raw.h5")).remove(band + "/RRSD");
    expect_refused([&] { product_kind(path("raw.h5")); }, {"raw.h5", "RRSD", "RSLC"});
}

TEST_F(RslcTest, RefusesFaultsByName) {
    const auto refused = [&](const std::function<void(Editor&)>& spoil, const std::vector<std::string>& words) {
        write_rslc(path("a.h5"), small_image());
        {
            Editor editor(path("a.h5"));
            spoil(editor);
        }
        expect_refused([&] { read_rslc(path("a.h5")); }, words);
    };
    refused([](Editor& f) { f.remove(frequency + "/HV"); }, {"frequencyA", "no polarization"});
    refused([](Editor& f) { f.remove(frequency + "/slantRange"); }, {"slantRange", "missing"});
    refused([](Editor& f) { f.remove(frequency + "/processedCenterFrequency"); }, {"processedCenterFrequency", "missing"});
    refused([](Editor& f) { f.change(product + "/swaths/zeroDopplerTime", [](auto& t) { t[5] = t[3]; }); }, {"zeroDopplerTime", "index 5"});
    refused([](Editor& f) { f.change(product + "/swaths/zeroDopplerTimeSpacing", 0.003); }, {"zeroDopplerTimeSpacing", "0.003", "0.0021"});
    refused([](Editor& f) { f.replace(product + "/metadata/processingInformation/parameters/record/rangeWindow", H5T_C_S1, {}, "q"); },
            {"record/rangeWindow", "q"});
    expect_refused([&] { read_rslc(path("a.h5"), {.frequency = {}, .polarization = "HH"}); }, {"polarization HH", "HV"});
}

TEST_F(RslcTest, InterruptionLeavesNothing) {
    interrupt_requested = true;
    EXPECT_THROW(write_rslc(path("a.h5"), small_image()), Interrupted);
    EXPECT_TRUE(left().empty());
}

}  // namespace
}  // namespace cornerturn
