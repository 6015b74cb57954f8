// SPDX-License-Identifier: Apache-2.0
// The range matched filter.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/window.h"

namespace cornerturn {

/// Spectrum of the chirp at the bins of an FFT of `length` points at `sample_rate_hz`: its Fourier integral times the
/// sample rate, without the aliasing of a sampled replica; where there is a replica, its transform. Phase origin is the
/// leading edge. A Doppler frequency runs on within the pulse and moves it.
std::vector<std::complex<double>> chirp_spectrum(const Chirp& chirp, double sample_rate_hz, std::int64_t length,
                                                 double doppler_hz = 0);

/// In power.
inline constexpr double most_noise_gain = 10;

/// By how much wider, in parts, points come out where the edges of a replica's band are too weak to be made flat.
double widened_by_floor(const Chirp& chirp, double sample_rate_hz, const Window& window);

/// Filter for RangeCompression: conj(S) / |S|^2 over the chirp's band, so that a compressed point has a flat spectrum
/// and a window gives exactly its own response; zero outside. Where a replica is so weak that this would raise noise by
/// more than most_noise_gain over that of the band's mean, it is raised by that much, and the spectrum falls off there
/// (widened_by_floor). A point of amplitude A peaks at A. `correction(f_tau)`
/// multiplies the response: the secondary range compression and what the interpolation kernel takes away. The filter is
/// finite: it ends `reach` samples beyond the chirp, on either side. So a transform of any length that holds it gives
/// the same numbers, a point's response is untouched out to reach / 2 samples from its peak, and its sidelobes end
/// instead of wrapping.
std::vector<std::complex<double>> range_filter(const Chirp& chirp, double sample_rate_hz, std::int64_t length,
                                               std::int64_t reach, const Window& window,
                                               const std::function<std::complex<double>(double)>& correction,
                                               double doppler_hz = 0);

}  // namespace cornerturn
