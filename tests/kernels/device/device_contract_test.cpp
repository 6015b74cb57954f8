// SPDX-License-Identifier: Apache-2.0
// What kernels/device/device.h promises beyond the passes: memory, transfers, statistics, matrix product, readable
// failures.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "kernels/device/first_device.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/straight_echo.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class DeviceContract : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, DeviceContract, every_device(), device_name);

TEST_P(DeviceContract, SaysWhatItIs) {
    const DeviceInfo info = device->info();
    EXPECT_TRUE(info.name.starts_with(GetParam())) << info.name;
    EXPECT_FALSE(info.description.empty());
    EXPECT_GT(info.memory_bytes, 0u);
    EXPECT_GT(info.memory_free_bytes, 0u);
    EXPECT_LE(info.memory_free_bytes, info.memory_bytes);
}

TEST_P(DeviceContract, SamplesComeBackAsTheyWent) {
    for (const std::int64_t columns : {1, 31, 1000}) {
        const Samples samples = noise(7 * columns);
        const Matrix matrix = put(7, columns, samples);
        EXPECT_EQ(get(matrix), samples);
        std::vector<std::complex<float>> floats(samples.size());
        device->download(matrix, std::span(floats));
        EXPECT_EQ(floats, std::vector<std::complex<float>>(samples.begin(), samples.end()));
    }
}

