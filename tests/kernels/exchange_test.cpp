// SPDX-License-Identifier: Apache-2.0
// The corner turn across devices: the GPUs' kernel in the emulator, and that of CPU devices.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "kernels/cuda/exchange/exchange_turn.cuh"
#include "kernels/device.h"
#include "kernels/exchange.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/every_device.h"

namespace cornerturn {
namespace {

struct Shape {
    std::int64_t rows, columns;
    int parts;
};
const Shape shapes[] = {{64, 64, 2}, {96, 128, 4}, {61, 47, 3}, {5, 200, 7}, {1, 1, 2}, {33, 2, 4}};

Complex64 value(std::int64_t row, std::int64_t column) { return {static_cast<float>(row), static_cast<float>(column)}; }

std::vector<std::vector<Complex64>> slabs_of(const Slabs& rows, std::int64_t columns, bool numbered) {
    std::vector<std::vector<Complex64>> slabs;
    for (int part = 0; part < rows.parts; ++part) {
        std::vector<Complex64>& slab = slabs.emplace_back();
        for (std::int64_t row = 0; row < rows.size(part); ++row)
            for (std::int64_t column = 0; column < columns; ++column)
                slab.push_back(numbered ? value(rows.first(part) + row, column) : Complex64{-1, -1});
    }
    return slabs;
}

void expect_turned(const Slabs& rows, const Slabs& columns, const std::vector<std::vector<Complex64>>& out) {
    for (int part = 0; part < columns.parts; ++part)
        for (std::int64_t column = 0; column < columns.size(part); ++column)
            for (std::int64_t row = 0; row < rows.rows; ++row) {
                const Complex64 got =
                    out[static_cast<std::size_t>(part)][static_cast<std::size_t>(column * rows.rows + row)];
                const Complex64 want = value(row, columns.first(part) + column);
                ASSERT_TRUE(got.re == want.re && got.im == want.im)
                    << "row " << row << ", column " << column << " of part " << part;
            }
}

TEST(Slabs, ShareOutAllRows) {
    for (const std::int64_t rows : {0, 1, 7, 64, 1001})
        for (const int parts : {1, 2, 3, 8}) {
            const Slabs slabs{rows, parts};
            std::int64_t sum = 0;
            for (int part = 0; part < parts; ++part) {
                EXPECT_EQ(slabs.first(part), sum);
                EXPECT_LE(slabs.size(part), slabs.largest());
                EXPECT_GE(slabs.size(part), slabs.largest() - 1);
                sum += slabs.size(part);
            }
            EXPECT_EQ(sum, rows);
        }
}

TEST(ExchangeTurn, WritesTurnedSlabs) {
    for (const Shape& shape : shapes) {
        const Slabs rows{shape.rows, shape.parts}, columns{shape.columns, shape.parts};
        const auto in = slabs_of(rows, shape.columns, true);
        auto out = slabs_of(columns, shape.rows, false);
        for (int self = 0; self < shape.parts; ++self) {
            ExchangeTurn turn{rows, columns, self, in[static_cast<std::size_t>(self)].data(), {}};
            for (int part = 0; part < shape.parts; ++part) turn.out[part] = out[static_cast<std::size_t>(part)].data();
            Emulator emulator(ExchangeTurn::block_width, ExchangeTurn::block_height);
            emulator.run(turn.blocks(), [&](const EmulatedBlock& block) { turn.run(block); });
        }
        expect_turned(rows, columns, out);
    }
}

TEST(Exchange, TurnsAcrossCpuDevices) {
    for (const Shape& shape : shapes) {
        std::vector<std::unique_ptr<Device>> devices;
        std::vector<Device*> pointers;
        for (int part = 0; part < shape.parts; ++part)
            pointers.push_back(devices.emplace_back(open_device("cpu", 1)).get());
        const Slabs rows{shape.rows, shape.parts}, columns{shape.columns, shape.parts};
        const auto numbers = slabs_of(rows, shape.columns, true);
        std::vector<Matrix> in, out;
        for (int part = 0; part < shape.parts; ++part) {
            Device& device = *pointers[static_cast<std::size_t>(part)];
            in.push_back(device.allocate(SampleFormat::complex64, rows.size(part), shape.columns));
            out.push_back(device.allocate(SampleFormat::complex64, columns.size(part), shape.rows));
            device.upload(std::as_bytes(std::span(numbers[static_cast<std::size_t>(part)])), in.back());
        }
        const auto exchange = pointers.front()->exchange_among(pointers);
        exchange->turn(in, out);
        exchange->wait();
        std::vector<std::vector<Complex64>> got;
        for (const Matrix& slab : out)
            got.emplace_back(slab.data<Complex64>(), slab.data<Complex64>() + slab.rows * slab.columns);
        expect_turned(rows, columns, got);
        ++out[0].rows;
        EXPECT_THROW(exchange->turn(in, out), std::logic_error);
    }
}

using SendingDevices = EveryDevice;
INSTANTIATE_TEST_SUITE_P(Devices, SendingDevices, every_device(), device_name);

/// What is sent arrives before the mark is passed, and what a device is asked for behind it reads that.
TEST_P(SendingDevices, SendBlocksOfColumns) {
    const auto second = open_device(GetParam(), 2);
    Device* const pointers[] = {device.get(), second.get()};
    const auto exchange = device->exchange_among(pointers);
    const std::int64_t rows = 300, columns = 170;
    const Samples numbers = noise(rows * columns);
    const Matrix in = put(rows, columns, numbers);
    Matrix out = second->allocate(native(), rows + 5, 33), turned = second->allocate(native(), 33, rows + 5);
    second->upload(std::vector<std::byte>(out.bytes()), out);
    for (int frame = 0; frame < 2; ++frame) {  // marks begin anew
        exchange->meet();
        exchange->send({0, in.rows_from(100, 200), {11, 44}, 1, out, 105});
        const std::size_t first = exchange->mark();
        exchange->send({0, in.rows_from(0, 100), {11, 44}, 1, out, 5});
        const std::size_t all = exchange->mark();
        exchange->await(1, first);
        exchange->await(1, all);
        second->bench().corner_turn(out, turned, CornerTurnVariant::naive, 0);
    }
    exchange->wait();
    std::vector<std::complex<double>> got(static_cast<std::size_t>(turned.rows * turned.columns));
    second->download(turned, std::span(got));
    for (std::int64_t row = 0; row < out.rows; ++row)
        for (std::int64_t column = 0; column < out.columns; ++column)
            ASSERT_EQ(got[static_cast<std::size_t>(column * out.rows + row)],
                      row < 5 ? 0.0 : numbers[static_cast<std::size_t>((row - 5) * columns + 11 + column)])
                << row << ", " << column;
    EXPECT_THROW(exchange->send({0, in, {11, 44}, 1, out, 6}), std::logic_error);
    EXPECT_THROW(exchange->send({0, in, {140, 173}, 1, out, 0}), std::logic_error);
}

}  // namespace
}  // namespace cornerturn
