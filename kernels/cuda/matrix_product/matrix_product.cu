// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/matrix_product/matrix_product.h"

#include <climits>
#include <stdexcept>
#include <string>

#include "kernels/cuda/launch/cuda_block.cuh"
#include "kernels/cuda/matrix_product/naive.cuh"
#include "kernels/cuda/matrix_product/padded.cuh"
#include "kernels/cuda/matrix_product/production.cuh"
#include "kernels/cuda/matrix_product/tiled.cuh"
#include "kernels/cuda/runtime/check.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

template <class Product>
constexpr int resident_blocks() {
    if constexpr (requires { Product::resident; })
        return Product::resident;
    else
        return 1;
}

template <class Product, class T>
__global__ void __launch_bounds__(Product::block_width* Product::block_height, resident_blocks<Product>())
    product_kernel(const Product product, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                   const ProductShape shape) {
    product.run(CudaBlock{}, a, b, c, shape);
}

template <class Product>
unsigned grid(const ProductShape& shape) {
    const std::int64_t blocks = Product::blocks(shape);
    if (blocks > INT_MAX)
        throw InputError("matrix product with " + std::to_string(shape.m) + " x " + std::to_string(shape.n) +
                         " elements: " + std::to_string(blocks) + " blocks are needed, a grid holds " +
                         std::to_string(INT_MAX) + "; choose another variant or smaller matrices");
    return static_cast<unsigned>(blocks);
}

}  // namespace

template <class T>
void matrix_product_on_gpu(MatrixProductVariant variant, const T* a, const T* b, T* c, const ProductShape& shape,
                           int multiprocessors, const Stream& stream, Cublas& cublas) {
    if (shape.m == 0 || shape.n == 0) return;
    const auto go = [&](auto product) {
        using Product = decltype(product);
        const dim3 threads(Product::block_width, Product::block_height);
        product_kernel<<<grid<Product>(shape), threads, 0, stream.get()>>>(product, a, b, c, shape);
        check_launch("matrix product");
    };
    switch (variant) {
        case MatrixProductVariant::naive: return go(NaiveProduct<T>{});
        case MatrixProductVariant::tiled: return go(TiledProduct<T>{});
        case MatrixProductVariant::padded: return go(PaddedProduct<T>{});
        case MatrixProductVariant::production: return with_production_product<T>(shape, multiprocessors, go);
        case MatrixProductVariant::cublas: return cublas.matrix_product(a, b, c, shape, stream);
    }
    throw std::logic_error("matrix product " + std::string(name_of(variant)) + " has no kernel");
}
template void matrix_product_on_gpu(MatrixProductVariant, const float*, const float*, float*, const ProductShape&, int,
                                    const Stream&, Cublas&);
template void matrix_product_on_gpu(MatrixProductVariant, const Complex64*, const Complex64*, Complex64*,
                                    const ProductShape&, int, const Stream&, Cublas&);
template void matrix_product_on_gpu(MatrixProductVariant, const Complex128*, const Complex128*, Complex128*,
                                    const ProductShape&, int, const Stream&, Cublas&);

}  // namespace cornerturn
