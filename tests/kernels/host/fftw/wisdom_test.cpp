// SPDX-License-Identifier: Apache-2.0
// What FFTW measured is kept, and nothing in the cache folder can do harm. Wisdom is read once in a process: ctest
// gives each test its own.
#include "kernels/host/fftw/wisdom.h"

#include <fftw3.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "kernels/host/line_fft.h"
#include "tests/support/scratch_folder.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t length = 1024, many_lines = std::int64_t{1} << 14;  // enough to be measured

class FftwWisdom : public testing::Test {
protected:
    FftwWisdom() {
        use_cache(folder_);
        fftwf_forget_wisdom();  // of the tests before in this process
    }

    static void use_cache(const fs::path& folder) { setenv("XDG_CACHE_HOME", folder.c_str(), 1); }

    static std::string text_of(const fs::path& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /// A transform that may be measured against one that never is.
    static void expect_right_transform() {
        std::mt19937 generator(1);
        std::normal_distribution<float> normal;
        const LineBuffer<float> line(length), spectrum(length);
        for (std::int64_t i = 0; i < length; ++i) line.data()[i] = {normal(generator), normal(generator)};
        PassFft<float>(length, FftDirection::forward, many_lines)(line.data(), spectrum.data());
        LineFft<float>(length, FftDirection::forward)(line.data());
        for (std::int64_t i = 0; i < length; ++i) {
            EXPECT_NEAR(spectrum.data()[i].re, line.data()[i].re,
                        1e-4);  // of a magnitude of 45, with 10 roundings of it
            EXPECT_NEAR(spectrum.data()[i].im, line.data()[i].im, 1e-4);
        }
    }

    const ScratchFolder scratch_;
    const fs::path folder_ = scratch_.path();
};

TEST_F(FftwWisdom, IsKeptWithNothingBesideIt) {
    EXPECT_FALSE(fs::exists(fftw_wisdom_file()));
    expect_right_transform();
    EXPECT_EQ(text_of(fftw_wisdom_file()).substr(0, 5), "(fftw");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "cornerturn"), {}), 1);
}

TEST_F(FftwWisdom, IsReplacedWhereItIsBroken) {
    std::ofstream(fftw_wisdom_file()) << "(fftw-3.3 fftwf_wisdom #x01 #x02\n  (fftwf_codelet_ \xff garbage";
    expect_right_transform();
    EXPECT_EQ(text_of(fftw_wisdom_file()).find("garbage"), std::string::npos);
}

TEST_F(FftwWisdom, IsDoneWithoutWhereThereIsNoFolder) {
    use_cache("/proc/no/such/folder");
    EXPECT_TRUE(fftw_wisdom_file().empty());
    expect_right_transform();
}

}  // namespace
}  // namespace cornerturn
