// SPDX-License-Identifier: Apache-2.0
// The gather along the spectrum of a line on the CPU (place() of line_pass.h), vectorised over bins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "kernels/host/vector_clones.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

template <class Real>
class SpectrumGather {
public:
    SpectrumGather(const SincKernel& kernel, std::int64_t length)
        : weights_(polynomials<Real>(kernel)), length_(length) {}

    /// `line`: hooks of a line.
    template <class Line>
    void run(const Line& line, const Complex<Real>* spectrum, Complex<Real>* out) const {
        with_taps(weights_.taps, [&]<int Taps>(std::integral_constant<int, Taps>) {
            Chunk chunk;
            for (std::int64_t first = 0; first < length_; first += Chunk::most) {
                const std::int64_t count = std::min(Chunk::most, length_ - first);
                fill(line, first, count, chunk);
                read<Taps>(chunk, count, spectrum, out + first);
            }
        });
    }

private:
    struct alignas(64) Chunk {
        static constexpr std::int64_t most = 256;
        std::int64_t base[most];
        Real u[most];
        Real re[most], im[most];
    };

    template <class Line>
    CT_VECTOR_CLONES static void fill(Line line, std::int64_t first, std::int64_t count, Chunk& chunk) {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) {
            const SpectrumPlace<Real> place = line.place(first + i);
            const double base = std::floor(place.bin);
            chunk.base[i] = static_cast<std::int64_t>(base);
            chunk.u[i] = static_cast<Real>(place.bin - base - 0.5);
            chunk.re[i] = place.factor.re;
            chunk.im[i] = place.factor.im;
        }
    }

    template <int Taps>
    void read(const Chunk& chunk, std::int64_t count, const Complex<Real>* spectrum, Complex<Real>* out) const {
        const auto inside = [&](std::int64_t i) {
            return chunk.base[i] >= Taps / 2 - 1 && chunk.base[i] + Taps / 2 < length_;
        };
        // Places move by one bin from bin to bin and a little less or more: over a run every tap reads neighbours.
        for (std::int64_t run = 0; run < count;) {
            if (!inside(run)) {
                const double bin = static_cast<double>(chunk.base[run]) + 0.5 + static_cast<double>(chunk.u[run]);
                out[run] = gathered(spectrum, length_, weights_, {bin, {chunk.re[run], chunk.im[run]}});
                ++run;
                continue;
            }
            std::int64_t end = run + 1;
            while (end < count && chunk.base[end] - chunk.base[run] == end - run && inside(end)) ++end;
            read_run<Taps>(chunk, run, end, spectrum + (chunk.base[run] - run - Taps / 2 + 1), out,
                           std::make_integer_sequence<int, Taps / 2>{});
            run = end;
        }
    }

    /// `from` + i is the first tap of bin i.
    template <int Taps, int... Pair>
    CT_VECTOR_CLONES void read_run(const Chunk& chunk, std::int64_t run, std::int64_t end, const Complex<Real>* from,
                                   Complex<Real>* out, std::integer_sequence<int, Pair...>) const {
        const SincPolynomials<Real>& weights = weights_;
#pragma omp simd
        for (std::int64_t i = run; i < end; ++i)
            out[i] = Complex<Real>{chunk.re[i], chunk.im[i]} *
                     (weighted(weights.mirrored(Pair, chunk.u[i]), from[i + Pair], from[i + Taps - 1 - Pair]) + ...);
    }

    SincPolynomials<Real> weights_;
    std::int64_t length_;
};

}  // namespace cornerturn
