// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/matrix_product_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/device/matrix.h"
#include "kernels/errors.h"
#include "kernels/host/names.h"

namespace cornerturn {

std::string_view name_of(MatrixProductVariant variant) {
    using enum MatrixProductVariant;
    constexpr Named<MatrixProductVariant> names[] = {
        {naive, "naive"}, {tiled, "tiled"}, {padded, "padded"}, {production, "production"}, {cublas, "cublas"}};
    return name_in(names, variant);
}

void require_matrix_product(std::string_view device, std::span<const MatrixProductVariant> there,
                            MatrixProductVariant variant) {
    if (std::find(there.begin(), there.end(), variant) != there.end()) return;
    std::string names;
    for (const MatrixProductVariant v : there) names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(v));
    throw InputError(
        fmt::format("matrix product '{}': {} does not have it; choose {}", name_of(variant), device, names));
}

ProductShape product_shape(const Matrix& a, const Matrix& b, const Matrix& c) {
    if (a.columns != b.rows || c.rows != a.rows || c.columns != b.columns)
        throw std::logic_error(fmt::format("matrix product: {} x {} times {} x {} does not give {} x {}", a.rows,
                                           a.columns, b.rows, b.columns, c.rows, c.columns));
    const bool multiplies = a.format == SampleFormat::float32 || a.format == SampleFormat::complex64 ||
                            a.format == SampleFormat::complex128;
    if (!multiplies || b.format != a.format || c.format != a.format)
        throw std::logic_error(
            fmt::format("matrix product of elements of {}, {} and {} bytes: all must be of one format, float32, "
                        "complex64 or complex128",
                        bytes_per_sample(a.format), bytes_per_sample(b.format), bytes_per_sample(c.format)));
    return {a.rows, a.columns, b.columns};
}

}  // namespace cornerturn
