// SPDX-License-Identifier: Apache-2.0
// Inverse transforms of spectra that go on with zeros: samples come out finer by a whole factor.
#pragma once

#include <cstdint>

#include "kernels/host/line_fft.h"
#include "kernels/host/line_loop.h"
#include "kernels/host/vector_clones.h"
#include "kernels/math/complex.h"
#include "kernels/math/phasor.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

/// Sample k + m / factor of a line is sample k of the line that is shifted by m / factor: as many transforms of the
/// spectrum's own length, which lie in cache and want no zeros, as there are cells for each sample.
template <class Real>
class FinerInverse {
public:
    FinerInverse(const LineShape& shape, int threads)
        : length_(shape.fft_length),
          factor_(shape.inverse() / shape.fft_length),
          inverse_(length_, FftDirection::inverse, shape.lines * factor_),
          shift_(length_),
          shifted_(threads, length_) {
        for (std::int64_t bin = 0; bin < length_; ++bin) {
            const std::int64_t signed_bin = bin < shape.bins_from_zero() ? bin : bin - length_;
            const Complex128 turn =
                unit_phasor<double>(static_cast<double>(signed_bin) / static_cast<double>(shape.inverse()));
            shift_.data()[bin] = {static_cast<Real>(turn.re), static_cast<Real>(turn.im)};
        }
    }

    /// `spectrum` is used up: it is shifted on by a cell at a time, whose roundings stay below 1e-5 over 64 cells.
    void operator()(Complex<Real>* spectrum, Complex<Real>* finer) const {
        Complex<Real>* const samples = shifted_.mine();
        for (std::int64_t cell = 0; cell < factor_; ++cell) {
            if (cell > 0) multiply(spectrum, shift_.data(), length_);
            inverse_(spectrum, samples);
            for (std::int64_t k = 0; k < length_; ++k) finer[k * factor_ + cell] = samples[k];
        }
    }

private:
    CT_VECTOR_CLONES static void multiply(Complex<Real>* values, const Complex<Real>* by, std::int64_t count) {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] * by[i];
    }

    std::int64_t length_, factor_;
    PassFft<Real> inverse_;
    LineBuffer<Real> shift_;
    LineBuffers<Real> shifted_;
};

}  // namespace cornerturn
