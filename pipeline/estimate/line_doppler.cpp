// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimate/line_doppler.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/host/host_echo.h"
#include "kernels/host/line_fft.h"
#include "kernels/host/line_loop.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/hyperbola.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/acquisition/window.h"
#include "pipeline/estimate/line_sums.h"

namespace cornerturn {
namespace {

constexpr std::int64_t fewest_columns = 64;  // of fully compressed samples
/// Of the mean power of an echo: what a receiver's rounding and the interpolation of lines leave in parts that hold no
/// echo of their own.
constexpr double residue_part = 1e-6;
constexpr double used_part_of_band = 0.9;  // the edges of the chirp's spectrum hold more noise than echo

template <class Real, class Component>
EchoReader<Real, Component> reader_of(const SampledLines& echo, const SampledLines::Group& group) {
    return host_echo<Real, Component>(group.samples.data(), echo.acquisition.samples, echo.acquisition.decoding,
                                      group.first_line);
}

/// Range spectra of the fully compressed part of a line, in stretches of equal length one behind the other.
class LineSpectra {
public:
    LineSpectra(const Acquisition& acquisition, std::int64_t columns)
        : samples_(acquisition.samples),
          stretches_(std::clamp<std::int64_t>(columns / fewest_columns, 1, most_stretches)),
          columns_(columns / stretches_),
          long_length_(
              fast_length(acquisition.samples + static_cast<std::int64_t>(std::ceil(acquisition.chirp_samples())))),
          length_(fast_length(columns_)),
          long_forward_(long_length_, FftDirection::forward),
          long_inverse_(long_length_, FftDirection::inverse),
          forward_(length_, FftDirection::forward) {
        LineBuffer<float> chirp(long_length_);
        for (std::int64_t k = 0; k < long_length_; ++k) {
            const double t = static_cast<double>(k) / acquisition.sample_rate_hz(),
                         centred = t - 0.5 * acquisition.chirp.duration_s;
            chirp.data()[k] = t < acquisition.chirp.duration_s
                                  ? unit_phasor<float>(0.5 * acquisition.chirp.slope_hz_s * centred * centred)
                                  : Complex<float>{0, 0};
        }
        long_forward_(chirp.data());
        for (std::int64_t k = 0; k < long_length_; ++k)
            matched_.push_back((1.0f / static_cast<float>(long_length_)) * conj(chirp.data()[k]));
        for (std::int64_t k = 0; k < columns_; ++k)  // what leaks in from other frequencies would tilt the slope
            taper_.push_back(static_cast<float>(hann(k, columns_)));
    }

    std::int64_t stretches() const { return stretches_; }
    std::int64_t length() const { return length_; }  ///< of one spectrum
    std::int64_t buffer_length() const { return stretches_ * length_ + long_length_; }

    /// Leaves the spectra at the beginning of the buffer.
    template <class Reader>
    void operator()(const Reader& reader, std::int64_t line, Complex<float>* buffer) const {
        Complex<float>* compressed = buffer + stretches_ * length_;
        for (std::int64_t k = 0; k < samples_; ++k) compressed[k] = reader(line, k);
        std::fill(compressed + samples_, compressed + long_length_, Complex<float>{0, 0});
        long_forward_(compressed);
        for (std::int64_t k = 0; k < long_length_; ++k)
            compressed[k] = compressed[k] * matched_[static_cast<std::size_t>(k)];
        long_inverse_(compressed);
        for (std::int64_t stretch = 0; stretch < stretches_; ++stretch) {
            Complex<float>* spectrum = buffer + stretch * length_;
            for (std::int64_t k = 0; k < columns_; ++k)
                spectrum[k] = taper_[static_cast<std::size_t>(k)] * compressed[stretch * columns_ + k];
            std::fill(spectrum + columns_, spectrum + length_, Complex<float>{0, 0});
            forward_(spectrum);
        }
    }

private:
    static constexpr std::int64_t most_stretches = 4;

