// SPDX-License-Identifier: Apache-2.0
// The part of DUCC0 that is used: a plan for lines of one length. Compiled once for each kind of processor.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/host/line_fft.h"

namespace cornerturn {

template <class Real>
class LineTransform {
public:
    virtual ~LineTransform() = default;
    /// Not normalised, from anywhere to anywhere, also in place. Safe to call from several threads.
    virtual void operator()(const Complex<Real>* from, Complex<Real>* to) const = 0;
};

/// Kinds of processors by what is compiled for them: of x86-64 three; `any` is each other one, too, and that of this
/// machine, where a build is for that alone.
enum class Processor { any, avx2, avx512 };

/// What DUCC0 throws where it cannot is a std::exception.
template <Processor, class Real>
std::shared_ptr<LineTransform<Real>> plan_line(std::int64_t length, FftDirection direction);

/// By the best that was compiled for the processor on which this runs.
template <class Real>
std::shared_ptr<LineTransform<Real>> plan_line_here(std::int64_t length, FftDirection direction);
/// In words.
const char* vectors_here();

}  // namespace cornerturn
