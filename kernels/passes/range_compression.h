// SPDX-License-Identifier: Apache-2.0
// Range compression: decode -> FFT -> matched filter -> inverse FFT. Rows stay echo lines.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/passes/decoding.h"

namespace cornerturn {

/// in: echo, lines x samples, any stored format. out: lines x samples, native; sample k is a target whose leading edge is sample k.
struct RangeCompression {
    std::int64_t lines = 0;
    std::int64_t samples = 0;
    std::int64_t fft_length = 0;  ///< at least samples; by the length of the filter longer where nothing may wrap
    SampleFormat format = SampleFormat::complex64;
    EchoDecoding decoding;
    std::int64_t block_lines = 0;  ///< that run_lines mostly gets; 0: all. A hint for how to cut the work
    bool scaled_halves = false;    ///< out is lines of halves with a scale each (kernels/scaled_lines.h); fused method only
    /// fft_length values over the bins of an unnormalised forward FFT; includes 1/fft_length of the inverse.
    std::vector<std::complex<double>> filter;
};

template <class Real, class Component>
struct RangeCompressionHooks {
    EchoReader<Real, Component> echo;
    const Complex<Real>* response = nullptr;

    CT_HOST_DEVICE Complex<Real> load(std::int64_t line, std::int64_t sample) const { return echo(line, sample); }
    CT_HOST_DEVICE Complex<Real> filter(std::int64_t, std::int64_t bin) const { return response[bin]; }
};

}  // namespace cornerturn
