// SPDX-License-Identifier: Apache-2.0
// Unfinished image files: kept, gone on with, refused.
#include "data/files/resume.h"

#include <random>

#include "data/files/output_file.h"
#include "data/nisar/rslc_reader.h"
#include "data/nisar/rslc_writer.h"
#include "product_fixture.h"

namespace cornerturn {
namespace {

Image noisy_image(const std::string& polarization, std::int64_t rows = 1100, std::int64_t columns = 600) {
    Image image;
    image.acquisition = small_echo(SampleFormat::int8).acquisition;
    image.acquisition.polarization = polarization;
    image.grid = {.rows = rows,
                  .columns = columns,
                  .first_time_s = 12.5,
                  .time_spacing_s = 0.002,
                  .near_range_m = 8000,
                  .range_spacing_m = 1.5};
    image.processing.effective_velocity_m_s.assign(static_cast<std::size_t>(columns), 200);
    std::mt19937 random(static_cast<unsigned>(polarization[1]));
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < rows * columns; ++i) image.samples.push_back({normal(random), normal(random)});
    return image;
}

const RunFacts facts{{"--device", "cpu"}, {"the input", "raw.h5"}};

class UnfinishedImages : public ProductTest {
protected:
    std::string output() const { return path("slc.h5"); }
    std::string unfinished() const { return unfinished_name(output()); }
    std::optional<ResumeState> noted() const { return read_resume_state(unfinished()); }

    std::unique_ptr<RslcFile> begin(int compression, const std::optional<ResumeState>& then = {}) const {
        auto file = std::make_unique<RslcFile>(output(), 2, ImageStorage{.compression = compression});
        if (then)
            file->go_on(*then);
        else
            file->keep_unfinished(facts, {400, 400});
        return file;
    }

    /// Blocks of 400 rows from where the file is, `blocks` of them; half of another one behind these if it is to be
    /// broken off there.
    static int write(RslcFile& file, const Image& image, int blocks, bool broken_off) {
        file.begin(image);
        const auto rows_of = [&](std::int64_t row, std::int64_t rows) {
            return std::span(image.samples)
                .subspan(static_cast<std::size_t>(row * image.grid.columns),
                         static_cast<std::size_t>(rows * image.grid.columns));
        };
        std::int64_t row = file.rows_there();
        for (; row < image.grid.rows && blocks > 0; --blocks) {
            const std::int64_t rows = std::min<std::int64_t>(400, image.grid.rows - row);
            file.write(row, rows_of(row, rows / 3));
            file.write(row + rows / 3, rows_of(row + rows / 3, rows - rows / 3));
            file.block_done();
            row += rows;
        }
        if (broken_off && row < image.grid.rows)
            file.write(row, rows_of(row, std::min<std::int64_t>(200, image.grid.rows - row)));
        return blocks;
    }

    void expect_both(const Image& first, const Image& second) const {
        EXPECT_TRUE(read_rslc(output(), {.frequency = {}, .polarization = "HH"}).samples == first.samples);
        EXPECT_TRUE(read_rslc(output(), {.frequency = {}, .polarization = "HV"}).samples == second.samples);
        EXPECT_EQ(left(), std::vector<std::string>{"slc.h5"});
    }

