// SPDX-License-Identifier: Apache-2.0
// The sweep that decodes an echo.
#pragma once

#include "kernels/cuda/plain/rows.cuh"
#include "kernels/passes/decoding.h"

namespace cornerturn {

/// Decodes echo lines into rows of the transform's length: zeros behind the samples, and in rows behind the lines.
template <class Component, int Lanes>
struct LoadEcho {
    static constexpr int lanes = Lanes;
    EchoReader<float, Component> echo;
    std::int64_t first_line;
    std::int64_t lines;
    std::int64_t samples;  ///< of a line; a multiple of the lanes, as is the length
    std::int64_t fft_length;
    Complex64* out;

    CT_HOST_DEVICE bool inside(std::int64_t row, std::int64_t sample) const { return row < lines && sample < samples; }
    CT_HOST_DEVICE SampleVector<Stored<Component>, Lanes> load(std::int64_t row, std::int64_t sample) const {
        return inside(row, sample) ? vector_at<Lanes>(echo.row(first_line + row) + sample)
                                   : SampleVector<Stored<Component>, Lanes>{};
    }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> make(std::int64_t row, std::int64_t sample,
                                                       const SampleVector<Stored<Component>, Lanes>& stored) const {
        SampleVector<Complex64, Lanes> decoded{};
        if (!inside(row, sample)) return decoded;
        const LineRules<float> rules = echo.rules(first_line + row);
        for (int i = 0; i < Lanes; ++i) decoded.lane[i] = rules.apply(echo.finite_part(stored.lane[i]), sample + i);
        return decoded;
    }
    CT_HOST_DEVICE Complex64* place(std::int64_t row, std::int64_t sample) const {
        return out + row * fft_length + sample;
    }
};

}  // namespace cornerturn
