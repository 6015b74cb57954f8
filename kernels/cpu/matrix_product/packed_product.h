// SPDX-License-Identifier: Apache-2.0
// The fast matrix product on the CPU: a rectangle of sums in registers, a slice of b packed in cache, real and
// imaginary parts stored separately.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/device/matrix_product_variant.h"
#include "kernels/host/line_loop.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// Real part and parts of an element.
template <class T>
struct ElementParts {
    using Real = T;
    static constexpr int count = 1;
};
template <class R>
struct ElementParts<Complex<R>> {
    using Real = R;
    static constexpr int count = 2;
};

/// A panel is `width` columns of b; for each row of the slice it holds one vector of each part.
template <class T>
struct ProductPanels {
    using Real = typename ElementParts<T>::Real;
    using Vector [[gnu::vector_size(64)]] = Real;
    static constexpr int parts = ElementParts<T>::count;
    static constexpr int lanes = 64 / static_cast<int>(sizeof(Real));
    static constexpr int vectors = parts == 1 ? 2 : 1;  ///< of each part in a row of a panel
    static constexpr int width = vectors * lanes;
    static constexpr int height = parts == 1 ? 8 : 6;  ///< rows of c whose sums stay in registers
    static constexpr int row_vectors = vectors * parts;

    Vector* data;
    std::int64_t depth;

    Vector* panel(std::int64_t number) const { return data + number * depth * row_vectors; }

    /// Packs columns [first, first + width) of `rows` rows of b; zeros beyond its edge.
    static void pack(const T* b, std::int64_t n, std::int64_t first, std::int64_t rows, Vector* to) {
        const std::int64_t there = std::min<std::int64_t>(width, n - first);
        for (std::int64_t row = 0; row < rows; ++row, to += row_vectors) {
            const T* from = b + row * n + first;
            Real* numbers = reinterpret_cast<Real*>(to);
            if (there < width) std::fill(numbers, numbers + row_vectors * lanes, Real{});
            for (std::int64_t i = 0; i < there; ++i) {
                if constexpr (parts == 1)
                    numbers[i] = from[i];
                else
                    numbers[i] = from[i].re, numbers[lanes + i] = from[i].im;
            }
        }
    }

    /// Adds (or, at first, stores) to `Height` rows of c, from column `first` on, what `rows` rows of a panel give.
    template <int Height>
    static void multiply(const T* a, std::int64_t k, const Vector* panel_rows, std::int64_t rows, T* c, std::int64_t n,
                         std::int64_t first, bool add) {
        Vector sum[Height][row_vectors] = {};
        for (std::int64_t inner = 0; inner < rows; ++inner, panel_rows += row_vectors) {
#pragma GCC unroll 8
            for (int i = 0; i < Height; ++i) {
                const T factor = a[i * k + inner];
                if constexpr (parts == 1) {
                    sum[i][0] += factor * panel_rows[0];
                    sum[i][1] += factor * panel_rows[1];
                } else {
                    sum[i][0] += factor.re * panel_rows[0];
                    sum[i][1] += factor.re * panel_rows[1];
                    sum[i][0] -= factor.im * panel_rows[1];
                    sum[i][1] += factor.im * panel_rows[0];
                }
            }
        }
        const std::int64_t there = std::min<std::int64_t>(width, n - first);
        for (int i = 0; i < Height; ++i) {
            const Real* numbers = reinterpret_cast<const Real*>(sum[i]);
            T* to = c + i * n + first;
            for (std::int64_t j = 0; j < there; ++j) {
                T value;
                if constexpr (parts == 1)
                    value = numbers[j];
                else
                    value = {numbers[j], numbers[lanes + j]};
                to[j] = add ? to[j] + value : value;
            }
        }
    }

    /// The last rows of a matrix may be fewer.
    template <int Height = height>
    static void multiply_rows(std::int64_t count, const T* a, std::int64_t k, const Vector* panel_rows,
                              std::int64_t rows, T* c, std::int64_t n, std::int64_t first, bool add) {
        if (count >= Height) return multiply<Height>(a, k, panel_rows, rows, c, n, first, add);
        if constexpr (Height > 1) multiply_rows<Height - 1>(count, a, k, panel_rows, rows, c, n, first, add);
    }
};

template <class T>
void packed_product_on_cpu(const T* a, const T* b, T* c, const ProductShape& shape, int threads) {
    using Panels = ProductPanels<T>;
    constexpr std::int64_t depth = 256, wide = (std::int64_t{1} << 20) / (depth * sizeof(T)) / Panels::width *
                                               Panels::width;  // 1 MiB of b
    if (shape.k == 0) return std::fill(c, c + shape.m * shape.n, T{});
    std::vector<typename Panels::Vector> memory(static_cast<std::size_t>(
        depth * Panels::row_vectors * ((std::min(wide, shape.n) + Panels::width - 1) / Panels::width)));
    for (std::int64_t first_column = 0; first_column < shape.n; first_column += wide) {
        const std::int64_t panels = (std::min(wide, shape.n - first_column) + Panels::width - 1) / Panels::width;
        for (std::int64_t first = 0; first < shape.k; first += depth) {
            const std::int64_t rows = std::min(depth, shape.k - first);
            const Panels slice{memory.data(), rows};
            for_each_line(panels, threads, [&](std::int64_t p) {
                Panels::pack(b + first * shape.n, shape.n, first_column + p * Panels::width, rows, slice.panel(p));
            });
            for_each_line((shape.m + Panels::height - 1) / Panels::height, threads, [&](std::int64_t strip) {
                const std::int64_t row = strip * Panels::height;
                for (std::int64_t p = 0; p < panels; ++p)
                    Panels::multiply_rows(shape.m - row, a + row * shape.k + first, shape.k, slice.panel(p), rows,
                                          c + row * shape.n, shape.n, first_column + p * Panels::width, first > 0);
            });
        }
    }
}

}  // namespace cornerturn
