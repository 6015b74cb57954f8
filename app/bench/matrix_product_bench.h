// SPDX-License-Identifier: Apache-2.0
// Checks and times every matrix product that a device has, on one shape.
#pragma once

#include "app/bench/bench_result.h"
#include "kernels/device/device.h"
#include "pipeline/run/progress.h"

namespace cornerturn {

struct ProductRequest {
    ProductShape shape{2137, 1055, 108};
    SampleFormat format = SampleFormat::complex64;  ///< or float32 or complex128
    int repeat = 31;

    /// Of both factors and the product.
    double bytes() const { return shape.elements() * static_cast<double>(bytes_per_sample(format)); }
    /// Multiplications and additions of real numbers.
    double operations() const { return (format == SampleFormat::float32 ? 2 : 8) * shape.multiplications(); }
};

/// Every variant has to multiply random numbers right before it is timed: as near to a product in double as its
/// precision lets it, in all of c where that is small, else in every row by a weighted sum of it and element by element
/// in the outermost and some other rows and columns. Throws InputError where the memory does not suffice.
BenchResult measure_matrix_products(Device& device, const ProductRequest& request, const Progress& progress);

}  // namespace cornerturn