    std::int64_t samples_, stretches_, columns_, long_length_, length_;
    LineFft<float> long_forward_, long_inverse_, forward_;
    std::vector<Complex<float>> matched_;
    std::vector<float> taper_;
};

using Correlation = std::vector<std::complex<double>>;  // lag-1 sum for each range frequency

/// By how long echoes move in range from one line to the next, in seconds, where that is more than half of 1 / band,
/// and phases over range frequency turn around: where the correlation has its peak. 0 where none stands out of those
/// nearby and of what noise may make, whose highest peak is sqrt(ln n) times its rms.
double walk_per_line_s(const Correlation& correlation, double sample_rate_hz, double band_hz) {
    constexpr double out_of_near = 1.5, out_of_noise = 5;
    const auto bins = static_cast<std::int64_t>(correlation.size());
    const std::int64_t delays = fast_length(2 * bins);
    LineBuffer<double> line(delays);
    std::fill_n(line.data(), delays, Complex128{0, 0});
    double noise = 0;  // mean square over all delays, if phases were at random
    for (std::int64_t k = 0; k < bins; ++k) {
        if (std::abs(range_frequency_hz(k, bins, sample_rate_hz)) > 0.5 * band_hz) continue;
        const std::complex<double> c = correlation[static_cast<std::size_t>(k)];
        line.data()[2 * k < bins ? k : k - bins + delays] = {c.real(), c.imag()};
        noise += std::norm(c);
    }
    LineFft<double>(delays, FftDirection::forward)(line.data());
    double near = 0, highest = 0, walk_s = 0;
    for (std::int64_t k = 0; k < delays; ++k) {
        const double delay_s = static_cast<double>(2 * k < delays ? k : k - delays) / static_cast<double>(delays) *
                               static_cast<double>(bins) / sample_rate_hz;
        const double here = line.data()[k].re * line.data()[k].re + line.data()[k].im * line.data()[k].im;
        if (std::abs(delay_s) <= 0.5 / band_hz) near = std::max(near, here);
        if (here > highest) highest = here, walk_s = delay_s;
    }
    const bool stands_out = highest > out_of_near * out_of_near * near && highest > out_of_noise * out_of_noise * noise;
    return stands_out ? walk_s : 0;
}

/// Least-squares slope of the phase over range frequency, weighted by magnitude, in cycles per Hz.
double phase_slope_cycles_per_hz(const Correlation& correlation, double sample_rate_hz, double band_hz) {
    const auto length = static_cast<std::int64_t>(correlation.size());
    const double walk_s = walk_per_line_s(correlation, sample_rate_hz, band_hz);
    const auto without_walk = [&](std::size_t k, double f_hz) { return correlation[k] * std_phasor(-walk_s * f_hz); };
    std::complex<double> total = 0;
    for (std::size_t k = 0; k < correlation.size(); ++k)
        total += without_walk(k, range_frequency_hz(static_cast<std::int64_t>(k), length, sample_rate_hz));
    const std::complex<double> turn = std::polar(1.0, -std::arg(total));
    const StraightLine line = line_through(correlation.size(), [&](std::size_t k) {
        const double f_hz = range_frequency_hz(static_cast<std::int64_t>(k), length, sample_rate_hz);
        const std::complex<double> c = without_walk(k, f_hz) * turn;
        return LinePoint{f_hz, std::arg(c), std::abs(f_hz) > 0.5 * band_hz ? 0 : std::abs(c)};
    });
    return walk_s + line.slope / (2.0 * std::numbers::pi);
}

/// What the product of a line and the next lacks where lines have phases of their own.
Complex128 step_between(const Acquisition& acquisition, std::int64_t line) {
    const std::vector<double>& cycles = acquisition.line_phase_cycles;
    const auto here = static_cast<std::size_t>(line);
    return here + 1 < cycles.size() ? unit_phasor<double>(cycles[here + 1] - cycles[here]) : Complex128{1, 0};
}

/// [group][stretch]
template <class Component>
std::vector<std::vector<Correlation>> correlations(const SampledLines& echo, std::int64_t columns, int threads) {
    const LineSpectra spectra(echo.acquisition, columns);
    const LineBuffers<float> buffers(threads, 2 * spectra.buffer_length());
    const auto stretches = static_cast<std::size_t>(spectra.stretches()),
               length = static_cast<std::size_t>(spectra.length());
    std::vector<std::vector<Correlation>> sums(echo.groups.size(),
                                               std::vector<Correlation>(stretches, Correlation(length)));
    for_each_line(static_cast<std::int64_t>(echo.groups.size()), threads, [&](std::int64_t number) {
        const SampledLines::Group& group = echo.groups[static_cast<std::size_t>(number)];
        const auto reader = reader_of<float, Component>(echo, group);
        Complex<float>* before = buffers.mine();
        Complex<float>* now = before + spectra.buffer_length();
        for (std::int64_t line = group.first_line; line < group.first_line + group.lines; ++line) {
            spectra(reader, line, now);
            const bool first = line == group.first_line;
            const Complex128 step = first ? Complex128{} : step_between(echo.acquisition, line - 1);
            for (std::size_t stretch = 0; !first && stretch < stretches; ++stretch)
                for (std::size_t k = 0; k < length; ++k) {
                    const std::size_t at = stretch * length + k;
                    const Complex128 product = step * complex_cast<double>(conj(before[at]) * now[at]);
                    sums[static_cast<std::size_t>(number)][stretch][k] += std::complex<double>(product.re, product.im);
                }
            std::swap(before, now);
        }
    });
    return sums;
}

/// Stretches of samples in which the centroid is looked for by itself.
std::int64_t stretches_of(const Acquisition& acquisition) {
    return std::clamp<std::int64_t>(acquisition.samples / 64, 1, 16);
}

/// Sums of conj(x[line]) x[line + 1] within the groups: [group][stretch]. The raw echo does: every sample of it counts.
template <class Component>
std::vector<LineSums> lag1_sums(const SampledLines& echo, int threads) {
    const std::int64_t stretches = stretches_of(echo.acquisition), samples = echo.acquisition.samples;
    std::vector<LineSums> sums(echo.groups.size() * static_cast<std::size_t>(stretches));
    for_each_line(
        static_cast<std::int64_t>(echo.groups.size()), threads,
        [&](std::int64_t number) {
            const SampledLines::Group& group = echo.groups[static_cast<std::size_t>(number)];
            const auto reader = reader_of<double, Component>(echo, group);
            for (std::int64_t stretch = 0; stretch < stretches; ++stretch) {
                LineSums sum{};
                for (std::int64_t i = 0; i < group.lines; ++i) {
                    LineSums of_line{};
                    for (std::int64_t sample = stretch * samples / stretches;
                         sample < (stretch + 1) * samples / stretches; ++sample)
                        add_sample(reader, group.first_line + i, sample, i + 1 < group.lines, of_line);
                    const Complex128 turned = step_between(echo.acquisition, group.first_line + i) *
                                              Complex128{of_line.lag_re, of_line.lag_im};
                    of_line.lag_re = turned.re;
                    of_line.lag_im = turned.im;
                    sum += of_line;
                }
                sums[static_cast<std::size_t>(number * stretches + stretch)] = sum;
            }
        },
        1);
    return sums;
}

std::vector<DopplerCell> cells_of(const SampledLines& echo, const std::vector<LineSums>& sums) {
    const Acquisition& acquisition = echo.acquisition;
    const std::int64_t stretches = stretches_of(acquisition);
    const double pairs_per_sample = std::min(1.0, acquisition.chirp.bandwidth_hz() / acquisition.sample_rate_hz());
    double power = 0;
    for (const LineSums& sum : sums) power += sum.power / static_cast<double>(sums.size());
    const double residue = residue_part * power;
    std::vector<DopplerCell> cells;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const SampledLines::Group& group = echo.groups[i / static_cast<std::size_t>(stretches)];
        const auto stretch = static_cast<std::int64_t>(i) % stretches;
        const double samples = static_cast<double>(acquisition.samples) / static_cast<double>(stretches);
        const double pairs =
            pairs_per_sample * samples * static_cast<double>(std::max<std::int64_t>(1, group.lines - 1));
        auto cell = doppler_cell(
            acquisition.pulse_time_s(static_cast<double>(group.first_line) +
                                     0.5 * static_cast<double>(group.lines - 1)),
            acquisition.range_m((static_cast<double>(stretch) + 0.5) * samples - 0.5 * acquisition.chirp_samples()),
            {sums[i].lag_re, sums[i].lag_im}, sums[i].power, pairs, acquisition.prf_hz);
        if (!cell) continue;
        const double lag1 = std::hypot(sums[i].lag_re, sums[i].lag_im);
        cell->error_hz = std::hypot(cell->error_hz, 0.5 * acquisition.prf_hz * std::min(1.0, residue / lag1));
        cell->group = static_cast<std::int64_t>(i) / stretches;
        cell->stretch = stretch;
        cells.push_back(*cell);
    }
    return cells;
}

/// The whole echo as one cell.
std::optional<DopplerCell> cell_of_all(const SampledLines& echo, const std::vector<LineSums>& sums) {
    const Acquisition& acquisition = echo.acquisition;
    LineSums all{};
    for (const LineSums& sum : sums) all += sum;
    std::int64_t lines = 0;
    for (const SampledLines::Group& group : echo.groups) lines += std::max<std::int64_t>(1, group.lines - 1);
    const double pairs = std::min(1.0, acquisition.chirp.bandwidth_hz() / acquisition.sample_rate_hz()) *
                         static_cast<double>(acquisition.samples) * static_cast<double>(lines);
    return doppler_cell(0, 0, {all.lag_re, all.lag_im}, all.power, pairs, acquisition.prf_hz);
}

Correlation& add(Correlation& to, const Correlation& more, double sign = 1) {
    if (to.empty()) to.resize(more.size());
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += sign * more[k];
    return to;
}

/// Slope of all parts, and its error from leaving out one eighth of the lines or one stretch of the swath after the
/// other.
void absolute_estimate(const std::vector<std::vector<Correlation>>& sums, const Acquisition& acquisition,
                       DopplerEstimate& estimate) {
    constexpr std::size_t most_times = 8;
    const double band_hz = used_part_of_band * std::min(acquisition.chirp.bandwidth_hz(), acquisition.sample_rate_hz());
    const auto hz = [&](const Correlation& correlation) {
        return acquisition.carrier_hz * acquisition.prf_hz *
               phase_slope_cycles_per_hz(correlation, acquisition.sample_rate_hz(), band_hz);
    };
    std::vector<Correlation> times(std::min(most_times, sums.size())), ranges(sums.front().size());
    Correlation all;
    for (std::size_t group = 0; group < sums.size(); ++group)
        for (std::size_t stretch = 0; stretch < ranges.size(); ++stretch)
            for (Correlation* to : {&times[group * times.size() / sums.size()], &ranges[stretch], &all})
                add(*to, sums[group][stretch]);
    const auto error = [&](const std::vector<Correlation>& parts) {
        std::vector<double> left_out_hz;
        for (const Correlation& part : parts) {
            Correlation rest = all;
            left_out_hz.push_back(hz(add(rest, part, -1)));
        }
        return jackknife_deviation(left_out_hz);
    };
    estimate.absolute_hz = hz(all);
    estimate.absolute_error_hz = std::max(error(times), ranges.size() > 1 ? error(ranges) : 0.0);
}

}  // namespace

