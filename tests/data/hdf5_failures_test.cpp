// SPDX-License-Identifier: Apache-2.0
// No call of HDF5 fails unnoticed: each in its turn is made to fail.
#include "tests/data/hdf5_failures.h"
#include "tests/support/whole_files.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "data/hdf5/sample_reader.h"
#include "data/nisar/l0b_reader.h"
#include "data/nisar/l0b_writer.h"
#include "data/nisar/rslc_reader.h"
#include "data/nisar/rslc_writer.h"
#include "product_fixture.h"

namespace cornerturn {
namespace {

class Hdf5Failures : public ProductTest {
protected:
    /// The work, over and over, until every call in the program has failed once. Leaves what it leaves when it
    /// succeeds.
    static void expect_noticed(const std::function<void()>& work) {
        begin_hdf5_failures();
        int failures = -1;  // the last round has none
        for (std::string failed = "any"; !failed.empty(); ++failures) {
            let_hdf5_fail_elsewhere();
            std::string complaint;
            try {
                work();
            } catch (const InputError& error) {
                complaint = error.what();
            } catch (const DeviceError& error) {
                complaint = error.what();
            }
            failed = failed_hdf5_call();
            EXPECT_EQ(complaint.empty(), failed.empty()) << failed << ": " << complaint;
            EXPECT_EQ(complaint.find('\n'), std::string::npos) << complaint;
        }
        EXPECT_GT(failures, 20);
        EXPECT_EQ(hdf5_calls_out_of_turn(), std::set<std::string>{});
    }
};

TEST_F(Hdf5Failures, AreNoticedWhereRawEchoIsWrittenAndRead) {
    const Echo echo = small_echo(SampleFormat::lut16);
    expect_noticed([&] { write_l0b(path("a.h5"), echo); });
    EXPECT_EQ(left(), std::vector<std::string>{"a.h5"});
    std::vector<std::string> warnings;
    expect_noticed([&] { read_l0b(path("a.h5"), {}, warnings); });
}

TEST_F(Hdf5Failures, AreNoticedWhereImagesAreWrittenAndRead) {
    Image image;
    image.acquisition = small_echo(SampleFormat::int8).acquisition;
    image.grid = {.rows = 5,
                  .columns = 7,
                  .first_time_s = 12.5,
                  .time_spacing_s = 0.0021,
                  .near_range_m = 8000,
                  .range_spacing_m = 1.5};
    image.processing.effective_velocity_m_s.assign(7, 200);
    image.samples.assign(35, {1, 2});
    for (const int compression : {0, 1}) {
        expect_noticed([&] { write_rslc(path("a.h5"), image, {.compression = compression}); });
        expect_noticed([&] { read_rslc(path("a.h5")); });
    }
}

TEST_F(Hdf5Failures, AreNoticedWhereChunksAreRead) {
    const hsize_t extents[2] = {16, 5}, chunk[2] = {8, 5};
    {
        const h5::File file(H5Fcreate(path("a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const h5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_chunk(creation, 2, chunk);
        H5Pset_deflate(creation, 1);
        const h5::Type type = h5::complex_type(H5T_STD_I16BE);
        const h5::Dataset data(
            H5Dcreate2(file, "/HH", type, h5::make_space(extents), H5P_DEFAULT, creation, H5P_DEFAULT));
        const auto samples = counting_samples(SampleFormat::int16, 16 * 5);
        ASSERT_GE(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples.data()), 0);
    }
    expect_noticed([&] {
        const h5::Reader file(path("a.h5"));
        read_complex64(file, inspect_samples(file, "/HH"));
    });
}

/// Of a build of HDF5 that is not thread-safe, and of the high-level library in any: writing waits for reading.
TEST_F(Hdf5Failures, NobodyCallsOutOfTurn) {
    write_l0b(path("a.h5"), small_echo(SampleFormat::int8));
    std::atomic<bool> opened{false};
    std::thread other;
    {
        const h5::Turn turn;
        other = std::thread([&] {
            const h5::Reader file(path("a.h5"));
            opened = true;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_FALSE(opened);
    }
    other.join();
    EXPECT_TRUE(opened);
}

}  // namespace
}  // namespace cornerturn
