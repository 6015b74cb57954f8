// SPDX-License-Identifier: Apache-2.0
// The matrix product: every variant on every device against the definition in double, and the GPU's kernels in the
// emulator, exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cuda/matrix_product/naive.cuh"
#include "kernels/cuda/matrix_product/padded.cuh"
#include "kernels/cuda/matrix_product/production.cuh"
#include "kernels/cuda/matrix_product/tiled.cuh"
#include "kernels/device/device_bench.h"
#include "kernels/errors.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/guarded.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// Small whole numbers, so that every sum is exact in any order.
template <class T>
T whole(std::int64_t i) {
    const auto number = [](std::int64_t j) { return static_cast<double>(j * 7919 % 17 - 8); };
    if constexpr (std::is_same_v<T, float>)
        return static_cast<float>(number(i));
    else
        return {static_cast<decltype(T::re)>(number(i)), static_cast<decltype(T::re)>(number(3 * i + 1))};
}

std::complex<double> as_complex(float x) { return x; }
template <class Real>
std::complex<double> as_complex(Complex<Real> x) {
    return {static_cast<double>(x.re), static_cast<double>(x.im)};
}

template <class T>
class ProductSteps : public testing::Test {
protected:
    template <class Product>
    static void expect_exact(const char* name, const Product& product, ProductShape shape) {
        SCOPED_TRACE(testing::Message() << name << ", " << shape.m << " x " << shape.k << " x " << shape.n);
        Guarded<T> a(shape.m * shape.k), b(shape.k * shape.n), c(shape.m * shape.n);
        for (std::int64_t i = 0; i < shape.m * shape.k; ++i) a.data()[i] = whole<T>(i);
        for (std::int64_t i = 0; i < shape.k * shape.n; ++i) b.data()[i] = whole<T>(i + 5);
        emulate(product, a.data(), b.data(), c.data(), shape);
        std::int64_t wrong = 0;
        for (std::int64_t row = 0; row < shape.m; ++row)
            for (std::int64_t column = 0; column < shape.n; ++column) {
                std::complex<double> sum;
                for (std::int64_t inner = 0; inner < shape.k; ++inner)
                    sum += as_complex(a.data()[row * shape.k + inner]) * as_complex(b.data()[inner * shape.n + column]);
                wrong += as_complex(c.data()[row * shape.n + column]) != sum;
            }
        EXPECT_EQ(wrong, 0);
        EXPECT_TRUE(c.guards_untouched());
    }
    template <class Product>
    static void expect_all_shapes(const char* name, const Product& product) {
        for (const ProductShape& shape : {ProductShape{1, 1, 1},
                                          {1, 33, 1},
                                          {31, 1, 33},
                                          {32, 32, 32},
                                          {33, 31, 65},
                                          {64, 17, 36},
                                          {131, 8, 40},
                                          {7, 40, 130},
                                          {130, 9, 131}})
            expect_exact(name, product, shape);
    }
};
using Elements = testing::Types<float, Complex64, Complex128>;
TYPED_TEST_SUITE(ProductSteps, Elements);

TYPED_TEST(ProductSteps, Naive) { this->expect_all_shapes("naive", NaiveProduct<TypeParam>{}); }
TYPED_TEST(ProductSteps, Tiled) { this->expect_all_shapes("tiled", TiledProduct<TypeParam>{}); }
TYPED_TEST(ProductSteps, Padded) { this->expect_all_shapes("padded", PaddedProduct<TypeParam>{}); }
TYPED_TEST(ProductSteps, ProductionLarge) {
    this->expect_all_shapes("large", typename ProductSizes<TypeParam>::Large{});
}
TYPED_TEST(ProductSteps, ProductionMedium) {
    this->expect_all_shapes("medium", typename ProductSizes<TypeParam>::Medium{});
}
TYPED_TEST(ProductSteps, ProductionSmall) {
    this->expect_all_shapes("small", typename ProductSizes<TypeParam>::Small{});
}
TYPED_TEST(ProductSteps, ProductionTiny) { this->expect_all_shapes("tiny", typename ProductSizes<TypeParam>::Tiny{}); }

