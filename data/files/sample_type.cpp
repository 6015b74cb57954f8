// SPDX-License-Identifier: Apache-2.0
#include "data/files/sample_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/errors.h"
#include "kernels/host/names.h"
#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

constexpr Named<SampleType> type_names[] = {{SampleType::float32, "f32"},
                                            {SampleType::float16, "f16"},
                                            {SampleType::int16, "int16"},
                                            {SampleType::amplitude_phase8, "amp8-phs8"}};

// Amplitudes go with the square of their codes: 96 dB from the first to the last, bright ones within 0.4 %, of the
// full scale.
constexpr int amplitude_codes = 256;
constexpr double last_code = amplitude_codes - 1;
constexpr int phase_codes = 256;

}  // namespace

SampleStorage sample_storage_named(const std::string& text) {
    const auto colon = text.find(':');
    const auto refuse = [&] {
        throw InputError(
            fmt::format("--sample-type {}: unknown; choose f32, f16, int16 or amp8-phs8, of integers with "
                        "the amplitude of the largest, as int16:2.5",
                        text));
    };
    const auto known = find_in(type_names, text.substr(0, colon));
    if (!known) refuse();
    SampleStorage storage{.type = *known};
    if (colon == std::string::npos) return storage;
    const auto full_scale = number_from<double>(std::string_view(text).substr(colon + 1));
    if (!has_full_scale(storage.type) || !full_scale) refuse();
    IntegerSamples(storage.type, *full_scale);  // which refuses what is none
    storage.full_scale = *full_scale;
    return storage;
}

std::string_view name_of(SampleType type) { return name_in(type_names, type); }

IntegerSamples::IntegerSamples(SampleType type, double full_scale) : type_(type), full_scale_(full_scale) {
    if (!(full_scale > 0) || !std::isfinite(full_scale))
        throw InputError(fmt::format(
            "--sample-type {}:{}: the number is the largest amplitude that is to be held, and must be above 0",
            name_of(type), full_scale));
    if (type != SampleType::amplitude_phase8) return;
    for (int code = 0; code < amplitude_codes; ++code)
        amplitudes_.push_back(full_scale * (code / last_code) * (code / last_code));
}

IntegerSamples::Codes IntegerSamples::codes(const std::complex<float>& sample) {
    const std::complex<double> value(sample);
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) return {};
    if (type_ == SampleType::int16) {
        const auto part = [&](double of) { return std::clamp(of / step(), -largest_int16, largest_int16); };
        clipped_ += std::max(std::abs(value.real()), std::abs(value.imag())) > full_scale_ * (1 + 1e-6) ? 1 : 0;
        return {static_cast<std::int32_t>(std::lround(part(value.real()))),
                static_cast<std::int32_t>(std::lround(part(value.imag())))};
    }
    const double amplitude = std::abs(value);
    clipped_ += amplitude > full_scale_ * (1 + 1e-6) ? 1 : 0;
    const double code = last_code * std::sqrt(amplitude / full_scale_);
    const auto turn = std::lround(std::arg(value) / (2 * std::numbers::pi) * phase_codes);
    return {static_cast<std::int32_t>(std::lround(std::min(code, last_code))),
            static_cast<std::int32_t>((turn + phase_codes) % phase_codes)};
}

std::complex<double> IntegerSamples::value(const Codes& codes) const {
    if (type_ == SampleType::int16) return {step() * codes.first, step() * codes.second};
    return std::polar(amplitudes_[static_cast<std::size_t>(codes.first)],
                      2 * std::numbers::pi * codes.second / phase_codes);
}

std::string IntegerSamples::remark(const std::string& name) const {
    if (clipped_ == 0) return {};
    return fmt::format(
        "{}: {} samples are beyond the full scale of {:.9g}, and clipped to it; --sample-type {}:A with a "
        "larger A holds them",
        name, clipped_, full_scale_, name_of(type_));
}

}  // namespace cornerturn
