// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/azimuth_band.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/math/phasor.h"
#include "pipeline/acquisition/window.h"
#include "pipeline/echo/decoded_lines.h"

namespace cornerturn {
namespace {

constexpr std::int64_t most_groups = 4, most_lines = 128, most_columns = 32;
constexpr int bins = 64;

/// Adds the power of some lines over frequencies about the centroid, from -PRF/2 to PRF/2.
void add_spectrum(const Acquisition& echo, const DopplerSurface& centroid_hz, std::int64_t first_line,
                  std::int64_t lines, const std::vector<Complex<float>>& samples, std::vector<double>& power) {
    const double middle_s = echo.pulse_time_s(static_cast<double>(first_line) + 0.5 * static_cast<double>(lines - 1));
    std::vector<double> time_s, taper;
    for (std::int64_t i = 0; i < lines; ++i) {
        time_s.push_back(echo.pulse_time_s(static_cast<double>(first_line + i)) - middle_s);
        taper.push_back(hann(i, lines));
    }
    const std::int64_t step = std::max<std::int64_t>(1, echo.samples / most_columns);
    for (std::int64_t column = step / 2; column < echo.samples; column += step) {
        const double around_hz =
            centroid_hz(middle_s, echo.range_m(static_cast<double>(column) - 0.5 * echo.chirp_samples()));
        for (int bin = 0; bin < bins; ++bin) {
            const double f_hz = around_hz + ((bin + 0.5) / bins - 0.5) * echo.prf_hz;
            Complex128 sum{0, 0};
            for (std::int64_t i = 0; i < lines; ++i) {
                const auto k = static_cast<std::size_t>(i);
                sum = sum + taper[k] * unit_phasor<double>(-f_hz * time_s[k]) *
                                complex_cast<double>(samples[static_cast<std::size_t>(i * echo.samples + column)]);
            }
            power[static_cast<std::size_t>(bin)] += sum.re * sum.re + sum.im * sum.im;
        }
    }
}

}  // namespace

double azimuth_band(EchoSource& source, const DopplerSurface& centroid_hz, int threads) {
    constexpr double least_of_peak = 0.005, floors = 4;
    const Acquisition& echo = source.acquisition();
    const std::int64_t lines = std::min(most_lines, echo.lines),
                       groups = std::clamp<std::int64_t>(echo.lines / lines, 1, most_groups);
    std::vector<double> power(bins);
    std::vector<Complex<float>> samples(static_cast<std::size_t>(lines * echo.samples));
    for (std::int64_t group = 0; group < groups; ++group) {
        const std::int64_t first = group * (echo.lines - lines) / std::max<std::int64_t>(1, groups - 1);
        read_decoded(source, first, lines, threads, samples);
        add_spectrum(echo, centroid_hz, first, lines, samples, power);
    }
    std::vector<double> ordered = power;
    std::sort(ordered.begin(), ordered.end());
    constexpr int lowest = bins / 8;
    const double floor = std::accumulate(ordered.begin(), ordered.begin() + lowest, 0.0) / lowest;
    const double level = std::max(floors * floor, least_of_peak * ordered.back());
    const auto stands_out = [&](double p) { return p > level; };
    const auto first = std::find_if(power.begin(), power.end(), stands_out);
    if (first == power.end()) return 1;
    const auto last = std::find_if(power.rbegin(), power.rend(), stands_out).base();
    return static_cast<double>(last - first) / bins;
}

}  // namespace cornerturn
