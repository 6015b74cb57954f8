// SPDX-License-Identifier: Apache-2.0
// The corner turn moves every sample to its place, in any shape, and touches nothing else.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/kernels/every_device.h"

namespace cornerturn {
namespace {

class CornerTurn : public EveryDevice {
protected:
    /// Row and column as real and imaginary part: exact in float below 2^24.
    static Samples coordinates(std::int64_t rows, std::int64_t columns) {
        Samples samples;
        samples.reserve(static_cast<std::size_t>(rows * columns));
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c) samples.emplace_back(static_cast<double>(r), static_cast<double>(c));
        return samples;
    }

    void expect_turned(std::int64_t rows, std::int64_t columns) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
        constexpr std::int64_t guard = 37;
        const std::complex<double> untouched(-1, -2);
        const Matrix in = put(rows, columns, coordinates(rows, columns));
        Matrix out = put(1, rows * columns + guard, Samples(static_cast<std::size_t>(rows * columns + guard), untouched));
        device->corner_turn(in, out);
        EXPECT_EQ(out.rows, columns);
        EXPECT_EQ(out.columns, rows);

        const Samples turned = get(out.reshaped(1, rows * columns + guard));
        std::int64_t wrong = 0;
        for (std::int64_t c = 0; c < columns; ++c)
            for (std::int64_t r = 0; r < rows; ++r)
                wrong +=
                    turned[static_cast<std::size_t>(c * rows + r)] != std::complex<double>(static_cast<double>(r), static_cast<double>(c));
        EXPECT_EQ(wrong, 0);
        for (std::size_t i = 0; i < guard; ++i) EXPECT_EQ(turned[turned.size() - 1 - i], untouched) << "behind the matrix";
    }
};
INSTANTIATE_TEST_SUITE_P(Devices, CornerTurn, every_device(), device_name);

TEST_P(CornerTurn, AroundTheTileSize) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 33}, {31, 32}, {32, 32}, {33, 31}, {64, 96}, {65, 63}})
        expect_turned(rows, columns);
}

TEST_P(CornerTurn, PrimeByPrime) { expect_turned(257, 1021); }

TEST_P(CornerTurn, TallBeyondTheGridLimit) { expect_turned(70001, 3); }

TEST_P(CornerTurn, Wide) { expect_turned(3, 70001); }

TEST_P(CornerTurn, SeveralStripsOfEveryKind) {
    expect_turned(40, 4 * 32 * 3 + 70);  // strips of four tile columns, the last narrower
    expect_turned(70, 8192 + 40);        // strips of one
}

TEST_P(CornerTurn, RefusesAnOutputThatIsTooSmall) {
    const Matrix in = put(40, 50, noise(40 * 50));
    Matrix out = device->allocate(native(), 30, 50);
    EXPECT_THROW(device->corner_turn(in, out), std::logic_error);
}

}  // namespace
}  // namespace cornerturn
