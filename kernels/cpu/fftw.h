// SPDX-License-Identifier: Apache-2.0
// FFTW in both precisions behind one template: single-line transforms, executed on any aligned buffer by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/complex.h"

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
