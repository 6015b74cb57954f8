// SPDX-License-Identifier: Apache-2.0
#include "kernels/steps/steps.h"

#include <type_traits>

namespace cornerturn {

WorkShape shape_of(const Work& work) {
    return std::visit(
        [](const auto& w) -> WorkShape {
            using W = std::decay_t<decltype(w)>;
            if constexpr (std::is_same_v<W, CornerTurn>) {
                return {w.rows, w.columns, w.columns, w.rows};
            } else if constexpr (std::is_same_v<W, Accumulation>) {
                return {w.lines, w.cells, w.rows, w.columns};
            } else if constexpr (std::is_same_v<W, FactorisedAccumulation>) {
                return {w.sum.lines, w.sum.cells, w.sum.rows, w.sum.columns};
            } else if constexpr (std::is_same_v<W, AzimuthCompression>) {
                return {w.input_cells, w.fft_length, w.columns, w.image_rows};
            } else {
                const LineShape shape = w.shape();
                return {shape.lines, shape.in, shape.lines, shape.out};
            }
        },
        work);
}

std::string_view title_of(const Work& work) {
    return std::visit([](const auto& w) { return w.title; }, work);
}

SampleFormat input_format(const Steps& steps, SampleFormat native) {
    return std::visit(
        [native](const auto& w) {
            if constexpr (requires { w.format; })
                return w.format;
            else
                return native;
        },
        steps.at(0).work);
}

}  // namespace cornerturn