TEST_P(DeviceContract, MoreThanOnePieceComesBackAsItWent) {
    const std::int64_t count = (std::int64_t{40} << 20) / 8 + 3;  // 40 MiB and a bit
    Samples samples(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = {static_cast<double>(i % 16777216), static_cast<double>(i / 4096)};
    EXPECT_TRUE(get(put(1, count, samples)) == samples);
}

TEST_P(DeviceContract, CountsTransferredBytes) {
    const TransferCount before = device->transferred();
    const Matrix bytes = put_as(3, 5, SampleFormat::int8, std::vector<std::uint16_t>(15));
    EXPECT_EQ(device->transferred().uploaded_bytes - before.uploaded_bytes, 30u) << "int8 stays int8 over the bus";
    get(put(2, 2, noise(4)));
    EXPECT_EQ(device->transferred().downloaded_bytes - before.downloaded_bytes, 4 * bytes_per_sample(native()));
}

TEST_P(DeviceContract, CopiesLookForWhatIsNotFinite) {
    Samples samples = noise(331 * 77);
    const auto bits_of = [&](const Matrix& floats) {
        std::vector<std::byte> bytes(floats.bytes());
        device->download_as_stored(floats, bytes);
        return bytes;
    };
    Matrix to = device->allocate(SampleFormat::complex64, 331, 77);
    const Matrix good = put(331, 77, samples);
    EXPECT_TRUE(device->copy_finite(good, to));
    std::vector<std::complex<float>> expected(samples.begin(), samples.end());
    EXPECT_EQ(bits_of(to), std::vector<std::byte>(std::as_bytes(std::span(expected)).begin(),
                                                  std::as_bytes(std::span(expected)).end()));
    for (const double wrong : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        for (const std::size_t at : {std::size_t{0}, samples.size() / 2, samples.size() - 1}) {
            Samples bad = samples;
            bad[at] = {0, wrong};
            EXPECT_FALSE(device->copy_finite(put(331, 77, bad), to));
        }
    EXPECT_TRUE(device->copy_finite(good, to)) << "what it saw before is forgotten";
    Matrix rows = to.rows_from(3, 5);
    EXPECT_TRUE(device->copy_finite(good.rows_from(3, 5), rows));
    EXPECT_THROW(device->copy_finite(good, rows), std::logic_error);
    if (native() != SampleFormat::complex64) return;
    EXPECT_TRUE(device->copy_finite(to, to));
    samples.back() = {0, std::numeric_limits<double>::infinity()};
    Matrix bad = put(331, 77, samples);
    const std::vector<std::byte> before = bits_of(bad);
    EXPECT_FALSE(device->copy_finite(bad, bad));
    EXPECT_EQ(bits_of(bad), before);
}

TEST_P(DeviceContract, TransfersOfTheWrongSizeAreRefused) {
    Matrix matrix = device->allocate(native(), 3, 5);
    Samples few(14);
    EXPECT_THROW(device->upload(std::as_bytes(std::span(few)), matrix), std::logic_error);
    EXPECT_THROW(device->download(matrix, std::span(few)), std::logic_error);
}

TEST_P(DeviceContract, SamplesOfAnotherFormatAreNotTakenForItsOwn) {
    const Matrix bytes = put_as(3, 5, SampleFormat::int8, std::vector<std::uint16_t>(15));
    Samples doubles(15);
    std::vector<std::complex<float>> floats(15);
    EXPECT_THROW(device->download(bytes, std::span(doubles)), std::logic_error);
    EXPECT_THROW(device->download(bytes, std::span(floats)), std::logic_error);
    EXPECT_THROW(device->download_rows(bytes, [](auto, auto) {}), std::logic_error);
}

TEST_P(DeviceContract, WantOfMemoryIsReported) {
    const std::string text = error_of<DeviceError>(
        [&] { device->allocate(SampleFormat::complex64, std::int64_t{1} << 23, std::int64_t{1} << 23); });
    expect_in(text, {"8388608 x 8388608", "536870912.0 MiB"});
    EXPECT_EQ(get(put(2, 3, noise(6))), noise(6)) << "the device works on";
}

TEST_P(DeviceContract, ReshapedBeyondTheStorageIsRefused) {
    const Matrix matrix = device->allocate(native(), 30, 50);
    EXPECT_NO_THROW(matrix.reshaped(50, 30));
    EXPECT_NO_THROW(matrix.reshaped(20, 50));
    const std::string text = error_of<std::logic_error>([&] { matrix.reshaped(30, 60); });
    expect_in(text, "30 x 60");
}

TEST_P(DeviceContract, CountsFloatsThatAreNoNumbersInGapsToo) {
    constexpr std::int64_t lines = 150, samples = 301;
    std::vector<std::complex<float>> stored;
    for (const std::complex<double> s : noise(lines * samples)) stored.emplace_back(s);
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    for (const std::size_t place : {20u, 64u * 301u + 20u, 149u * 301u + 299u}) stored[place] = {nan, 1};
    stored[301 + 50] = {1, -infinity};
    stored[105] = {nan, nan};
    EchoDecoding decoding{
        .line_gain = std::vector<float>(lines, 2.0f), .valid_samples = {}, .intervals_per_line = 1, .levels = {}};
    for (std::int64_t line = 0; line < lines; ++line) decoding.valid_samples.push_back({5, 100});
    const auto counter = device->non_finite_counter(decoding);
    counter->add(put_as(lines, samples, SampleFormat::complex64, stored));
    EXPECT_EQ(counter->result(), 5);
}

/// Work is in single precision: what does not fit there is taken as zero, too.
TEST_P(DeviceContract, CountsDoublesBeyondSinglePrecision) {
    const std::vector<std::complex<double>> stored{{1, 2}, {1e200, 0}, {0, -1e39}, {3e38, 3e38}};
    const auto counter = device->non_finite_counter({});
    counter->add(put_as(2, 2, SampleFormat::complex128, stored));
    EXPECT_EQ(counter->result(), 2);
}

TEST_P(DeviceContract, CountsLevelsThatAreNoNumbers) {
    EchoDecoding decoding;
    decoding.levels.assign(65536, 1.0f);
    decoding.levels[7] = std::numeric_limits<float>::infinity();
    const std::vector<std::uint16_t> stored{7, 7, 1, 2, 3, 7, 8, 9};
    const auto counter = device->non_finite_counter(decoding);
    counter->add(put_as(2, 2, SampleFormat::lut16, stored));
    EXPECT_EQ(counter->result(), 2);
}

TEST_P(DeviceContract, FindsNothingInBytes) {
    const auto counter = device->non_finite_counter({});
    counter->add(put_as(1, 3, SampleFormat::int8, std::vector<std::int8_t>{3, 4, -128, 0, 0, -5}));
    EXPECT_EQ(counter->result(), 0);
}

/// The definition, sample by sample: conj(model) * echo over the recorded part, energy of the whole model
/// (docs/theory.md).
std::complex<double> correlate(const Samples& samples, const StraightEcho& echo, IndexRange lines, double range_m,
                               double time_s) {
    std::complex<double> sum;
    double energy = 0;
    for (std::int64_t line = lines.first; line < lines.last; ++line) {
        const bool line_recorded = line >= 0 && line < echo.lines;
        if (!line_recorded) energy += echo.timing.chirp_duration_s * echo.timing.sample_rate_hz;
        for (std::int64_t sample = -echo.samples; line_recorded && sample < 3 * echo.samples; ++sample) {
            const std::complex<double> model = echo.model(line, sample, range_m, time_s);
            energy += std::norm(model);
            if (sample >= 0 && sample < echo.samples)
                sum += std::conj(model) * samples[static_cast<std::size_t>(line * echo.samples + sample)];
        }
    }
    return sum / energy * echo.image_phase(range_m);
}

TEST_P(DeviceContract, BackProjectionIsTheCorrelationWithTheModel) {
    const StraightEcho echo{.lines = 90,
                            .samples = 200,
                            .timing = {.carrier_hz = 5.3e9,
                                       .chirp_slope_hz_s = -6e13,
                                       .chirp_duration_s = 1.2e-6,
                                       .first_sample_s = 2 * 10000.3 / c_m_s,
                                       .sample_rate_hz = 1e8},
                            .first_pulse_time_s = 2,
                            .prf_hz = 400,
                            .velocity_m_s = 200};
    const Samples samples = noise(echo.lines * echo.samples);
    BackprojectionChip chip = echo.chip();
    Samples expected;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column) {
            const double time_s = 2.02 + 0.051 * row;      // part of the aperture lies before the first line
            const double range_m = 10020 + 70.0 * column;  // the last pulses end beyond the last sample
            const IndexRange lines = echo.aperture(range_m, time_s, -20, 30);
            chip.pixels.push_back({echo.place(range_m, time_s), range_m, lines});
            expected.push_back(correlate(samples, echo, lines, range_m, time_s));
        }
    EXPECT_LT(chip.pixels.front().lines.first, 0);
    const std::vector<std::complex<float>> stored(samples.begin(), samples.end());
    const auto pixels =
        device->backproject(put_as(chip.lines, chip.samples, SampleFormat::complex64, stored), {}, chip);
    // Carrier phases of 3.5e5 cycles and the recursion of the chirp are good to 1e-9 in double.
    EXPECT_LT(relative_error(pixels, expected), 3e-9);
}

TEST(OpenDevice, RefusesUnknownNames) {
    for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", ""})
        EXPECT_THROW(open_device(name), InputError) << name;
    EXPECT_THROW(open_device("cuda:4096"), DeviceError);
}

TEST(OpenDevice, TellsSeveralFromOne) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(device_names("auto"), Names{"auto"});
    EXPECT_EQ(device_names("cuda:0,1,12"), (Names{"cuda:0", "cuda:1", "cuda:12"}));
    EXPECT_EQ(device_names("cpu,cpu,cuda:3,cuda:1"), (Names{"cpu", "cpu", "cuda:3", "cuda:1"}));
    EXPECT_EQ(device_names("cpu,1"), (Names{"cpu", "1"})) << "which cannot be opened";
    for (const char* names : {"", ",", "cpu,", ",cpu", "cuda:0,,1"})
        EXPECT_THROW(device_names(names), InputError) << names;
    const std::size_t gpus = list_devices().devices.size() - 1;
    if (gpus == 0) {
        EXPECT_THROW(device_names("cuda:all"), DeviceError);
    } else {
        EXPECT_EQ(device_names("cuda:all").size(), gpus);
    }
    EXPECT_EQ(open_devices("cpu,cpu,cpu-double").size(), 3u);
    for (const char* names : {"cpu,cpu", "cuda:all", "cuda:0,1"})
        expect_refused([&] { open_device(names); }, "takes one device");
}

