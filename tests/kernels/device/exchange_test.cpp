// SPDX-License-Identifier: Apache-2.0
// The corner turn across devices: the GPUs' kernel in the emulator, and that of CPU devices.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "kernels/cuda/exchange/exchange_turn.cuh"
#include "kernels/device/device.h"
#include "kernels/device/exchange.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/every_device.h"

namespace cornerturn {
namespace {

struct Shape {
    std::int64_t rows, columns;
    int parts;
};
const Shape exchanged_shapes[] = {{64, 64, 2}, {96, 128, 4}, {61, 47, 3}, {5, 200, 7}, {1, 1, 2}, {33, 2, 4}};

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
    for (const Shape& shape : exchanged_shapes) {
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
    for (const Shape& shape : exchanged_shapes) {
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
        const auto exchange = pointers.front()->exchange_among(pointers, Carrier::fastest);
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

/// What is sent arrives before the mark is passed, and what a device is asked for behind it reads that; also when it
/// was noted before.
void expect_that_blocks_arrive(Device& from, Device& to, Carrier carrier) {
    Device* const devices[] = {&from, &to};
    const auto exchange = from.exchange_among(devices, carrier);
    const std::int64_t rows = 300, columns = 170;
    const SampleFormat native = from.info().native;
    const Samples numbers = noise(rows * columns);
    Matrix in = from.allocate(native, rows, columns), out = to.allocate(native, rows + 5, 33),
           turned = to.allocate(native, 33, rows + 5);
    const std::vector<std::complex<float>> in_single(numbers.begin(), numbers.end());
    from.upload(
        native == SampleFormat::complex64 ? std::as_bytes(std::span(in_single)) : std::as_bytes(std::span(numbers)),
        in);
    const auto send = [&] {
        exchange->meet();
        exchange->send({0, in.rows_from(100, 200), {11, 44}, 1, out, 105});
        const std::size_t first = exchange->mark();
        exchange->send({0, in.rows_from(0, 100), {11, 44}, 1, out, 5});
        const std::size_t all = exchange->mark();
        exchange->await(1, first);
        exchange->await(1, all);
        to.bench().corner_turn(out, turned, CornerTurnVariant::naive, 0);
    };
    const auto clear = [&] {
        exchange->wait();
        to.upload(std::vector<std::byte>(out.bytes()), out);
        to.upload(std::vector<std::byte>(turned.bytes()), turned);
    };
    const auto expect_turned_blocks = [&](const char* when) {
        exchange->wait();
        std::vector<std::complex<double>> got(static_cast<std::size_t>(turned.rows * turned.columns));
        to.download(turned, std::span(got));
        for (std::int64_t row = 0; row < out.rows; ++row)
            for (std::int64_t column = 0; column < out.columns; ++column)
                ASSERT_EQ(got[static_cast<std::size_t>(column * out.rows + row)],
                          row < 5 ? 0.0 : numbers[static_cast<std::size_t>((row - 5) * columns + 11 + column)])
                    << when << ": " << row << ", " << column;
    };
    clear();
    send();
    send();  // marks begin anew
    expect_turned_blocks("asked for");
    const auto recording = exchange->record(send);
    clear();
    recording->replay();
    expect_turned_blocks("replayed");
    EXPECT_THROW(exchange->send({0, in, {11, 44}, 1, out, 6}), std::logic_error);
    EXPECT_THROW(exchange->send({0, in, {140, 173}, 1, out, 0}), std::logic_error);
}

using SendingDevices = EveryDevice;
INSTANTIATE_TEST_SUITE_P(Devices, SendingDevices, every_device(), device_name);

TEST_P(SendingDevices, SendBlocksOfColumns) {
    const auto second = open_device(GetParam(), 2);
    expect_that_blocks_arrive(*device, *second, Carrier::fastest);
}

TEST(Exchange, SendsByEachCarrier) {
    if (list_devices().devices.size() < 3) GTEST_SKIP() << "two GPUs are needed";
    const auto first = open_device("cuda:0"), second = open_device("cuda:1");
    for (const Carrier carrier : {Carrier::host, Carrier::peer, Carrier::nccl, Carrier::fastest}) {
        SCOPED_TRACE(name_of(carrier));
        try {
            expect_that_blocks_arrive(*first, *second, carrier);
            expect_that_blocks_arrive(*second, *first, carrier);
        } catch (const DeviceError& error) {
            EXPECT_NE(carrier, Carrier::host) << error.what();
            std::cerr << "left out: " << error.what() << '\n';
        }
    }
}

TEST(Exchange, CpusTakeNoCarrier) {
    const auto first = open_device("cpu", 1), second = open_device("cpu", 1);
    Device* const devices[] = {first.get(), second.get()};
    EXPECT_THROW(first->exchange_among(devices, Carrier::peer), InputError);
}

}  // namespace
}  // namespace cornerturn
