// SPDX-License-Identifier: Apache-2.0
// Step 4, production: the size of the tiles.
//
// Large tiles multiply fastest, but a product is as slow as the multiprocessor that has most of them to do: 2137 x 108
// elements are 17 tiles of 128 x 128 on 132 multiprocessors. A small model of the time chooses among a few sizes.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/matrix_product/blocked.cuh"

namespace cornerturn {

/// Time that a product takes in units of a multiply-add: the busiest multiprocessor sets it. `speed` is what a
/// multiprocessor makes of its multipliers when the tiles keep it busy; with fewer than eight warps it waits for memory
/// part of the time.
template <class Product>
double product_cost(const ProductShape& shape, int multiprocessors, double speed) {
    const std::int64_t most = (Product::blocks(shape) + multiprocessors - 1) / multiprocessors;
    const double warps = static_cast<double>(std::min<std::int64_t>(most, Product::resident)) * Product::threads / 32;
    return static_cast<double>(most) * Product::rows * Product::columns / (speed * std::min(1.0, warps / 8));
}

/// Sizes to choose from for elements of type T, the fastest for large products first.
template <class T>
struct ProductSizes;
template <>
struct ProductSizes<float> {
    using Large = BlockedProduct<float, 128, 128, 8, 8, 8, 1, 2>;
    using Medium = BlockedProduct<float, 128, 64, 8, 8, 8, 1, 3>;
    using Small = BlockedProduct<float, 64, 64, 16, 8, 4, 1, 4>;
    using Tiny = BlockedProduct<float, 32, 32, 32, 4, 4, 4, 3>;
    static constexpr double speed[] = {0.9, 0.85, 0.65, 0.45};
};
template <>
struct ProductSizes<Complex64> {
    using Large = BlockedProduct<Complex64, 128, 64, 8, 8, 4, 1, 2>;
    using Medium = BlockedProduct<Complex64, 64, 64, 8, 4, 4, 1, 2>;
    using Small = BlockedProduct<Complex64, 32, 32, 16, 4, 2, 2, 3>;
    using Tiny = BlockedProduct<Complex64, 32, 16, 16, 4, 2, 4, 3>;
    static constexpr double speed[] = {0.9, 0.85, 0.6, 0.55};
};
template <>
struct ProductSizes<Complex128> {
    using Large = BlockedProduct<Complex128, 64, 64, 8, 4, 4, 1, 1>;
    using Medium = BlockedProduct<Complex128, 64, 32, 8, 4, 2, 1, 1>;
    using Small = BlockedProduct<Complex128, 32, 32, 8, 2, 2, 1, 2>;
    using Tiny = BlockedProduct<Complex128, 16, 16, 16, 2, 1, 2, 2>;
    static constexpr double speed[] = {0.9, 0.85, 0.8, 0.6};
};

/// Calls go(product) with the size that is expected to be the fastest.
template <class T, class Go>
void with_production_product(const ProductShape& shape, int multiprocessors, Go go) {
    using Sizes = ProductSizes<T>;
    const double cost[] = {product_cost<typename Sizes::Large>(shape, multiprocessors, Sizes::speed[0]),
                           product_cost<typename Sizes::Medium>(shape, multiprocessors, Sizes::speed[1]),
                           product_cost<typename Sizes::Small>(shape, multiprocessors, Sizes::speed[2]),
                           product_cost<typename Sizes::Tiny>(shape, multiprocessors, Sizes::speed[3])};
    switch (std::min_element(std::begin(cost), std::end(cost)) - std::begin(cost)) {
        case 0: return go(typename Sizes::Large{});
        case 1: return go(typename Sizes::Medium{});
        case 2: return go(typename Sizes::Small{});
        default: return go(typename Sizes::Tiny{});
    }
}

}  // namespace cornerturn