std::optional<DopplerCell> doppler_cell(double time_s, double range_m, std::complex<double> lag1, double power,
                                        double pairs, double prf_hz, std::optional<double> speckle_pairs) {
    if (!(power > 0) || !(std::abs(lag1) > 0) || !std::isfinite(power)) return std::nullopt;
    const double coherence = std::min(1.0, std::abs(lag1) / power);
    if (!(coherence * std::sqrt(2 * pairs) > 5)) return std::nullopt;  // noise, or nothing at all
    const double error_rad =
        std::sqrt((1 - coherence * coherence) / (2 * coherence * coherence * speckle_pairs.value_or(pairs)));
    return DopplerCell{
        .time_s = time_s, .range_m = range_m, .lag1 = lag1, .error_hz = prf_hz * error_rad / (2 * std::numbers::pi)};
}

std::optional<double> baseband_doppler_hz(std::complex<double> lag1, double prf_hz) {
    if (!(std::abs(lag1) > 0) || !std::isfinite(std::abs(lag1))) return std::nullopt;
    return prf_hz * std::arg(lag1) / (2.0 * std::numbers::pi);
}

DopplerEstimate estimate_doppler(const SampledLines& echo, int threads) {
    if (threads == 0) threads = omp_get_max_threads();
    const Acquisition& acquisition = echo.acquisition;
    DopplerEstimate estimate;
    with_component(acquisition.format, [&]<class Component>(std::type_identity<Component>) {
        const std::vector<LineSums> sums = lag1_sums<Component>(echo, threads);
        if (const auto all = cell_of_all(echo, sums))
            estimate.baseband_hz = baseband_doppler_hz(all->lag1, acquisition.prf_hz);
        if (!estimate.baseband_hz) return;
        estimate.cells = cells_of(echo, sums);
        const auto columns =
            acquisition.samples - static_cast<std::int64_t>(std::ceil(acquisition.chirp_samples())) + 1;
        if (columns < fewest_columns || acquisition.lines < 32) return;  // nothing to tell frequency from range by
        absolute_estimate(correlations<Component>(echo, columns, threads), acquisition, estimate);
        if (!std::isfinite(*estimate.absolute_hz) || !std::isfinite(estimate.absolute_error_hz))
            estimate.absolute_hz.reset();
    });
    return estimate;
}

}  // namespace cornerturn