TYPED_TEST(ProductSteps, ProductionInStripsOfTiles) {
    // More than eight tile columns: the second strip is narrower.
    this->expect_exact("strips", typename ProductSizes<TypeParam>::Tiny{}, {70, 3, 301});
}

TYPED_TEST(ProductSteps, LargeProductsGetLargeTiles) {
    using Sizes = ProductSizes<TypeParam>;
    const auto chosen = [](ProductShape shape) {
        int elements = 0;
        with_production_product<TypeParam>(shape, 132,
                                           [&](auto product) { elements = product.rows * product.columns; });
        return elements;
    };
    EXPECT_EQ(chosen({4096, 4096, 4096}), Sizes::Large::rows * Sizes::Large::columns);
    // 17 or 34 large tiles would leave most of 132 multiprocessors idle.
    EXPECT_LT(chosen({2137, 1055, 108}), Sizes::Large::rows * Sizes::Large::columns);
}

class MatrixProduct : public EveryDevice {
protected:
    /// The variants of the device that run here: all but cublas where that library is not installed.
    std::vector<MatrixProductVariant> usable() {
        std::vector<MatrixProductVariant> variants;
        for (const MatrixProductVariant variant : device->bench().matrix_product_variants()) try {
                Matrix one = put_as(1, 1, SampleFormat::float32, std::vector<float>{1}),
                       c = device->allocate(SampleFormat::float32, 1, 1);
                if (variant == MatrixProductVariant::cublas) device->matrix_product(one, one, c, variant);
                variants.push_back(variant);
            } catch (const DeviceError& error) {
                std::cerr << "left out: " << error.what() << '\n';
            }
        return variants;
    }

    template <class Stored>
    std::vector<Stored> random(std::int64_t count, unsigned seed) {
        std::vector<Stored> stored;
        for (const auto& sample : noise(count, seed)) {
            if constexpr (std::is_same_v<Stored, float>)
                stored.push_back(static_cast<float>(sample.real()));
            else
                stored.push_back(static_cast<Stored>(sample));
        }
        return stored;
    }

    template <class Stored>
    void expect_product(SampleFormat format, double epsilon, MatrixProductVariant variant, ProductShape shape) {
        const auto [m, k, n] = shape;
        SCOPED_TRACE(testing::Message() << name_of(variant) << ", " << m << " x " << k << " x " << n << ", "
                                        << sizeof(Stored) << " bytes");
        const auto a = random<Stored>(m * k, 1), b = random<Stored>(k * n, 2);
        Matrix c =
            put_as(m, n, format,
                   std::vector<Stored>(static_cast<std::size_t>(m * n), std::numeric_limits<float>::quiet_NaN()));
        device->matrix_product(put_as(m, k, format, a), put_as(k, n, format, b), c, variant);
        std::vector<Stored> got(static_cast<std::size_t>(m * n));
        device->download_as_stored(c, std::as_writable_bytes(std::span(got)));
        Samples checked, expected;
        for (std::int64_t i = 0; i<m * n; i += m * n> 20000 && i > n && i < (m - 1) * n ? 97 : 1) {
            std::complex<double> sum;
            for (std::int64_t j = 0; j < k; ++j)
                sum += std::complex<double>(a[static_cast<std::size_t>(i / n * k + j)]) *
                       std::complex<double>(b[static_cast<std::size_t>(j * n + i % n)]);
            checked.emplace_back(got[static_cast<std::size_t>(i)]);
            expected.push_back(sum);
        }
        // A running sum of k random terms errs by about sqrt(k) / 2 roundings of its own size.
        EXPECT_LT(relative_error(checked, expected), epsilon * (1 + std::sqrt(static_cast<double>(k))));
    }

    template <class Stored>
    void expect_products(SampleFormat format, double epsilon) {
        for (const MatrixProductVariant variant : usable())
            for (const ProductShape& shape : {ProductShape{1, 1, 1},
                                              {31, 32, 33},
                                              {64, 16, 64},
                                              {65, 17, 63},
                                              {1, 257, 1},
                                              {129, 1, 131},
                                              {300, 70, 1100}})
                expect_product<Stored>(format, epsilon, variant, shape);
    }

