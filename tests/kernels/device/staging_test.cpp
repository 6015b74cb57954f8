// SPDX-License-Identifier: Apache-2.0
// Lines that come to a device piece by piece, and rows that leave it so.
#include "kernels/device/staging.h"
#include "kernels/device/device_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "kernels/passes/range_compression.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/one_step.h"

namespace cornerturn {
namespace {

class Streaming : public EveryDevice {
protected:
    static std::vector<std::uint16_t> numbered(std::int64_t count, unsigned seed = 1) {
        std::vector<std::uint16_t> samples(static_cast<std::size_t>(count));
        std::mt19937 generator(seed);
        for (auto& s : samples) s = static_cast<std::uint16_t>(generator());
        return samples;
    }
};
INSTANTIATE_TEST_SUITE_P(Devices, Streaming, every_device(), device_name);

/// As focus does it: three places in turn, each filled again as soon as its host memory is free, while the device still
/// has work with the lines sent from it before.
TEST_P(Streaming, LinesArriveAsTheyWereSentWhileTheirPlacesAreFilledAgain) {
    constexpr std::int64_t lines = 1000, samples = 37, at_once = 64;  // the last block is a short one
    const auto echo = numbered(lines * samples);
    const Matrix expected = put_as(lines, samples, SampleFormat::int8, echo);
    Matrix whole = device->allocate(SampleFormat::int8, lines, samples);
    std::vector<std::unique_ptr<StagedLines>> places;
    for (int i = 0; i < 3; ++i) places.push_back(device->stage(SampleFormat::int8, at_once, samples));
    const std::uint64_t before = device->transferred().uploaded_bytes;
    for (std::int64_t first = 0, number = 0; first < lines; first += at_once, ++number) {
        StagedLines& place = *places[static_cast<std::size_t>(number % 3)];
        const std::int64_t count = std::min(at_once, lines - first);
        std::memcpy(place.host().data(), echo.data() + first * samples, static_cast<std::size_t>(count * samples) * 2);
        const Matrix sent = place.send(count);
        EXPECT_EQ(sent.rows, count);
        Matrix part = whole.rows_from(first, count);
        device->bench().copy(sent, part);
        place.release();
    }
    EXPECT_EQ(device->transferred().uploaded_bytes - before, static_cast<std::uint64_t>(lines * samples * 2));
    std::vector<std::uint16_t> got(echo.size());
    device->download_as_stored(whole, std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, echo);
}

TEST_P(Streaming, LinesGoIntoALargerMatrixAndStraightFromHostMemory) {
    constexpr std::int64_t lines = 10, samples = 5;
    const auto echo = numbered(lines * samples);
    const auto host = device->host_memory(echo.size() * 2);
    std::memcpy(host.get(), echo.data(), echo.size() * 2);
    Matrix whole = device->allocate(SampleFormat::int8, lines, samples);
    const auto place = device->stage(SampleFormat::int8, 7, samples);
    std::memcpy(place->host().data(), echo.data(), 7 * samples * 2);
    place->send_into(whole, 0, 7);
    place->release();
    const Matrix rest = place->send_from(host.get() + 7 * samples * 2, 3);
    Matrix last = whole.rows_from(7, 3);
    device->bench().copy(rest, last);
    place->release();
    device->synchronize();
    std::vector<std::uint16_t> got(echo.size());
    device->download_as_stored(whole, std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, echo);
    EXPECT_THROW(place->send(8), std::logic_error) << "more than there is room for";
    EXPECT_THROW(place->send_into(whole, 4, 7), std::logic_error) << "beyond the end";
    Matrix narrow = whole.reshaped(lines, samples - 1);
    EXPECT_THROW(place->send_into(narrow, 0, 2), std::logic_error);
}

TEST_P(Streaming, HostMemoryOfTheDeviceGoesThereAndBack) {
    constexpr std::int64_t rows = 33, columns = 31;
    const auto memory = device->host_memory(rows * columns * 8);
    const std::span samples(reinterpret_cast<std::complex<float>*>(memory.get()), rows * columns);
    const Matrix matrix = put(rows, columns, noise(rows * columns, 1));
    device->download(matrix, samples);
    const Samples expected = get(matrix);
    for (std::size_t i = 0; i < samples.size(); ++i) ASSERT_EQ(std::complex<double>(samples[i]), expected[i]) << i;
    if (!is_float()) return;
    Matrix again = device->allocate(native(), rows, columns);
    device->upload(std::as_bytes(samples), again);
    EXPECT_EQ(device->bench().count_differences(matrix, again, false), 0);
}

TEST_P(Streaming, RowsLeaveInOrder) {
    for (const auto& [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {7, 1000003}, {4099, 613}}) {  // more than one piece
        SCOPED_TRACE(rows);
        const Samples samples = noise(rows * columns);
        const Matrix matrix = put(rows, columns, samples);
        std::int64_t next = 0;
        device->download_rows(matrix, [&](std::int64_t first, std::span<const std::complex<float>> piece) {
            ASSERT_EQ(first, next);
            ASSERT_EQ(piece.size() % static_cast<std::size_t>(columns), 0u) << "whole rows";
            const bool same = std::equal(
                piece.begin(), piece.end(), samples.begin() + first * columns,
                [](std::complex<float> got, std::complex<double> put) { return std::complex<double>(got) == put; });
            ASSERT_TRUE(same) << first;
            next += static_cast<std::int64_t>(piece.size()) / columns;
        });
        EXPECT_EQ(next, rows);
    }
}

TEST_P(Streaming, CountsWhatIsNotFiniteInPieces) {
    constexpr std::int64_t lines = 301, samples = 77;
    std::vector<std::complex<float>> stored;
    for (const auto& s : noise(lines * samples)) stored.emplace_back(s + 0.5);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const int line : {0, 99, 100, 300}) stored[static_cast<std::size_t>(line * samples + 3)] = {nan, 0};
    const Matrix echo = put_as(lines, samples, SampleFormat::complex64, stored);
    const auto counter = device->non_finite_counter({});
    EXPECT_EQ(counter->result(), 0);
    std::int64_t first = 0;
    for (const std::int64_t count : {1, 99, 0, 2, 199}) {
        counter->add(echo.rows_from(first, count));
        first += count;
    }
    EXPECT_EQ(counter->result(), 4);
    EXPECT_EQ(device->non_finite_counter({})->result(), 0) << "the next one begins anew";
}

TEST_P(Streaming, ARangePassTakesTheTablesOfAnotherEcho) {
    RangeCompression pass{
        .lines = 3, .samples = 5, .fft_length = 8, .format = SampleFormat::int8, .decoding = {}, .filter = [] {
            return noise(8);
        }};
    const Matrix echo = put_as(3, 5, SampleFormat::int8, numbered(15));
    Matrix got = device->allocate(native(), 3, 5), expected = device->allocate(native(), 3, 5);
    const auto plan = plan_of(*device, pass);
    plan->run(echo, got);
    pass.decoding.line_gain = {2.0f, 0.5f, 3.0f};
    ASSERT_TRUE(plan->decode_as(pass.decoding));
    plan->run(echo, got);
    plan_of(*device, pass)->run(echo, expected);
    EXPECT_EQ(get(got), get(expected));
    pass.decoding = {};
    plan->decode_as(pass.decoding);
    plan->run(echo, got);
    EXPECT_NE(get(got), get(expected));
}

TEST_P(Streaming, KnowsHowFastItsBusIsAndHowLongItWorked) {
    const BusRate rate = device->bench().bus_rate(1 << 20);
    EXPECT_GT(rate.upload_bytes_per_s, 1e6);
    EXPECT_GT(rate.download_bytes_per_s, 1e6);
    const auto watch = device->stopwatch();
    EXPECT_EQ(watch->seconds(), 0);
    Matrix from = put(512, 512, noise(512 * 512)), to = device->allocate(native(), 512, 512);
    watch->start();
    device->bench().corner_turn(from, to);
    watch->stop();
    const double once = watch->seconds();
    EXPECT_GT(once, 0);
    watch->start();
    device->bench().corner_turn(from, to);
    watch->stop();
    EXPECT_GT(watch->seconds(), once);
    const std::vector<BusySpan> spans = watch->take_spans();
    ASSERT_EQ(spans.size(), 2U);
    double sum = 0;
    for (const BusySpan& span : spans) sum += std::chrono::duration<double>(span.end - span.begin).count();
    EXPECT_NEAR(sum, watch->seconds(), 1e-5);  // marks of a GPU are that exact, in s since the first
    EXPECT_GE(spans[1].begin, spans[0].end);
    EXPECT_TRUE(watch->take_spans().empty()) << "they were taken";
}

/// Copies of a GPU are placed between what the host saw before and after; a CPU has no bus.
TEST_P(Streaming, TheBusTellsWhenItWasBusy) {
    using namespace std::chrono_literals;
    constexpr auto slack = 1ms;  // between the clocks of host and GPU
    put(8, 8, noise(64));        // the first copy sets the clock
    device->take_bus_spans();
    const auto before = std::chrono::steady_clock::now();
    const Matrix matrix = put(512, 512, noise(512 * 512));
    std::vector<std::byte> back(matrix.bytes());
    device->download_as_stored(matrix, back);
    const BusSpans spans = device->take_bus_spans();
    const auto after = std::chrono::steady_clock::now();
    EXPECT_EQ(spans.uploads.empty(), !device->info().name.starts_with("cuda"));
    for (const auto& way : {spans.uploads, spans.downloads})
        for (const BusySpan& span : way) {
            EXPECT_GE(span.begin, before - slack);
            EXPECT_LE(span.begin, span.end);
            EXPECT_LE(span.end, after + slack);
        }
    EXPECT_TRUE(device->take_bus_spans().uploads.empty()) << "they were taken";
}

/// The other one is the last GPU where there are several: streams and events belong to the GPU that is current when
/// they are made.
TEST_P(Streaming, TwoDevicesWorkSideBySide) {
    const bool gpu = device->info().name.starts_with("cuda");
    const auto other = open_device(gpu ? list_devices().devices.back().name : GetParam(), 2);
    const auto watch = device->stopwatch(), other_watch = other->stopwatch();
    for (int round = 0; round < 2; ++round)
        for (const bool first : {true, false}) {
            Device& works = first ? *device : *other;
            DeviceStopwatch& clock = first ? *watch : *other_watch;
            Matrix from = works.allocate(native(), 40, 30), to = works.allocate(native(), 30, 40),
                   back = works.allocate(native(), 40, 30);
            std::vector<std::byte> samples(from.bytes()), got(samples.size());
            for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::byte>(i % 251);
            works.upload(samples, from);
            (first ? *other : *device).allocate(native(), 1, 1);  // makes the other GPU the current one
            clock.start();
            works.bench().corner_turn(from, to);
            works.bench().corner_turn(to, back);
            clock.stop();
            works.download_as_stored(back, got);
            EXPECT_EQ(got, samples);
            EXPECT_GT(clock.seconds(), 0);
        }
}

}  // namespace
}  // namespace cornerturn
