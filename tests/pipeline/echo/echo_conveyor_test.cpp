// SPDX-License-Identifier: Apache-2.0
// The conveyor brings every line once, in order, and ends well whatever happens.
#include "pipeline/echo/echo_conveyor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "kernels/errors.h"
#include "pipeline/echo/echo_part.h"
#include "tests/pipeline/run/streamed_echo.h"
#include "tests/support/stopped_job.h"

namespace cornerturn {
namespace {

std::vector<std::byte> carried(Device& device, EchoConveyor& conveyor, std::int64_t total_bytes) {
    std::vector<std::byte> got;
    std::int64_t next = 0;
    conveyor.carry([&](const EchoConveyor::Chunk& block) {
        EXPECT_EQ(block.first_line, next);
        next += block.lines.rows;
        std::vector<std::byte> lines(block.lines.bytes());
        device.download_as_stored(block.lines, lines);
        got.insert(got.end(), lines.begin(), lines.end());
    });
    EXPECT_EQ(got.size(), static_cast<std::size_t>(total_bytes));
    return got;
}

TEST(EchoConveyor, BringsEveryLineOnceInBlocksOfAnySize) {
    const auto device = open_device("cpu", 2);
    const Echo echo = numbered_echo(101, 17);
    EchoConveyor conveyor(*device);
    for (const std::int64_t lines : {1, 7, 100, 101, 0, 7}) {  // 0: as it likes
        SCOPED_TRACE(lines);
        StreamedEcho source(echo);
        conveyor.start(source, lines);
        EXPECT_EQ(carried(*device, conveyor, 101 * 17 * 2), echo.samples);
        EXPECT_EQ(source.lines_read, 101);
    }
}

TEST(EchoConveyor, SaysHowLongReadingTook) {
    const auto device = open_device("cpu", 2);
    const Echo echo = numbered_echo(40, 17);
    StreamedEcho source(echo);
    source.before_read = [](std::int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
    EchoConveyor conveyor(*device);
    for (const int blocks : {4, 2}) {  // each echo for itself
        const auto begin = std::chrono::steady_clock::now();
        conveyor.start(source, 40 / blocks);
        carried(*device, conveyor, 40 * 17 * 2);
        const std::chrono::duration<double> carried_s = std::chrono::steady_clock::now() - begin;
        EXPECT_GE(conveyor.read_s(), 5e-3 * blocks);
        EXPECT_LE(conveyor.read_s(), carried_s.count());
    }
}

TEST(EchoConveyor, PutsTheLinesTogetherAgain) {
    const auto device = open_device("cpu", 2);
    const Echo echo = numbered_echo(50, 9);
    StreamedEcho source(echo);
    EchoConveyor conveyor(*device);
    Matrix whole = device->allocate(SampleFormat::int8, 50, 9);
    conveyor.start(source, 8);
    conveyor.carry_into(whole, [](const EchoConveyor::Chunk&) {});
    std::vector<std::byte> got(echo.samples.size());
    device->download_as_stored(whole, got);
    EXPECT_EQ(got, echo.samples);
}

TEST(EchoConveyor, HandsOnWhatReadingThrew) {
    const auto device = open_device("cpu", 2);
    const Echo echo = numbered_echo(50, 9);
    StreamedEcho source(echo);
    source.before_read = [](std::int64_t first) {
        if (first >= 24) throw InputError("damaged");
    };
    EchoConveyor conveyor(*device);
    conveyor.start(source, 8);
    std::int64_t lines = 0;
    EXPECT_THROW(conveyor.carry([&](const EchoConveyor::Chunk& block) { lines += block.lines.rows; }), InputError);
    EXPECT_EQ(lines, 24) << "what was read before";
    source.before_read = {};
    conveyor.start(source, 8);
    EXPECT_EQ(carried(*device, conveyor, 50 * 9 * 2), echo.samples) << "it works again";
}

TEST(EchoConveyor, StopsWhenTheWorkFailsOrIsNeverBegun) {
    const auto device = open_device("cpu", 2);
    const Echo echo = numbered_echo(500, 9);
    StreamedEcho source(echo);
    EchoConveyor conveyor(*device);
    conveyor.start(source, 8);
    EXPECT_THROW(conveyor.carry([](const EchoConveyor::Chunk&) { throw DeviceError("no memory"); }), DeviceError);
    EXPECT_LT(source.lines_read, 500) << "the reader does not read on";
    conveyor.start(source, 8);
    conveyor.start(source, 8);  // never carried
    {
        const StoppedJob stopped;
        EXPECT_THROW(conveyor.carry([](const EchoConveyor::Chunk&) {}), Interrupted);
    }
    conveyor.start(source, 8);  // and the destructor waits for nobody
}

TEST(EchoConveyor, LinesThatLieOnTheDeviceGoAsOneBlockWithoutACopy) {
    const auto device = open_device("cpu", 2);
    const Echo echo = numbered_echo(101, 17);
    EchoInMemory source(echo);
    EchoSlice some(source, 7, 30);
    EchoConveyor conveyor(*device);
    const std::uint64_t uploaded_bytes = device->transferred().uploaded_bytes;
    conveyor.start(some);
    EXPECT_EQ(conveyor.lines_at_once(), 30);
    int blocks = 0;
    conveyor.carry([&](const EchoConveyor::Chunk& block) {
        EXPECT_EQ(block.lines.data<std::byte>(), echo.samples.data() + 7 * 17 * 2);
        EXPECT_EQ(block.lines.rows, 30);
        ++blocks;
    });
    EXPECT_EQ(blocks, 1);
    EXPECT_EQ(device->transferred().uploaded_bytes, uploaded_bytes);
    Matrix whole = device->allocate(SampleFormat::int8, 101, 17);
    conveyor.start(source);
    conveyor.carry_into(whole, [](const EchoConveyor::Chunk&) {});
    std::vector<std::byte> got(echo.samples.size());
    device->download_as_stored(whole, got);
    EXPECT_EQ(got, echo.samples);
    conveyor.start(source);
    const StoppedJob stopped;
    EXPECT_THROW(conveyor.carry([](const EchoConveyor::Chunk&) {}), Interrupted);
}

TEST(EchoConveyor, BlocksFitTheStorage) {
    Echo echo = numbered_echo(1, 1);
    echo.acquisition.samples = 4096;
    echo.acquisition.lines = 4096;  // 32 MiB
    StreamedEcho source(echo);
    EXPECT_EQ(chunk_lines(source), 256);
    source.unit = 100;
    EXPECT_EQ(chunk_lines(source), 300) << "whole chunks";
    source.unit = 4096;
    EXPECT_EQ(chunk_lines(source), 4096);
    echo.acquisition.lines = 10;
    source.unit = 1;
    EXPECT_EQ(chunk_lines(source), 10) << "no more than there are";
    echo.acquisition.samples = 100000000;
    EXPECT_EQ(chunk_lines(source), 1) << "no fewer than one";
}

}  // namespace
}  // namespace cornerturn