    /// The historic example.
    template <class Stored>
    void expect_historic_product(SampleFormat format, double epsilon) {
        for (const MatrixProductVariant variant : usable())
            expect_product<Stored>(format, epsilon, variant, {2137, 1055, 108});
    }
};

TEST_P(MatrixProduct, OfRealNumbers) {
    expect_products<float>(SampleFormat::float32, std::numeric_limits<float>::epsilon());
}
TEST_P(MatrixProduct, OfComplexNumbers) {
    expect_products<std::complex<float>>(SampleFormat::complex64, std::numeric_limits<float>::epsilon());
}
TEST_P(MatrixProduct, OfComplexNumbersInDouble) {
    expect_products<std::complex<double>>(SampleFormat::complex128, std::numeric_limits<double>::epsilon());
}

TEST_P(MatrixProduct, OfManyRows) {
    expect_historic_product<float>(SampleFormat::float32, std::numeric_limits<float>::epsilon());
    expect_historic_product<std::complex<float>>(SampleFormat::complex64, std::numeric_limits<float>::epsilon());
    expect_historic_product<std::complex<double>>(SampleFormat::complex128, std::numeric_limits<double>::epsilon());
}

TEST_P(MatrixProduct, ManyTilesOfEverySize) {
    expect_product<float>(SampleFormat::float32, std::numeric_limits<float>::epsilon(),
                          MatrixProductVariant::production, {2137, 130, 2137});
    expect_product<std::complex<float>>(SampleFormat::complex64, std::numeric_limits<float>::epsilon(),
                                        MatrixProductVariant::production, {2137, 130, 2136});
}

TEST_P(MatrixProduct, AnEmptySumIsZero) {
    Matrix c = put_as(1, 3, SampleFormat::float32, std::vector<float>{1, 2, 3});
    const Matrix a = device->allocate(SampleFormat::float32, 1, 1).reshaped(1, 0), b = a.reshaped(0, 3);
    for (const MatrixProductVariant variant : device->bench().matrix_product_variants()) {
        if (variant == MatrixProductVariant::cublas) continue;
        device->matrix_product(a, b, c, variant);
        std::vector<float> got(3, 7);
        device->download_as_stored(c, std::as_writable_bytes(std::span(got)));
        EXPECT_EQ(got, std::vector<float>(3)) << name_of(variant);
    }
}

std::string refusal(Device& device, const Matrix& a, const Matrix& b, Matrix& c) {
    return error_of<std::logic_error>([&] { device.matrix_product(a, b, c); });
}

TEST_P(MatrixProduct, ShapesThatDoNotFitAreNamed) {
    Matrix c = device->allocate(native(), 2, 4);
    const std::string text = refusal(*device, put(2, 3, noise(6)), put(5, 4, noise(20)), c);
    expect_in(text, {"2 x 3", "5 x 4"});
    EXPECT_THROW(device->matrix_product(put(2, 3, noise(6)), put(3, 5, noise(15)), c), std::logic_error);
}

TEST_P(MatrixProduct, FormatsThatDoNotFitAreRefused) {
    Matrix c = device->allocate(SampleFormat::complex64, 2, 2);
    const Matrix real = put_as(2, 2, SampleFormat::float32, std::vector<float>(4));
    const Matrix bytes = put_as(2, 2, SampleFormat::int8, std::vector<std::uint16_t>(4));
    EXPECT_NE(refusal(*device, real, real, c), "");
    Matrix d = bytes;
    EXPECT_NE(refusal(*device, bytes, bytes, d), "");
}

TEST_P(MatrixProduct, RefusesAVariantThatTheDeviceLacks) {
    if (device->info().name.starts_with("cuda")) GTEST_SKIP() << "this one has all";
    Matrix c = device->allocate(native(), 1, 1);
    EXPECT_THROW(device->matrix_product(put(1, 1, noise(1)), put(1, 1, noise(1)), c, MatrixProductVariant::cublas),
                 InputError);
}

INSTANTIATE_TEST_SUITE_P(Devices, MatrixProduct, every_device(), device_name);

}  // namespace
}  // namespace cornerturn
