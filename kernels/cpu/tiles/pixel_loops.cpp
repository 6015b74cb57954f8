// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/pixel_loops.h"

#include "kernels/host/vector_clones.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

/// Values of a polynomial at pixels that lie level. Those that follow each other along have the same place across:
/// there it is a polynomial in y alone.
template <int Lanes>
CT_HOST_DEVICE void evaluate_level(const TilePixels& pixels, const TileLayout& layout, const TilePolynomial& polynomial,
                                   double* values) {
    for (int strip = 0; strip < layout.strips; ++strip) {
        double of_y[TilePolynomial::in_y][Lanes];
        for (int lane = 0; lane < Lanes; ++lane) {
            const auto powers = polynomial.of_y_at(pixels.x[layout.first_of(0, strip) + lane]);
            for (std::size_t k = 0; k < TilePolynomial::in_y; ++k) of_y[k][lane] = powers[k];
        }
        for (int group = 0; group < layout.groups; ++group)
            for (int vector = 0; vector < vectors_at_a_time; ++vector) {
                const int first = layout.first_of(group, strip, vector);
                for (int lane = 0; lane < Lanes; ++lane) {
                    const double v = pixels.y[first + lane] * polynomial.per_y;
                    double sum = 0;
                    for (std::size_t k = TilePolynomial::in_y; k-- > 0;) sum = sum * v + of_y[k][lane];
                    values[first + lane] = sum;
                }
            }
    }
}

}  // namespace

CT_VECTOR_CLONES void evaluate(const TilePixels& pixels, const TileLayout& layout, const TilePolynomial& polynomial,
                               double* values) {
    const TilePolynomial of = polynomial;
    if (of.per_height != 0)
        for (int i = 0; i < pixels.count; ++i) values[i] = of.at(pixels.x[i], pixels.y[i], pixels.height_m[i]);
    else if (layout.lanes == 16)
        evaluate_level<16>(pixels, layout, of, values);
    else if (layout.lanes == 8)
        evaluate_level<8>(pixels, layout, of, values);
    else
        evaluate_level<4>(pixels, layout, of, values);
}

CT_VECTOR_CLONES void find_cycles(const CompressedTiming& timing, const PulsePath& path, std::int64_t count,
                                  const Place* places, double* cycles) {
    const CompressedTiming at = timing;
    const PulsePath along = path;
    for (std::int64_t i = 0; i < count; ++i) cycles[i] = arrival(at, along, places[i]).cycles;
}

CT_VECTOR_CLONES void turn_sums(int count, const double* cycles, float* re, float* im) {
    for (int i = 0; i < count; ++i) {
        const Complex64 turn = unit_phasor<float>(cycles[i]);
        const float a = re[i], b = im[i];
        re[i] = a * turn.re - b * turn.im;
        im[i] = a * turn.im + b * turn.re;
    }
}

CT_VECTOR_CLONES void weigh_sums(int count, const double* weight, float* re, float* im) {
    for (int i = 0; i < count; ++i) {
        const auto w = static_cast<float>(weight[i]);
        re[i] *= w;
        im[i] *= w;
    }
}

}  // namespace cornerturn