/// Those that were not given threads share the cores.
TEST(OpenDevice, SharesTheCoresAmongCpus) {
    const std::string cores = open_device("cpu")->info().description, one = open_device("cpu", 1)->info().description;
    const std::string half = open_devices("cpu,cpu").front()->info().description;
    EXPECT_EQ(half == cores, cores == one) << half;
    EXPECT_EQ(open_devices("cpu,cpu", 3).back()->info().description, open_device("cpu", 3)->info().description);
}

TEST(OpenDevice, AutoGoesOnToTheNextGpuWhereOneCannotBeOpened) {
    const auto listed = [](const std::vector<std::string>& names) {
        std::vector<DeviceInfo> devices(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) devices[i].name = names[i];
        return devices;
    };
    std::vector<std::string> tried;
    const auto open = [&](const std::string& name) {
        tried.push_back(name);
        if (name == "cuda:1") throw DeviceError("taken");
        return open_device("cpu");
    };
    EXPECT_NE(first_that_opens(listed({"cuda:1", "cuda:2", "cuda:5"}), open), nullptr);
    EXPECT_EQ(tried, (std::vector<std::string>{"cuda:1", "cuda:2"}));
    EXPECT_EQ(first_that_opens(listed({"cuda:1"}), open), nullptr);
    EXPECT_EQ(first_that_opens({}, open), nullptr);
}