    const Image hh_ = noisy_image("HH"), hv_ = noisy_image("HV");
};

TEST_F(UnfinishedImages, AreGoneOnWithWhereverTheyWereBrokenOff) {
    for (const int compression : {0, 1})
        for (int blocks = 0; blocks <= 6; ++blocks) {  // three of each image
            SCOPED_TRACE(testing::Message() << blocks << " blocks, compression " << compression);
            {
                const auto file = begin(compression);
                if (const int rest = write(*file, hh_, blocks, blocks < 3); blocks >= 3) write(*file, hv_, rest, true);
            }
            EXPECT_FALSE(std::filesystem::exists(output())) << "nothing half-written carries the name";
            const auto state = noted();
            ASSERT_TRUE(state);
            EXPECT_EQ(state->facts, facts);
            EXPECT_EQ(state->images.size(), blocks < 3 ? 1u : 2u);
            EXPECT_EQ(state->rows, std::min<std::int64_t>(1100, 400 * (blocks < 3 ? blocks : blocks - 3)));
            const auto file = begin(compression, state);
            write(*file, hh_, 3, false);
            write(*file, hv_, 3, false);
            file->commit();
            expect_both(hh_, hv_);
            std::filesystem::remove(output());
        }
}

/// As if the power had gone: nothing was closed, and what was written behind the last note is there or not.
TEST_F(UnfinishedImages, AreWholeOnTheDiskAtEachNote) {
    for (const int compression : {0, 1})
        for (int blocks = 0; blocks <= 6; ++blocks) {
            SCOPED_TRACE(testing::Message() << blocks << " blocks, compression " << compression);
            std::filesystem::create_directory(path("then"));
            {
                const auto file = begin(compression);
                if (const int rest = write(*file, hh_, blocks, blocks < 3); blocks >= 3) write(*file, hv_, rest, true);
                for (const std::string& name : {unfinished(), state_name(unfinished())})
                    std::filesystem::copy(name, path("then/" + std::filesystem::path(name).filename().string()));
            }
            for (const std::string& name : {unfinished(), state_name(unfinished())})
                std::filesystem::rename(path("then/" + std::filesystem::path(name).filename().string()), name);
            std::filesystem::remove(path("then"));
            const auto file = begin(compression, noted());
            write(*file, hh_, 3, false);
            write(*file, hv_, 3, false);
            file->commit();
            expect_both(hh_, hv_);
            std::filesystem::remove(output());
        }
}

/// Rows that are there go to whoever has to see all of them.
TEST_F(UnfinishedImages, PassOnTheRowsThatAreThere) {
    for (const int compression : {0, 1}) {
        {
            const auto file = begin(compression);
            write(*file, hh_, 2, true);
        }
        const auto file = begin(compression, noted());
        file->begin(hh_);
        ASSERT_EQ(file->rows_there(), 800);
        ImageInMemory seen;
        seen.begin(hh_);
        file->pass_rows_there(seen);
        const std::size_t count = 800 * 600;
        EXPECT_TRUE(std::equal(seen.image.samples.begin(), seen.image.samples.begin() + count, hh_.samples.begin()));
    }
}

TEST_F(UnfinishedImages, AreRefusedWhenTorn) {
    const auto broken_off = [&](int compression) {
        const auto file = begin(compression);
        write(*file, hh_, 2, true);
    };
    broken_off(1);
    std::filesystem::resize_file(unfinished(), std::filesystem::file_size(unfinished()) / 2);
    EXPECT_THROW(begin(1, noted()), DeviceError);
    broken_off(1);
    std::filesystem::resize_file(unfinished(), 0);
    EXPECT_THROW(begin(1, noted()), DeviceError);
    broken_off(0);
    {
        auto state = noted();
        state->images.push_back("/science/LSAR/RSLC/swaths/frequencyA/VV");
        EXPECT_THROW(begin(0, state), DeviceError);
    }
    std::filesystem::resize_file(state_name(unfinished()), 100);
    EXPECT_FALSE(noted());
    const auto afresh = begin(0);
    write(*afresh, hh_, 3, false);
    write(*afresh, hv_, 3, false);
    afresh->commit();
    expect_both(hh_, hv_);
}

/// While the file on the disk is changed nothing is noted of it.
TEST_F(UnfinishedImages, AreNotNotedWhileTheyChange) {
    const auto file = begin(1);
    write(*file, hh_, 1, false);
    EXPECT_TRUE(noted());
    Image other = hv_;
    other.grid.first_time_s += 1;  // refused when it is begun
    EXPECT_THROW(file->begin(other), std::logic_error);
    EXPECT_FALSE(noted());
}

TEST_F(UnfinishedImages, AreOfOneRunAtATime) {
    const auto file = begin(0);
    file->begin(hh_);
    const auto state = noted();
    RslcFile other(output());
    expect_refused([&] { other.go_on(*state); }, {"slc.h5", "another run"});
}

TEST_F(UnfinishedImages, AreOfTheSameRunOrRefused) {
    check_same_run(output(), facts, facts);
    RunFacts other = facts;
    other[1].second = "other.h5";
    expect_refused([&] { check_same_run(output(), facts, other); },
                   {"slc.h5", "the input was raw.h5 and is other.h5", "remove"});
    other = facts;
    other.emplace_back("the chain of A HV", "plain");
    expect_refused([&] { check_same_run(output(), facts, other); },
                   {"the chain of A HV was not there and is plain now"});
    check_same_run(output(), other, facts);  // before all is known
}

}  // namespace
}  // namespace cornerturn
