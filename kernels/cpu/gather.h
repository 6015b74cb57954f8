// SPDX-License-Identifier: Apache-2.0
// The interpolating load of AzimuthCompression on the CPU: one image range line, vectorised over azimuth bins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {

/// Reads range-Doppler data (cells x bins, packed) along the migration curve of one image column and applies the matched filter.
template <class Real>
class MigrationGather {
public:
    MigrationGather(const Complex<Real>* in, std::int64_t cells, std::int64_t bins, const SincPolynomials<Real>& weights)
        : in_(in), cells_(cells), bins_(bins), weights_(weights) {}

    void operator()(const AzimuthCompressionHooks& hooks, std::int64_t column, Complex<Real>* out) const {
        for (std::int64_t first = 0; first < bins_; first += block)
            gather_block(hooks, column, first, std::min(block, bins_ - first), out + first);
    }

private:
    static constexpr std::int64_t block = 256;  // bins whose working set stays in L1

    struct alignas(64) Block {
        std::int32_t base[block];
        Real u[block];
        Complex<Real> filter[block];
        Real re[block];
        Real im[block];
    };

    void gather_block(const AzimuthCompressionHooks& hooks, std::int64_t column, std::int64_t first, std::int64_t count,
                      Complex<Real>* out) const {
        Block b;
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) {
            const Migration m = hooks.at(column, first + i);
            const double cell = std::floor(m.position_cells);
            b.base[i] = static_cast<std::int32_t>(cell);
            b.u[i] = static_cast<Real>(m.position_cells - cell - 0.5);
            b.filter[i] = static_cast<Real>(m.gain) * unit_phasor<Real>(m.phase_cycles);
            b.re[i] = b.im[i] = 0;
        }
        // The base cell moves slowly with frequency: over a run of equal bases every tap reads one row of the matrix contiguously.
        for (std::int64_t run = 0; run < count;) {
            std::int64_t end = run + 1;
            while (end < count && b.base[end] == b.base[run]) ++end;
            gather_run(b, first, run, end);
            run = end;
        }
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) out[i] = b.filter[i] * Complex<Real>{b.re[i], b.im[i]};
    }

    void gather_run(Block& b, std::int64_t first, std::int64_t run, std::int64_t end) const {
        const std::int64_t first_cell = b.base[run] - weights_.taps / 2 + 1;
        const int first_tap = static_cast<int>(std::clamp<std::int64_t>(-first_cell, 0, weights_.taps));
        const int last_tap = static_cast<int>(std::clamp<std::int64_t>(cells_ - first_cell, 0, weights_.taps));
        for (int tap = first_tap; tap < last_tap; ++tap) {
            const Complex<Real>* row = in_ + (first_cell + tap) * bins_ + first;
#pragma omp simd
            for (std::int64_t i = run; i < end; ++i) {
                const Real weight = weights_.weight(tap, b.u[i]);
                b.re[i] += weight * row[i].re;
                b.im[i] += weight * row[i].im;
            }
        }
    }

    const Complex<Real>* in_;
    std::int64_t cells_;
    std::int64_t bins_;
    const SincPolynomials<Real>& weights_;
};

}  // namespace cornerturn
