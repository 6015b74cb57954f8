// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/statistics.h"

#include "kernels/cpu/decoding_tables.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

template <class Component>
EchoStatistics reduce(const Matrix& echo, const EchoReader<double, Component>& reader, int threads) {
    std::int64_t non_finite = 0;
    double power = 0, lag_re = 0, lag_im = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : non_finite, power, lag_re, lag_im)
    for (std::int64_t line = 0; line < echo.rows; ++line) {
        const bool has_next = line + 1 < echo.rows;
        for (std::int64_t sample = 0; sample < echo.columns; ++sample) {
            non_finite += !reader.finite(reader.stored(line, sample));
            const Complex<double> now = reader(line, sample);
            power += now.re * now.re + now.im * now.im;
            if (has_next) {
                const Complex<double> product = conj(now) * reader(line + 1, sample);
                lag_re += product.re;
                lag_im += product.im;
            }
        }
    }
    throw_if_interrupted();
    return {.non_finite = non_finite, .mean_power = power / static_cast<double>(echo.rows * echo.columns), .lag1 = {lag_re, lag_im}};
}

}  // namespace

EchoStatistics statistics_on_cpu(const Matrix& echo, const EchoDecoding& decoding, int threads) {
    return with_component(echo.format, [&]<class Component>(std::type_identity<Component>) {
        return reduce(echo, echo_reader<double, Component>(echo, decoding), threads);
    });
}

}  // namespace cornerturn
