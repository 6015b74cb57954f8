// SPDX-License-Identifier: Apache-2.0
// The corner turn moves every sample to its place, in any shape, and touches nothing else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tests/kernels/every_device.h"

namespace cornerturn {
namespace {

class CornerTurnOf : public EveryDevice {
protected:
    /// Row and column as real and imaginary part: exact in float below 2^24.
    static Samples coordinates(std::int64_t rows, std::int64_t columns) {
        Samples samples;
        samples.reserve(static_cast<std::size_t>(rows * columns));
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c)
                samples.emplace_back(static_cast<double>(r), static_cast<double>(c));
        return samples;
    }

    void expect_turned(std::int64_t rows, std::int64_t columns,
                       CornerTurnVariant variant = CornerTurnVariant::production) {
        SCOPED_TRACE(fmt::format("{} {} x {}", name_of(variant), rows, columns));
        constexpr std::int64_t guard = 37;
        const std::complex<double> untouched(-1, -2);
        const Matrix in = put(rows, columns, coordinates(rows, columns));
        Matrix out =
            put(1, rows * columns + guard, Samples(static_cast<std::size_t>(rows * columns + guard), untouched));
        device->bench().corner_turn(in, out, variant);
        EXPECT_EQ(out.rows, columns);
        EXPECT_EQ(out.columns, rows);

        const Samples turned = get(out.reshaped(1, rows * columns + guard));
        std::int64_t wrong = 0;
        for (std::int64_t c = 0; c < columns; ++c)
            for (std::int64_t r = 0; r < rows; ++r)
                wrong += turned[static_cast<std::size_t>(c * rows + r)] !=
                         std::complex<double>(static_cast<double>(r), static_cast<double>(c));
        EXPECT_EQ(wrong, 0);
        for (std::size_t i = 0; i < guard; ++i)
            EXPECT_EQ(turned[turned.size() - 1 - i], untouched) << "behind the matrix";
    }
};
INSTANTIATE_TEST_SUITE_P(Devices, CornerTurnOf, every_device(), device_name);

TEST_P(CornerTurnOf, AroundTheTileSize) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 33}, {31, 32}, {32, 32}, {33, 31}, {64, 96}, {65, 63}})
        expect_turned(rows, columns);
}

TEST_P(CornerTurnOf, PrimeByPrime) { expect_turned(257, 1021); }

TEST_P(CornerTurnOf, TallBeyondTheGridLimit) { expect_turned(70001, 3); }

TEST_P(CornerTurnOf, Wide) { expect_turned(3, 70001); }

TEST_P(CornerTurnOf, SeveralStripsOfEveryKind) {
    expect_turned(40, 4 * 32 * 3 + 70);  // strips of four tile columns, the last narrower
    expect_turned(70, 8192 + 40);        // strips of one
}

TEST_P(CornerTurnOf, EveryVariant) {
    for (const CornerTurnVariant variant : usable_corner_turns(*device))
        for (const auto& [rows, columns] :
             {std::pair{1, 1}, {1, 33}, {31, 32}, {33, 31}, {64, 48}, {101, 257}, {96, 96}, {129, 129}})
            if (variant != CornerTurnVariant::inplace || rows == columns) expect_turned(rows, columns, variant);
}

