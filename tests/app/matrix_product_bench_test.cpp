// SPDX-License-Identifier: Apache-2.0
// The bench of matrix products checks before it times.
#include "app/bench/matrix_product_bench.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "app/bench/product_check.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

TEST(MatrixProductBench, EveryVariantOfEveryType) {
    const auto device = open_device("cpu", 1);
    for (const SampleFormat format : {SampleFormat::float32, SampleFormat::complex64, SampleFormat::complex128}) {
        const ProductRequest request{.shape = {67, 31, 45}, .format = format, .repeat = 3};
        const BenchResult result = measure_matrix_products(*device, request, {});
        EXPECT_TRUE(result.wrong.empty());
        EXPECT_TRUE(result.left_out.empty());
        ASSERT_EQ(result.steps.size(), 3u);
        for (const BenchStep& step : result.steps) {
            EXPECT_GT(step.check_db, format == SampleFormat::complex128 ? 290 : 115) << step.name;
            EXPECT_NEAR(step.gflops, request.operations() / (step.median_ms * 1e6), 1e-9 * step.gflops);
            EXPECT_NEAR(step.k_eff * step.gbytes_per_s, 2 * result.copy_gbytes_per_s, 1e-9 * result.copy_gbytes_per_s);
        }
        EXPECT_GT(result.step("production").sustained_ms, 0);
    }
}

TEST(MatrixProductBench, CountsRealOperations) {
    EXPECT_EQ((ProductRequest{.shape = {2, 3, 5}, .format = SampleFormat::float32}.operations()), 60);
    EXPECT_EQ((ProductRequest{.shape = {2, 3, 5}, .format = SampleFormat::complex64}.operations()), 240);
    EXPECT_EQ((ProductRequest{.shape = {2, 3, 5}, .format = SampleFormat::complex64}.bytes()), (6 + 15 + 10) * 8);
}

TEST(MatrixProductBench, RefusesMoreThanTheMemoryHolds) {
    const auto device = open_device("cpu", 1);
    if (device->info().memory_free_bytes == 0) GTEST_SKIP() << "the system does not tell its memory";
    EXPECT_THROW(measure_matrix_products(*device, {.shape = {1 << 24, 1, 1 << 24}}, {}), InputError);
}

/// Shape (m, n): all of c is compared, or some lines and the weighted sum of every row.
class ProductCheckOf : public testing::TestWithParam<ProductShape> {};

TEST_P(ProductCheckOf, OneWrongElementAnywhereIsSeen) {
    const ProductShape shape = GetParam();
    const std::vector<float> a(static_cast<std::size_t>(shape.m * shape.k), 0.5f);
    std::vector<float> b(static_cast<std::size_t>(shape.k * shape.n)), c;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 13) - 6;
    for (std::int64_t row = 0; row < shape.m; ++row)
        for (std::int64_t column = 0; column < shape.n; ++column) {
            float sum = 0;
            for (std::int64_t inner = 0; inner < shape.k; ++inner)
                sum += 0.5f * b[static_cast<std::size_t>(inner * shape.n + column)];
            c.push_back(sum);
        }
    const ProductCheck<float> check(a, b, shape);
    EXPECT_EQ(check(c).wrong, "");
    EXPECT_EQ(check(c).db, 999);  // small whole numbers: exact
    for (const std::size_t place : {std::size_t{0}, c.size() / 3, c.size() / 2, c.size() - 1}) {
        const float right = c[place];
        c[place] = right + 0.5f;
        EXPECT_NE(check(c).wrong, "") << place;
        c[place] = std::numeric_limits<float>::quiet_NaN();
        EXPECT_NE(check(c).wrong, "") << place;
        c[place] = right;
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ProductCheckOf,
                         testing::Values(ProductShape{20, 3, 30}, ProductShape{30, 3, 20}, ProductShape{1, 7, 1},
                                         ProductShape{9000, 4, 9000}));

}  // namespace
}  // namespace cornerturn
