// SPDX-License-Identifier: Apache-2.0
// Lines whose window begins between the samples of the others.
#pragma once

#include <complex>
#include <span>

namespace cornerturn::sentinel1 {

/// Samples as they would have been taken a part of a step earlier: the k-th becomes the signal at k - `later`, 0 to 1,
/// by a windowed sinc that leaves -90 dB of signals over 0.88 of the sampling rate, as chirps of strips and bursts have
/// them. The first one lies before the window then, and is zero.
void move_samples(std::span<std::complex<float>> samples, double later);

}  // namespace cornerturn::sentinel1
