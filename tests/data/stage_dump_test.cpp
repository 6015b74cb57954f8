// SPDX-License-Identifier: Apache-2.0
// Stages on the disk: one file each, in the order of the chain, with the samples that the device holds.
#include "data/hdf5/stage_dump.h"

#include <algorithm>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/sample_reader.h"
#include "tests/data/product_fixture.h"

namespace cornerturn {
namespace {

using Values = std::vector<std::complex<float>>;

class StageDump : public ProductTest {
protected:
    static Matrix matrix_of(Device& device, std::int64_t rows, std::int64_t columns, float first) {
        Values values(static_cast<std::size_t>(rows * columns));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = {first + static_cast<float>(i), -0.5f};
        Matrix echo = device.allocate(SampleFormat::complex64, rows, columns);
        device.upload(std::as_bytes(std::span(values)), echo);
        return echo;
    }
    void expect_stage(const std::string& name, const std::string& stage, std::int64_t rows, std::int64_t columns,
                      float first) const {
        SCOPED_TRACE(name);
        const h5::Reader file(path("stages/of/it/" + name));
        const SampleMatrix matrix = inspect_samples(file, "/" + stage);
        EXPECT_EQ(matrix.rows, rows);
        EXPECT_EQ(matrix.columns, columns);
        EXPECT_EQ(matrix.format, SampleFormat::complex64);
        const Values values = read_complex64(file, matrix);
        ASSERT_EQ(values.size(), static_cast<std::size_t>(rows * columns));
        for (std::size_t i = 0; i < values.size(); ++i)
            EXPECT_EQ(values[i], std::complex<float>(first + static_cast<float>(i), -0.5f)) << i;
    }
};

TEST_F(StageDump, WritesEveryStageWithItsAxes) {
    const auto device = open_device("cpu", 1);
    const StageObserver dump = stage_dump(path("stages/of/it"), *device);
    dump("range_compression", matrix_of(*device, 3, 5, 1), "pulse", "slant range");
    dump("corner_turn", matrix_of(*device, 5, 3, 100), "slant range", "pulse");
    expect_stage("01_range_compression.h5", "range_compression", 3, 5, 1);
    expect_stage("02_corner_turn.h5", "corner_turn", 5, 3, 100);
    const h5::Reader second(path("stages/of/it/02_corner_turn.h5"));
    EXPECT_EQ(second.attribute("/corner_turn", "rows"), "slant range");
    EXPECT_EQ(second.attribute("/corner_turn", "columns"), "pulse");
    const std::filesystem::directory_iterator files(path("stages/of/it"));
    EXPECT_EQ(std::count_if(begin(files), end(files), [](const auto&) { return true; }), 2)
        << "and nothing half-written";
}

TEST_F(StageDump, EachRunCountsFromOneAndReplacesWhatWasThere) {
    const auto device = open_device("cpu", 1);
    for (const float first : {1.0f, 7.0f})
        stage_dump(path("stages/of/it"), *device)("image", matrix_of(*device, 2, 2, first), "zero-Doppler time", "R0");
    expect_stage("01_image.h5", "image", 2, 2, 7);
}

TEST_F(StageDump, RefusesAFolderThatCannotBeMade) {
    const auto device = open_device("cpu", 1);
    std::ofstream(path("file")) << "no folder";
    expect_refused([&] { stage_dump(path("file/stages"), *device); },
                   {"--dump-stages", "file/stages", "cannot be made"});
}

}  // namespace
}  // namespace cornerturn
