// SPDX-License-Identifier: Apache-2.0
// Focused images: the layout other software relies on, our own record in full, foreign files as far as they go.
#include <chrono>
#include <future>

#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/l0b_reader.h"
#include "data/nisar/l0b_writer.h"
#include "data/nisar/rslc_reader.h"
#include "data/nisar/rslc_writer.h"
#include "data/picture/quicklook.h"
#include "product_fixture.h"
#include "tests/data/rslc_image.h"
#include "tests/support/stopped_job.h"
#include "tests/support/whole_files.h"

namespace cornerturn {
namespace {

using RslcTest = ProductTest;

TEST_F(RslcTest, ReadsBackInFull) {
    const Image image = small_image();
    write_rslc(path("a.h5"), image);
    const Image back = read_rslc(path("a.h5"));
    EXPECT_EQ(product_kind(path("a.h5")), ProductKind::image);
    EXPECT_TRUE(back.samples == image.samples);
    EXPECT_EQ(back.valid_columns, image.valid_columns);
    EXPECT_EQ(back.grid, image.grid);
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
    EXPECT_EQ(a.scene_height_m, b.scene_height_m);
    EXPECT_EQ(a.terrain, b.terrain);
    EXPECT_EQ(a.forced_over, b.forced_over);
    EXPECT_EQ(a.software, b.software);
    EXPECT_EQ(a.processed_at, b.processed_at);
    const Acquisition &c = back.acquisition, &d = image.acquisition;
    EXPECT_EQ(c.identification.mission, d.identification.mission);
    EXPECT_EQ(c.identification.instrument, d.identification.instrument);
    EXPECT_EQ(c.identification.track_number, d.identification.track_number);
    EXPECT_EQ(c.identification.frame_number, d.identification.frame_number);
    EXPECT_TRUE(c.identification.dithered);
    EXPECT_FALSE(c.identification.mixed_mode);
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
    EXPECT_EQ(c.truth[0].illuminated_band_hz, (DopplerBand{-30.5, 41.25}));
    EXPECT_FALSE(c.truth[1].illuminated_band_hz);
    EXPECT_EQ(c.truth[0].illuminated_s, (TimeSpan{12.5, 12.75}));
    EXPECT_FALSE(c.truth[1].illuminated_s);
    EXPECT_EQ(c.orbit->position_m, d.orbit->position_m);
    EXPECT_TRUE(read_rslc_header(path("a.h5")).samples.empty());
}

TEST_F(RslcTest, PhasesOfAutofocusReadBackAndAreDescribed) {
    Image image = small_image();
    write_rslc(path("a.h5"), image);
    EXPECT_FALSE(read_rslc(path("a.h5")).processing.autofocus);
    image.processing.autofocus = AutofocusRecord{.method = Autofocus::phase_gradient,
                                                 .first_time_s = 12.25,
                                                 .time_spacing_s = 0.5,
                                                 .phase_rad = {0.25, -0.5, 1.125}};
    write_rslc(path("b.h5"), image);
    EXPECT_EQ(read_rslc(path("b.h5")).processing.autofocus, image.processing.autofocus);
    const h5::Reader file(path("b.h5"));
    const std::string processing = "/science/LSAR/RSLC/metadata/processingInformation";
    EXPECT_EQ(file.optional_text(processing + "/algorithms/autofocus"), "phase gradient (PGA)");
    EXPECT_EQ(file.numbers(processing + "/parameters/record/autofocusPhase", {}),
              (std::vector<double>{0.25, -0.5, 1.125}));
    EXPECT_EQ(file.numbers(processing + "/parameters/record/autofocusTime", {}),
              (std::vector<double>{12.25, 12.75, 13.25}));
    image.processing.autofocus->times_s = {12.25, 12.5, 13.25};
    write_rslc(path("c.h5"), image);
    EXPECT_EQ(read_rslc(path("c.h5")).processing.autofocus, image.processing.autofocus) << "uneven lines";
}

TEST_F(RslcTest, SeveralSubSwathsReadBack) {
    Image image = small_image();
    image.intervals_per_row = 3;
    image.valid_columns.clear();
    for (int row = 0; row < 23; ++row)
        image.valid_columns.insert(image.valid_columns.end(), {{row % 3, 12}, {15, 20 + row % 2}, {0, 0}});
    image.valid_columns.back() = {30, 41};  // a swath that only the last row has
    write_rslc(path("a.h5"), image);
    EXPECT_EQ(h5::Reader(path("a.h5")).number(rslc_swath + "/numberOfSubSwaths"), 3);
    const Image back = read_rslc_header(path("a.h5"));
    EXPECT_EQ(back.intervals_per_row, 3);
    EXPECT_EQ(back.valid_columns, image.valid_columns);
    image.valid_columns.pop_back();
    EXPECT_THROW(write_rslc(path("b.h5"), image), std::logic_error);
}

/// As nisar-pytools crops: axes, image and valid samples are cut, all the rest is copied as it is.
TEST_F(RslcTest, ColumnsThatOthersCropKeepTheirVelocity) {
    Image image = small_image();
    write_rslc(path("a.h5"), image);
    {
        Editor file(path("a.h5"));
        const std::int64_t first = 7, columns = 20;
        std::vector<double> ranges(columns);
        for (std::int64_t k = 0; k < columns; ++k)
            ranges[static_cast<std::size_t>(k)] = image.grid.range_m(static_cast<double>(first + k));
        file.replace(rslc_swath + "/slantRange", H5T_NATIVE_DOUBLE, {columns}, ranges.data());
        std::vector<std::complex<float>> samples(23 * columns);
        file.replace(rslc_swath + "/HV", h5::complex_type(H5T_IEEE_F32LE), {23, columns}, samples.data());
    }
    const Image back = read_rslc_header(path("a.h5"));
    ASSERT_EQ(back.processing.effective_velocity_m_s.size(), 20u);
    // Linear in range as it is: 200 m/s and 0.01 m/s for each column.
    for (std::size_t k = 0; k < 20; ++k)
        EXPECT_NEAR(back.processing.effective_velocity_m_s[k], 200 + 0.01 * static_cast<double>(7 + k), 1e-9);
}

TEST_F(RslcTest, RawFilesTellWhatTheImageIsToCarryOn) {
    Echo echo = small_echo(SampleFormat::int16);
    for (const bool dithered : {false, true}) {
        echo.acquisition.identification.dithered = dithered;
        write_l0b(path("raw.h5"), echo);
        std::vector<std::string> warnings;
        EXPECT_EQ(read_l0b_header(path("raw.h5"), {}, warnings).identification.dithered, dithered);
    }
}

TEST_F(RslcTest, RowsDoNotWaitForOthersWhoUseHdf5) {
    const Image image = small_image(1300, 1200);  // three strips
    RslcFile file(path("a.h5"), 1, {});
    file.begin(image);
    std::future<void> written;
    {
        const h5::Turn of_another_file;
        written = std::async(std::launch::async, [&] {
            file.write(0, std::span(image.samples).first(500 * 1200));
            file.write(500, std::span(image.samples).subspan(500 * 1200));
        });
        EXPECT_EQ(written.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    }
    written.get();
    file.commit();
    EXPECT_EQ(read_rslc(path("a.h5")).samples, image.samples);
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
    const h5::Dataset data = reader.dataset(rslc_swath + "/HV");
    std::vector<std::complex<float>> samples(image.samples.size());
    EXPECT_GE(H5Dread(data, h5::type_of(data), H5S_ALL, H5S_ALL, H5P_DEFAULT, samples.data()), 0);
    return samples;
}

std::vector<H5Z_filter_t> filters_of(const std::string& file) {
    const h5::Reader reader(file);
    const h5::Properties creation = h5::creation_of(reader.dataset(rslc_swath + "/HV"));
    std::vector<H5Z_filter_t> filters;
    for (unsigned i = 0; i < static_cast<unsigned>(H5Pget_nfilters(creation)); ++i) {
        unsigned flags = 0;
        std::size_t values = 0;
        filters.push_back(H5Pget_filter2(creation, i, &flags, &values, nullptr, 0, nullptr, nullptr));
    }
    return filters;
}

/// Rows in pieces of sizes that fit neither chunks nor each other.
void write_in_pieces(const std::string& file, const Image& image, const ImageStorage& storage) {
    RslcFile output(file, 1, storage);
    output.begin(image);
    std::int64_t row = 0;
    for (std::int64_t piece = 1; row < image.grid.rows; piece = piece * 5 % 1031) {
        const std::int64_t rows = std::min(piece, image.grid.rows - row);
        output.write(row, std::span(image.samples)
                              .subspan(static_cast<std::size_t>(row * image.grid.columns),
                                       static_cast<std::size_t>(rows * image.grid.columns)));
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
            EXPECT_EQ(filters_of(path("a.h5")),
                      compression > 0 ? (Filters{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE}) : Filters{});
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

TEST_F(RslcTest, CompressionStopsBetweenChunks) {
    const Image image = small_image(512, 1100);
    RslcFile output(path("a.h5"), 1, {.compression = 9});
    output.begin(image);
    const StoppedJob stopped;
    EXPECT_THROW(output.write(0, image.samples), Interrupted);
}

/// Rows of a file in strips give the picture of the whole image.
TEST_F(RslcTest, PicturesOfFilesAreThoseOfTheirImages) {
    const Image image = small_image(1100, 700);
    for (const int compression : {0, 1}) {
        write_rslc(path("a.h5"), image, {.compression = compression});
        const QuicklookOptions options{.looks = Looks{7, 3}, .dynamic_range_db = {}, .max_size_px = 2048};
        QuicklookSink sink(options);
        open_rslc(path("a.h5")).pass_to(sink);
        EXPECT_EQ(sink.picture().pixels, quicklook(image, options).pixels);
    }
}

TEST_F(RslcTest, PatchesAreReadWhereTheyLie) {
    const Image image = small_image(1100, 700);
    for (const int compression : {0, 1}) {
        write_rslc(path("a.h5"), image, {.compression = compression});
        StoredImage file = open_rslc(path("a.h5"));
        EXPECT_EQ(file.header().grid, image.grid);
        for (const PixelBlock& block :
             {PixelBlock{0, 1, 0, 1}, PixelBlock{500, 30, 505, 20}, PixelBlock{1090, 10, 0, 700},
              PixelBlock{0, 1100, 0, 700}, PixelBlock{3, 700, 699, 1}})
            EXPECT_TRUE(file.view().read(block).samples == ImageView(image).read(block).samples)
                << block.first_row << ", " << compression;
    }
}

TEST_F(RslcTest, ForeignFilesOpenAsFarAsTheyGo) {
    write_rslc(path("a.h5"), small_image());
    {
        Editor file(path("a.h5"));
        file.remove(rslc_group + "/metadata");
        file.remove(lsar + "/identification");
        file.remove(rslc_swath + "/validSamplesSubSwath1");
        file.remove(rslc_swath + "/nominalAcquisitionPRF");
        file.remove(rslc_group + "/swaths/zeroDopplerTimeSpacing");
        const std::vector<std::uint16_t> ones(2 * 23 * 41, 0x3c00);
        file.replace(rslc_swath + "/HV", h5::complex_type(h5::float16_type()), {23, 41}, ones.data());
        H5Lmove(file.id(), rslc_group.c_str(), file.id(), (lsar + "/SLC").c_str(), H5P_DEFAULT, H5P_DEFAULT);
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
    Editor(path("a.h5")).remove(rslc_group + "/metadata/processingInformation/parameters/record");
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
    expect_refused([&] { read_l0b(path("image.h5"), {}, warnings); },
                   {"image.h5", "focused image", "expected raw echo"});
    Editor(path("raw.h5")).remove(lsar + "/RRSD");
    expect_refused([&] { product_kind(path("raw.h5")); }, {"raw.h5", "RRSD", "RSLC"});
}

TEST_F(RslcTest, RefusesFaultsByName) {
    const auto refused = [&](const Spoil& spoil, const std::vector<std::string>& words) {
        write_rslc(path("a.h5"), small_image());
        {
            Editor editor(path("a.h5"));
            spoil(editor);
        }
        expect_refused([&] { read_rslc(path("a.h5")); }, words);
    };
    refused(without(rslc_swath + "/HV"), {"frequencyA", "no polarization"});
    refused(without(rslc_swath + "/slantRange"), {"slantRange", "missing"});
    refused(without(rslc_swath + "/processedCenterFrequency"), {"processedCenterFrequency", "missing"});
    refused(changed(rslc_group + "/swaths/zeroDopplerTime", [](std::vector<double>& t) { t[5] = t[3]; }),
            {"zeroDopplerTime", "index 5"});
    refused(changed(rslc_group + "/swaths/zeroDopplerTimeSpacing", 0.003),
            {"zeroDopplerTimeSpacing", "0.003", "0.0021"});
    refused(
        [](Editor& f) {
            f.replace(rslc_group + "/metadata/processingInformation/parameters/record/rangeWindow", H5T_C_S1, {}, "q");
        },
        {"record/rangeWindow", "q"});
    const std::string record = rslc_group + "/metadata/processingInformation/parameters/record";
    const std::vector<double> five{8000, 8001, 8002, 8002, 8003};
    refused([&](Editor& f) { f.replace(record + "/effectiveVelocity", H5T_NATIVE_DOUBLE, {5}, five.data()); },
            {"slantRange", "41", "5"});
    refused(
        [&](Editor& f) {
            for (const char* name : {"/effectiveVelocity", "/slantRange"})
                f.replace(record + name, H5T_NATIVE_DOUBLE, {5}, five.data());
        },
        {"record/slantRange", "does not increase"});
    refused(  // as older versions wrote it
        [&](Editor& f) {
            f.remove(record + "/slantRange");
            f.replace(record + "/effectiveVelocity", H5T_NATIVE_DOUBLE, {5}, five.data());
        },
        {"record/effectiveVelocity", "5", "41"});
    write_rslc(path("a.h5"), small_image());
    Editor(path("a.h5")).remove(record + "/slantRange");
    EXPECT_EQ(read_rslc_header(path("a.h5")).processing.effective_velocity_m_s,
              small_image().processing.effective_velocity_m_s);
    expect_refused([&] { read_rslc(path("a.h5"), {.frequency = {}, .polarization = "HH"}); },
                   {"polarization HH", "HV"});
}

TEST_F(RslcTest, InterruptionLeavesNothing) {
    stop_job();
    EXPECT_THROW(write_rslc(path("a.h5"), small_image()), Interrupted);
    EXPECT_TRUE(left().empty());
}

}  // namespace
}  // namespace cornerturn
