// SPDX-License-Identifier: Apache-2.0
// Storage format of the samples of a matrix, and the parameters for reading an echo line as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cornerturn {

/// Storage of one sample, real part first. The first six occur in raw files, the last two of them are what devices
/// compute in; float32, one real number, is for matrices only.
enum class SampleFormat : std::uint8_t {
    int8,        ///< {i8, i8}
    int16,       ///< {i16, i16}
    float16,     ///< {f16, f16}, IEEE binary16
    lut16,       ///< {u16, u16}, indices into a table of 65536 levels (NISAR BFPQLUT)
    complex64,   ///< {f32, f32}
    complex128,  ///< {f64, f64}
    float32      ///< f32
};

/// Bytes of one sample.
constexpr std::size_t bytes_per_sample(SampleFormat format) {
    switch (format) {
        case SampleFormat::int8: return 2;
        case SampleFormat::int16:
        case SampleFormat::float16:
        case SampleFormat::lut16:
        case SampleFormat::float32: return 4;
        case SampleFormat::complex64: return 8;
        case SampleFormat::complex128: return 16;
    }
    return 0;
}

/// Half-open interval [first, last).
struct Interval {
    std::int32_t first = 0;
    std::int32_t last = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
};

/// What turns stored samples into echo: value = gain(line) * level(stored), and 0 in a gap or where the sample is not
/// finite.
struct EchoDecoding {
    std::vector<float> line_gain;         ///< amplitude factor of each line; empty: all 1
    std::vector<Interval> valid_samples;  ///< [line * intervals_per_line + k]; empty: every sample counts
    int intervals_per_line = 0;           ///< sub-swaths; a sample counts if one of its line's intervals holds it
    std::vector<float> levels;            ///< 65536 levels of lut16, else empty
    friend bool operator==(const EchoDecoding&, const EchoDecoding&) = default;
};

}  // namespace cornerturn