TEST_P(CornerTurnOf, EveryVariantWithFourBytesASample) {
    constexpr std::int64_t rows = 132, columns = 132, odd_rows = 77, odd_columns = 101;
    std::vector<float> values(rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 1000.5f;
    for (const CornerTurnVariant variant : usable_corner_turns(*device)) {
        SCOPED_TRACE(name_of(variant));
        const Matrix in = put_as(rows, columns, SampleFormat::float32, values);
        Matrix out = device->allocate(in.format, rows, columns);
        device->bench().corner_turn(in, out, variant);
        EXPECT_EQ(device->bench().count_differences(in, out, true), 0);
        if (variant == CornerTurnVariant::inplace) continue;
        const Matrix odd = in.reshaped(odd_rows, odd_columns);
        device->bench().corner_turn(odd, out, variant);
        EXPECT_EQ(device->bench().count_differences(odd, out, true), 0);
    }
}

TEST_P(CornerTurnOf, InPlaceWithinOneStorage) {
    const Matrix original = put(67, 67, noise(67 * 67));
    Matrix turned = put(67, 67, noise(67 * 67));
    device->bench().corner_turn(turned, turned, CornerTurnVariant::inplace);
    EXPECT_EQ(device->bench().count_differences(original, turned, true), 0);
}

TEST_P(CornerTurnOf, RefusesInPlaceUnlessSquare) {
    const Matrix in = put(4, 5, noise(20));
    Matrix out = device->allocate(native(), 5, 4);
    EXPECT_THROW(device->bench().corner_turn(in, out, CornerTurnVariant::inplace), InputError);
}

TEST_P(CornerTurnOf, RefusesVariantsThatTheDeviceLacks) {
    const Matrix in = put(4, 4, noise(16));
    Matrix out = device->allocate(native(), 4, 4);
    const auto there = device->bench().corner_turn_variants();
    for (const CornerTurnVariant variant : corner_turn_variants)
        if (std::find(there.begin(), there.end(), variant) == there.end()) {
            EXPECT_THROW(device->bench().corner_turn(in, out, variant), InputError) << name_of(variant);
        }
}

TEST_P(CornerTurnOf, TurnsTheFirstColumnsOfRowsApart) {
    for (const auto& [rows, columns, pitch] :
         {std::array{67, 101, 102}, {64, 96, 104}, {65, 63, 200}, {40, 8192 + 40, 8192 + 552}}) {
        const Matrix in = put(rows, pitch, coordinates(rows, pitch));
        for (const CornerTurnVariant variant : usable_corner_turns(*device)) {
            if (variant == CornerTurnVariant::inplace) continue;
            SCOPED_TRACE(fmt::format("{} {} x {} of {}", name_of(variant), rows, columns, pitch));
            Matrix out = put(columns, rows, Samples(static_cast<std::size_t>(rows * columns)));
            device->bench().corner_turn(in, out, variant, columns);
            EXPECT_EQ(device->bench().count_differences(in, out, true), 0);
            const Samples turned = get(out);
            EXPECT_EQ(turned[static_cast<std::size_t>(columns * rows - 1)],
                      std::complex<double>(rows - 1, columns - 1));
            EXPECT_EQ(turned[static_cast<std::size_t>(rows)], std::complex<double>(0, 1));
        }
    }
    const Matrix in = put(8, 9, noise(72));
    Matrix out = device->allocate(native(), 8, 8);
    EXPECT_THROW(device->bench().corner_turn(in, out, CornerTurnVariant::inplace, 8), InputError);
    EXPECT_THROW(device->bench().corner_turn(in, out, CornerTurnVariant::production, 10), std::logic_error);
}

TEST_P(CornerTurnOf, CountsEveryDifference) {
    Samples samples = noise(40 * 50);
    const Matrix a = put(40, 50, samples);
    samples[7] *= 2, samples[1999] *= 2;
    const Matrix b = put(40, 50, samples);
    Matrix turned = device->allocate(native(), 50, 40);
    device->bench().corner_turn(b, turned);
    EXPECT_EQ(device->bench().count_differences(a, b, false), 2);
    EXPECT_EQ(device->bench().count_differences(a, turned, true), 2);
    EXPECT_EQ(device->bench().count_differences(a, turned.rows_from(0, 30), true), 1) << "of its first 30 columns";
    EXPECT_THROW(device->bench().count_differences(a, b, true), std::logic_error);
    EXPECT_GT(device->bench().count_differences(a, turned, false), 1000);
}

TEST_P(CornerTurnOf, CopiesByEveryMethod) {
    for (const CopyMethod method : {CopyMethod::library, CopyMethod::kernel})
        for (const std::int64_t count : {1, 3, 5000, 70001}) {
            const Matrix from = put(1, count, noise(count));
            Matrix to = put(1, count, Samples(static_cast<std::size_t>(count)));
            device->bench().copy(from, to, method);
            EXPECT_EQ(device->bench().count_differences(from, to, false), 0) << count;
        }
}

TEST_P(CornerTurnOf, RefusesAnOutputThatIsTooSmall) {
    const Matrix in = put(40, 50, noise(40 * 50));
    Matrix out = device->allocate(native(), 30, 50);
    EXPECT_THROW(device->bench().corner_turn(in, out), std::logic_error);
}

}  // namespace
}  // namespace cornerturn
