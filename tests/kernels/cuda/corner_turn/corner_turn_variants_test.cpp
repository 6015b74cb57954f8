// SPDX-License-Identifier: Apache-2.0
// Every step of the corner turn's ladder, in the emulator: the very bodies that run on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cuda/corner_turn/coarsened.cuh"
#include "kernels/cuda/corner_turn/inplace.cuh"
#include "kernels/cuda/corner_turn/naive.cuh"
#include "kernels/cuda/corner_turn/padded.cuh"
#include "kernels/cuda/corner_turn/production.cuh"
#include "kernels/cuda/corner_turn/rectangular.cuh"
#include "kernels/cuda/corner_turn/tile32.cuh"
#include "kernels/cuda/corner_turn/vectorized.cuh"
#include "kernels/device/corner_turn_variant.h"
#include "kernels/errors.h"
#include "kernels/math/complex.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/guarded.h"

namespace cornerturn {
namespace {

/// Element number i of a matrix: a number of its own, never the pattern of untouched memory.
template <class T>
T element(std::int64_t i) {
    if constexpr (sizeof(T) == sizeof(float))
        return static_cast<T>(i + 1);
    else
        return T{static_cast<float>(i + 1), static_cast<float>(-i)};
}

template <class T>
bool same(const T& a, const T& b) {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<Word>(a) == std::bit_cast<Word>(b);
}

template <class T>
std::int64_t count_wrong(const T* out, MatrixShape shape) {
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row < shape.rows; ++row)
        for (std::int64_t column = 0; column < shape.columns; ++column)
            wrong += !same(out[column * shape.rows + row], element<T>(row * shape.pitch + column));
    return wrong;
}

template <class T, class Turn>
void expect_turned(const char* name, const Turn& turn, MatrixShape shape) {
    SCOPED_TRACE(testing::Message() << name << ", " << shape.rows << " x " << shape.columns << " of " << shape.pitch
                                    << ", " << sizeof(T) << " bytes");
    Guarded<T> in(shape.rows * shape.pitch), out(shape.rows * shape.columns);
    for (std::int64_t i = 0; i < shape.rows * shape.pitch; ++i) in.data()[i] = element<T>(i);
    emulate(turn, in.data(), out.data(), shape);
    EXPECT_EQ(count_wrong(out.data(), shape), 0);
    EXPECT_TRUE(out.guards_untouched());
}

constexpr MatrixShape shapes[] = {{1, 1},
                                  {1, 33},
                                  {33, 1},
                                  {31, 32},
                                  {32, 32},
                                  {33, 31},
                                  {64, 48},
                                  {64, 128},
                                  {65, 130},
                                  {67, 101},
                                  {160, 36},
                                  // Rows apart.
                                  {33, 31, 32},
                                  {64, 48, 49},
                                  {64, 128, 130},
                                  {64, 128, 132},
                                  {65, 130, 173},
                                  {67, 101, 104}};

template <class T>
class Ladder : public testing::Test {
protected:
    template <class Turn>
    static void expect_all_shapes(const char* name, const Turn& turn) {
        for (const MatrixShape shape : shapes) expect_turned<T>(name, turn, shape);
    }
};
using Elements = testing::Types<Complex64, float>;
TYPED_TEST_SUITE(Ladder, Elements);

TYPED_TEST(Ladder, Naive) { this->expect_all_shapes("naive", NaiveTurn<TypeParam>{}); }
TYPED_TEST(Ladder, Patent16) { this->expect_all_shapes("patent16", Patent16Turn<TypeParam>{}); }
TYPED_TEST(Ladder, Tile32) { this->expect_all_shapes("tile32", Tile32Turn<TypeParam>{}); }
TYPED_TEST(Ladder, Rectangular) { this->expect_all_shapes("rectangular", RectangularTurn<TypeParam, 8, 32>{}); }
TYPED_TEST(Ladder, Rectangular1x2) { this->expect_all_shapes("rectangular1x2", RectangularTurn<TypeParam, 1, 2>{}); }
TYPED_TEST(Ladder, Padded) { this->expect_all_shapes("padded", PaddedTurn<TypeParam>{}); }
TYPED_TEST(Ladder, Coarsened) { this->expect_all_shapes("coarsened", CoarsenedTurn<TypeParam>{}); }
TYPED_TEST(Ladder, Vectorized) { this->expect_all_shapes("vectorized", VectorizedTurn<TypeParam>{}); }

TYPED_TEST(Ladder, Production) {
    for (const MatrixShape shape : shapes)
        with_production_turn<TypeParam>(shape, [&](auto turn) { expect_turned<TypeParam>("production", turn, shape); });
}

TYPED_TEST(Ladder, ProductionInStripsOfEveryKind) {
    // With four tile columns in a strip the last is narrower; a strip of one is what rows of 64 KiB get.
    constexpr std::int64_t wide = 65536 / sizeof(TypeParam);
    for (const MatrixShape shape : {MatrixShape{70, 32 * 9 + 5},
                                    {72, 64 * 9 + 4},
                                    {71, 32 * 9 + 5},
                                    {36, wide + 36},
                                    {36, wide + 36, wide + 512}})
        with_production_turn<TypeParam>(shape, [&](auto turn) { expect_turned<TypeParam>("production", turn, shape); });
    EXPECT_EQ(strips_for<TypeParam>({36, wide}).strip, 1u);
    EXPECT_GT(strips_for<TypeParam>({36, wide - 1}).strip, 1u);
    EXPECT_EQ(strips_for<TypeParam>({36, wide, wide + 512}).strip, 2u);
}

TYPED_TEST(Ladder, Inplace) {
    for (const std::int64_t size : {1, 31, 32, 33, 64, 67, 96, 101, 128, 130, 132, 160, 200}) {
        SCOPED_TRACE(testing::Message() << size << " x " << size);
        Guarded<TypeParam> data(size * size);
        for (std::int64_t i = 0; i < size * size; ++i) data.data()[i] = element<TypeParam>(i);
        emulate(InplaceTurn<TypeParam>{}, static_cast<const TypeParam*>(nullptr), data.data(), MatrixShape{size, size});
        EXPECT_EQ(count_wrong(data.data(), {size, size}), 0);
        EXPECT_TRUE(data.guards_untouched());
    }
}

TEST(LadderInplace, EveryPairOfTilesOnce) {
    for (unsigned tiles = 1; tiles < 12; ++tiles) {
        std::set<std::pair<std::int64_t, std::int64_t>> pairs;
        const std::int64_t size = static_cast<std::int64_t>(tiles) * InplaceTurn<float>::side;
        const std::int64_t blocks = InplaceTurn<float>::blocks({size, size});
        EXPECT_EQ(blocks, tiles * (tiles + 1) / 2);
        for (std::int64_t number = 0; number < blocks; ++number) {
            const auto pair = InplaceTurn<float>::pair(static_cast<unsigned>(number), tiles);
            EXPECT_TRUE(0 <= pair.row && pair.row <= pair.column && pair.column < tiles)
                << pair.row << ", " << pair.column;
            pairs.insert({pair.row, pair.column});
        }
        EXPECT_EQ(static_cast<std::int64_t>(pairs.size()), blocks);
    }
}

/// A turn that forgets to wait: the emulator must not let it pass.
struct ForgetfulTurn : PaddedTurn<float> {
    template <class Block>
    struct WithoutBarrier {
        const Block& block;
        auto thread() const { return block.thread(); }
        unsigned number() const { return block.number(); }
        void sync() const {}
        template <class S>
        S& shared() const {
            return block.template shared<S>();
        }
    };
    template <class Block>
    void run(const Block& block, const float* in, float* out, MatrixShape shape) const {
        PaddedTurn<float>::run(WithoutBarrier<Block>{block}, in, out, shape);
    }
};

TEST(Emulator, ShowsAMissingBarrier) {
    const MatrixShape shape{64, 64};
    std::vector<float> in(64 * 64), out(64 * 64);
    for (std::int64_t i = 0; i < 64 * 64; ++i) in[static_cast<std::size_t>(i)] = element<float>(i);
    emulate(ForgetfulTurn{}, in.data(), out.data(), shape);
    EXPECT_GT(count_wrong(out.data(), shape), 0);
}

TEST(Emulator, RefusesABarrierThatSomeThreadsNeverReach) {
    Emulator emulator(32, 2);
    EXPECT_THROW(emulator.run(1,
                              [](const EmulatedBlock& block) {
                                  if (block.thread().x < 31) block.sync();
                              }),
                 std::logic_error);
}

TEST(Emulator, PassesOnWhatABodyThrows) {
    Emulator emulator(4, 1);
    EXPECT_THROW(emulator.run(2,
                              [](const EmulatedBlock& block) {
                                  if (block.number() == 1) throw InputError("no");
                              }),
                 InputError);
}

TEST(CornerTurnVariants, NamesGoBothWays) {
    for (const CornerTurnVariant variant : corner_turn_variants)
        EXPECT_EQ(corner_turn_variant(name_of(variant)), variant);
    EXPECT_THROW(corner_turn_variant("fast"), InputError);
}

}  // namespace
}  // namespace cornerturn
