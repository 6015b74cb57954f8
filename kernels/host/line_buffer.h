// SPDX-License-Identifier: Apache-2.0
// Memory for one line, aligned for vector code.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/math/complex.h"

namespace cornerturn {

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
