// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/instrument_delay.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>

#include "kernels/math/sinc.h"

namespace cornerturn::sentinel1 {
namespace {

using Samples = std::vector<std::complex<double>>;

/// With the chirp that was sent, begun at each sample at which the two overlap: from 1 - its length on.
Samples correlation(const Packet& packet, const Samples& samples) {
    Samples chirp(static_cast<std::size_t>(std::llround(packet.pulse_s() * packet.sample_rate_hz())));
    for (std::size_t i = 0; i < chirp.size(); ++i) {
        const double u_s = static_cast<double>(i) / packet.sample_rate_hz();
        chirp[i] = std::polar(1.0, -2 * std::numbers::pi * u_s * (packet.start_hz() + 0.5 * packet.ramp_hz_s() * u_s));
    }
    Samples sums(samples.size() + chirp.size() - 1);
    for (std::size_t i = 0; i < samples.size(); ++i)
        for (std::size_t k = 0; k < chirp.size(); ++k) sums[i + chirp.size() - 1 - k] += samples[i] * chirp[k];
    return sums;
}

/// Power between the entries of what is sampled finely enough.
double power_at(const Samples& values, double place) {
    std::complex<double> sum;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * sinc(place - static_cast<double>(i));
    return std::norm(sum);
}

/// Where the chirp correlates best, in samples from the first one on.
double delay_samples(const Packet& packet, const Samples& samples) {
    const Samples sums = correlation(packet, samples);
    const auto highest = std::max_element(sums.begin(), sums.end(),
                                          [](const auto& a, const auto& b) { return std::norm(a) < std::norm(b); });
    const auto best = static_cast<double>(highest - sums.begin());
    constexpr double golden = 0.6180339887498949;
    double low = best - 1, high = best + 1, a = high - golden * (high - low), b = low + golden * (high - low);
    double at_a = power_at(sums, a), at_b = power_at(sums, b);
    while (high - low > 1e-5) {
        if (at_a > at_b) {
            high = b, b = a, at_b = at_a;
            a = high - golden * (high - low), at_a = power_at(sums, a);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + golden * (high - low), at_b = power_at(sums, b);
        }
    }
    return 0.5 * (low + high) - static_cast<double>(sums.size() - samples.size());
}

}  // namespace

std::optional<double> instrument_delay_s(const BinaryFile& file, const std::vector<Packet>& packets,
                                         const Packet& echo) {
    constexpr int first_calibration_swath = 50, enough = 4;
    struct Mean {
        double sum_s = 0;
        int count = 0;
        double value_s() const { return sum_s / count; }
    };
    std::map<std::uint8_t, Mean> of_kind;
    for (const Packet& packet : packets) {
        if (packet.signal < static_cast<std::uint8_t>(Signal::transmit_calibration) ||
            packet.decimation != echo.decimation ||
            packet.swath % first_calibration_swath != echo.swath % first_calibration_swath ||
            packet.pulse_code != echo.pulse_code || packet.ramp_code != echo.ramp_code ||
            of_kind[packet.signal].count >= enough)
            continue;
        std::vector<std::complex<float>> samples(static_cast<std::size_t>(2 * packet.quads));
        if (!is_sample_code(packet.sample_code) || samples.empty() || packet.pulse_code == 0 ||
            !decode_samples(file.read(packet.samples_at, packet.sample_bytes),
                            static_cast<SampleCode>(packet.sample_code), packet.quads, samples.data()))
            continue;
        Mean& mean = of_kind[packet.signal];
        mean.sum_s += delay_samples(packet, Samples(samples.begin(), samples.end())) / packet.sample_rate_hz();
        ++mean.count;
    }
    std::erase_if(of_kind, [](const auto& kind) { return kind.second.count == 0; });
    const auto found = [&](Signal kind) { return of_kind.find(static_cast<std::uint8_t>(kind)); };
    const auto transmitted = found(Signal::transmit_calibration), received = found(Signal::receive_calibration),
               shared = found(Signal::epdn_calibration);
    if (transmitted != of_kind.end() && received != of_kind.end() && shared != of_kind.end())
        return transmitted->second.value_s() + received->second.value_s() - shared->second.value_s();
    if (of_kind.empty()) return std::nullopt;
    Mean all;
    for (const auto& [kind, mean] : of_kind) all.sum_s += mean.value_s(), ++all.count;
    return all.value_s();
}

}  // namespace cornerturn::sentinel1
