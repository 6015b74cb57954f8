// SPDX-License-Identifier: Apache-2.0
// The last transforms of azimuth: from spectra to the columns of an image.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cuda/runtime/context.h"
#include "kernels/math/complex.h"

namespace cornerturn {

struct AzimuthImage;

class ImageLines {
public:
    virtual ~ImageLines() = default;
    /// From the spectra of columns `first` ... to their lines in `out`, both packed.
    virtual void run(const Complex64* spectra, std::int64_t first, std::int64_t columns, Complex64* out,
                     const Stream& stream) const = 0;
};

/// Throws Unsupported for a length that has no kernel.
std::unique_ptr<ImageLines> image_lines(const AzimuthImage& pass, SharedContext context);

}  // namespace cornerturn