/// GPUs on which this process has begun something, as the driver says; -1 where it does not. Without a header of CUDA,
/// which is not everywhere that this is compiled.
int gpus_begun() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) return -1;
    const auto begin = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    const auto count_of = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
    const auto state_of = reinterpret_cast<int (*)(int, unsigned*, int*)>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
    int count = 0, begun = 0;
    if (!begin || !count_of || !state_of || begin(0) != 0 || count_of(&count) != 0) return -1;
    for (int gpu = 0; gpu < count; ++gpu) {
        unsigned flags = 0;
        int active = 0;
        if (state_of(gpu, &flags, &active) != 0) return -1;
        begun += active != 0 ? 1 : 0;
    }
    return begun;
}

/// Each in a process of its own, as other tests have begun on all there are. Contexts take seconds and memory that jobs
/// on a shared GPU miss.
TEST(ListDevices, BeginsNothingOnGpus) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    if (const DeviceList list = list_devices(); list.devices.size() == 1) {
        const char* required = std::getenv("CORNERTURN_REQUIRE_GPU");
        if (required && std::string(required) == "1") FAIL() << list.cuda_status;
        GTEST_SKIP() << list.cuda_status;
    }
    const auto list = [] {
        list_devices();
        std::exit(gpus_begun());
    };
    const auto open = [] {
        const auto gpu = open_device("cuda");
        gpu->synchronize();
        std::exit(gpus_begun());
    };
    EXPECT_EXIT(list(), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(open(), testing::ExitedWithCode(1), "") << "or this proves nothing";
}

TEST(OpenDevice, AutoTakesWhatIsThere) {
    const DeviceList list = list_devices();
    EXPECT_EQ(list.devices.at(0).name, "cpu");
    EXPECT_EQ(list.cuda_status.empty(), list.devices.size() > 1);
    EXPECT_EQ(open_device("auto")->info().name, list.devices.size() > 1 ? "cuda:0" : "cpu");
}

}  // namespace
}  // namespace cornerturn
