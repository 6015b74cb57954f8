// SPDX-License-Identifier: Apache-2.0
// Range compression: decode -> FFT -> matched filter -> inverse FFT. Rows stay echo lines.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "kernels/passes/decoding.h"
#include "kernels/passes/line_pass.h"
#include "kernels/passes/tables.h"

namespace cornerturn {

template <class Real>
struct RangeCompressionHooks {
    const Complex<Real>* response = nullptr;

    CT_HOST_DEVICE Complex<Real> filter(std::int64_t, std::int64_t bin) const { return response[bin]; }
};

/// in: echo, lines x samples, any stored format. out: lines x (oversampling * (samples + beyond)), native; cell k is a
/// target whose leading edge is sample k / oversampling, less what the filter delays by.
struct RangeCompression {
    static constexpr Transforms transforms = Transforms::both;
    static constexpr bool reads_echo = true;
    static constexpr std::string_view title = "range compression";

    std::int64_t lines = 0;
    std::int64_t samples = 0;
    std::int64_t fft_length = 0;  ///< at least samples; by the length of the filter longer where nothing may wrap
    SampleFormat format = SampleFormat::complex64;
    EchoDecoding decoding;
    /// Makes fft_length values over the bins of an unnormalised forward FFT; they include 1/fft_length of the inverse.
    std::function<std::vector<std::complex<double>>()> filter;
    std::int64_t oversampling = 1;  ///< cells for each sample
    std::int64_t beyond = 0;        ///< samples by which cells go on behind those of the echo

    LineShape shape() const {
        return {lines, samples, fft_length, oversampling * (samples + beyond), oversampling * fft_length};
    }
    template <class Real, class Tables>
    RangeCompressionHooks<Real> hooks(const Tables& tables) const {
        return {tables(as_complex<Real>(filter()), "the range filter")};
    }
};

}  // namespace cornerturn
