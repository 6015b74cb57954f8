// SPDX-License-Identifier: Apache-2.0
// FFTW in both precisions behind one template: single-line transforms, executed by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/math/complex.h"

namespace cornerturn {

enum class FftDirection { forward, inverse };

/// Unnormalised 1-D transform of one line, in place. forward: exp(-j 2 pi k n / N).
template <class Real>
class LineFft {
public:
    /// Plans; throws DeviceError if FFTW cannot.
    LineFft(std::int64_t length, FftDirection direction);
    /// Transforms `length` values at an address aligned like a LineBuffer's. Safe to call from several threads.
    void operator()(Complex<Real>* line) const;

private:
    std::shared_ptr<void> plan_;
};

/// The same from one place to another, for a pass over many lines: where they are many, FFTW measures once which of its
/// algorithms is fastest for this length and keeps what it learnt in the user's cache folder (see fftw_wisdom.h).
template <class Real>
class PassFft {
public:
    PassFft(std::int64_t length, FftDirection direction, std::int64_t lines);
    /// Both aligned(); `from` is left as it was.
    void operator()(const Complex<Real>* from, Complex<Real>* to) const;
    static bool aligned(const Complex<Real>* line);

private:
    std::shared_ptr<void> plan_;
};

/// Buffer of one line, aligned for vector code.
template <class Real>
class LineBuffer {
public:
    explicit LineBuffer(std::int64_t length);
    Complex<Real>* data() const { return data_.get(); }

private:
    struct Free {
        void operator()(Complex<Real>* p) const;
    };
    std::unique_ptr<Complex<Real>[], Free> data_;
};

}  // namespace cornerturn
