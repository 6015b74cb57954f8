// SPDX-License-Identifier: Apache-2.0
// How files hold the complex samples of an image.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cornerturn {

enum class SampleType : std::uint8_t {
    float32,          ///< as they are
    float16,          ///< IEEE binary16
    int16,            ///< real and imaginary part, as parts of a full scale
    amplitude_phase8  ///< code of the amplitude (a table) and of the phase (1/256 of a turn), 8 bits each
};
std::string_view name_of(SampleType type);

struct SampleStorage {
    SampleType type = SampleType::float32;
    std::optional<double> full_scale = {};  ///< of integers: the amplitude that the largest one stands for
};
/// `f32`, `f16`, `int16`, `amp8-phs8`, of integers with their full scale: `int16:2.5`. Throws InputError for others.
SampleStorage sample_storage_named(const std::string& name);

/// Whether the largest amplitude has to be known before the first sample is stored.
constexpr bool has_full_scale(SampleType type) {
    return type == SampleType::int16 || type == SampleType::amplitude_phase8;
}

/// Samples as integers. What is beyond the full scale is clipped to it, and counted; what is not finite is stored as 0.
class IntegerSamples {
public:
    /// `full_scale`: amplitude that the largest code stands for, above 0; throws InputError for another.
    IntegerSamples(SampleType type, double full_scale);

    SampleType type() const { return type_; }
    struct Codes {
        std::int32_t first = 0, second = 0;  ///< real and imaginary part, or amplitude and phase
    };
    Codes codes(const std::complex<float>& sample);
    std::complex<double> value(const Codes& codes) const;

    /// That a real or imaginary part of 1 stands for.
    double step() const { return full_scale_ / largest_int16; }
    /// That codes 0 to 255 of amplitudes stand for: they go with the square, up to the full scale.
    const std::vector<double>& amplitudes() const { return amplitudes_; }
    std::int64_t clipped() const { return clipped_; }
    /// "" or a sentence for users on what was clipped, of `name`.
    std::string remark(const std::string& name) const;

private:
    static constexpr double largest_int16 = 32767;

    SampleType type_;
    double full_scale_;
    std::vector<double> amplitudes_;
    std::int64_t clipped_ = 0;
};

}  // namespace cornerturn
