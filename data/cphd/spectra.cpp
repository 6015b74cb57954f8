// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/spectra.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "data/files/refusal.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/phasor.h"

namespace cornerturn::cphd {
namespace {

constexpr std::int64_t guard = 128;  // samples between the end of a line of TOA and its beginning

template <class Component>
float component_at(const std::byte* stored) {
    if constexpr (sizeof(Component) == 1) {
        return static_cast<float>(std::to_integer<std::int8_t>(*stored));
    } else {
        using Bits = std::conditional_t<sizeof(Component) == 2, std::uint16_t, std::uint32_t>;
        Bits bits = 0;
        for (std::size_t i = 0; i < sizeof(Bits); ++i)
            bits = static_cast<Bits>(bits << 8 | std::to_integer<Bits>(stored[i]));
        return static_cast<float>(std::bit_cast<Component>(bits));
    }
}

/// What is no number counts as nothing: it would spread over the image.
template <class Component>
void decode_as(const std::byte* stored, std::int64_t samples, float gain, int sign, Complex<float>* to) {
    const float imaginary_gain = sign > 0 ? -gain : gain;
    for (std::int64_t i = 0; i < samples; ++i, stored += 2 * sizeof(Component)) {
        const float re = gain * component_at<Component>(stored),
                    im = imaginary_gain * component_at<Component>(stored + sizeof(Component));
        to[i] = std::isfinite(re) && std::isfinite(im) ? Complex<float>{re, im} : Complex<float>{0, 0};
    }
}

/// Steps that differ by less than what turns the ends of a line by a thousandth of a cycle.
double common_step(const BinaryFile& file, const Metadata& metadata, const Channel& channel,
                   const std::vector<Pulse>& pulses) {
    constexpr double most_cycles = 1e-3;
    const double step = pulses.front().sample_step;
    for (const Pulse& pulse : pulses) {
        const double off = std::abs(pulse.sample_step - step) * static_cast<double>(channel.samples);
        const double turned = metadata.domain == Domain::frequency ? off * pulse.last_arrival_s
                                                                   : off * (pulse.highest_hz - pulse.lowest_hz);
        if (!(std::abs(turned) < most_cycles))
            refuse(file.name(),
                   fmt::format("SCSS is {:.12g} of vector {} and {:.12g} of vector {} of channel {}; "
                               "samples in steps that change from pulse to pulse are not read",
                               step, pulses.front().number, pulse.sample_step, pulse.number, shown(channel.name)));
    }
    return step;
}

}  // namespace

Spectra::Spectra(const BinaryFile& file, const FileHeader& header, const Metadata& metadata, const Channel& channel,
                 const std::vector<Pulse>& pulses)
    : file_(file),
      domain_(metadata.domain),
      type_(metadata.sample_type),
      first_byte_(header.signal.first + channel.signal_offset),
      vector_bytes_(metadata.vector_bytes(channel)),
      samples_(static_cast<std::int64_t>(channel.samples)),
      length_(fast_length(samples_ + guard)),
      step_hz_(common_step(file, metadata, channel, pulses)) {
    if (domain_ == Domain::frequency) return;
    const double step_s = step_hz_;
    step_hz_ = 1 / (step_s * static_cast<double>(length_));
    for (const Pulse& pulse : pulses)
        if (pulse.highest_hz - pulse.lowest_hz > 1 / step_s)
            refuse(file.name(),
                   fmt::format("samples over TOA are {:.6g} s apart, too far for the band of {:.6g} MHz of "
                               "vector {} of channel {}",
                               step_s, (pulse.highest_hz - pulse.lowest_hz) / 1e6, pulse.number, shown(channel.name)));
    fft_.emplace(length_, FftDirection::forward);
}

Spectra::Work::Work(const Spectra& spectra)
    : stored(static_cast<std::size_t>(spectra.vector_bytes_)), line(spectra.length_) {}

Bins Spectra::bins_of(const Pulse& pulse) const {
    constexpr double rounding = 1e-3;
    if (domain_ == Domain::frequency) {
        // A bin is as wide as the step: those that lie in the band with their middle, and half a step beside it.
        const double lowest = (pulse.lowest_hz - pulse.first_sample) / step_hz_ - 0.5 - rounding,
                     highest = (pulse.highest_hz - pulse.first_sample) / step_hz_ + 0.5 + rounding;
        const double last = static_cast<double>(samples_ - 1);
        const auto first = static_cast<std::int64_t>(std::ceil(std::clamp(lowest, 0.0, last + 1))),
                   behind = static_cast<std::int64_t>(std::floor(std::clamp(highest, -1.0, last))) + 1;
        return {pulse.first_sample + static_cast<double>(first) * step_hz_, first,
                std::max<std::int64_t>(0, behind - first)};
    }
    const double middle_hz = 0.5 * (pulse.lowest_hz + pulse.highest_hz);
    const auto half =
        static_cast<std::int64_t>(std::floor(0.5 * (pulse.highest_hz - pulse.lowest_hz) / step_hz_ + rounding));
    return {middle_hz - static_cast<double>(half) * step_hz_, -half, std::min(2 * half + 1, length_)};
}

void Spectra::decode(const std::byte* stored, double gain, int sign, Complex<float>* to) const {
    const auto factor = static_cast<float>(gain);
    switch (type_) {
        case SampleType::ci2: return decode_as<std::int8_t>(stored, samples_, factor, sign, to);
        case SampleType::ci4: return decode_as<std::int16_t>(stored, samples_, factor, sign, to);
        case SampleType::cf8: return decode_as<float>(stored, samples_, factor, sign, to);
    }
}

/// Samples over TOA are the mean over the band of a exp(-j 2 pi f dTOA + j 2 pi (f - f_C) toa).
void Spectra::transform(const Pulse& pulse, const Bins& bins, Complex<float>* line, Complex<float>* to) const {
    std::fill(line + samples_, line + length_, Complex<float>{0, 0});
    (*fft_)(line);
    const double step_s = 1 / (step_hz_ * static_cast<double>(length_));
    const auto scale = static_cast<float>((pulse.highest_hz - pulse.lowest_hz) * step_s);
    for (std::int64_t i = 0; i < bins.count; ++i) to[i] = scale * line[(bins.first + i + length_) % length_];
    const double per_bin = -step_hz_ * pulse.first_sample;
    turn(to, bins.count, static_cast<double>(bins.first) * per_bin, per_bin);
}

void Spectra::read(const Pulse& pulse, int sign, Work& work, Complex<float>* to) const {
    file_.read(first_byte_ + pulse.number * vector_bytes_, work.stored);
    decode(work.stored.data(), pulse.gain, sign, work.line.data());
    const Bins bins = bins_of(pulse);
    if (domain_ == Domain::time)
        transform(pulse, bins, work.line.data(), to);
    else
        std::copy_n(work.line.data() + bins.first, bins.count, to);
}

void turn(Complex<float>* values, std::int64_t count, double cycles, double cycles_per_value) {
    constexpr std::int64_t at_a_time = 64;  // products of phasors keep their length for so long
    const Complex<double> step = unit_phasor<double>(cycles_per_value);
    for (std::int64_t first = 0; first < count; first += at_a_time) {
        Complex<double> phasor = unit_phasor<double>(cycles + static_cast<double>(first) * cycles_per_value);
        for (std::int64_t i = first; i < std::min(count, first + at_a_time); ++i) {
            values[i] = Complex<float>{static_cast<float>(phasor.re), static_cast<float>(phasor.im)} * values[i];
            phasor = phasor * step;
        }
    }
}

}  // namespace cornerturn::cphd
