// SPDX-License-Identifier: Apache-2.0
// Transforms of single lines on the processor, in both precisions, executed by any thread: by FFTW or by DUCC0, as the
// build was asked (CORNERTURN_FFT).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/host/line_buffer.h"
#include "kernels/math/complex.h"

namespace cornerturn {

enum class FftDirection { forward, inverse };

/// Name and version of the library that transforms, and what of this processor it uses, where it tells.
std::string fft_library();

/// Unnormalised 1-D transform of one line, in place. forward: exp(-j 2 pi k n / N).
template <class Real>
class LineFft {
public:
    /// Plans; throws DeviceError if the library cannot.
    LineFft(std::int64_t length, FftDirection direction);
    /// Transforms `length` values at an address aligned like a LineBuffer's. Safe to call from several threads.
    void operator()(Complex<Real>* line) const;

private:
    std::shared_ptr<void> plan_;
};

/// The same from one place to another, for a pass over many lines: where they are many, FFTW measures once which of its
/// algorithms is fastest for this length and keeps what it learnt in the user's cache folder (see fftw/wisdom.h). DUCC0
/// has nothing to measure.
template <class Real>
class PassFft {
public:
    PassFft(std::int64_t length, FftDirection direction, std::int64_t lines);
    /// Both aligned like a LineBuffer's; `from` is left as it was.
    void operator()(const Complex<Real>* from, Complex<Real>* to) const;

private:
    std::shared_ptr<void> plan_;
};

}  // namespace cornerturn
