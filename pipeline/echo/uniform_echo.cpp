// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/uniform_echo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "kernels/errors.h"
#include "kernels/host/line_loop.h"
#include "kernels/host/thread_limit.h"
#include "kernels/host/vector_clones.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/pulse_interpolation.h"
#include "pipeline/echo/azimuth_band.h"
#include "pipeline/echo/decoded_lines.h"

namespace cornerturn {
namespace {

constexpr double margin = 1.02;              // of the band over the beam's: more costs where lines are lost
constexpr double widest_band = 0.95;         // of the PRF
constexpr double centroid_change = 0.005;    // of the PRF, over which one centroid serves
constexpr double chirp_change = 0.01;        // of the PRF, within a chirp
constexpr double chirp_lean = 0.15;          // of the PRF, by which Doppler frequencies of the chirp's ends differ
constexpr std::int64_t filter_stretch = 64;  // samples over which the filters of motion compensation hardly change

CT_VECTOR_CLONES void add_weighted(Complex<float> weight, const Complex<float>* from, std::int64_t samples,
                                   Complex<float>* to) {
    const float* in = &from->re;
    float* out = &to->re;
    if (weight.im == 0) {
        for (std::int64_t i = 0; i < 2 * samples; ++i) out[i] += weight.re * in[i];
        return;
    }
    for (std::int64_t i = 0; i < samples; ++i) {
        out[2 * i] += weight.re * in[2 * i] - weight.im * in[2 * i + 1];
        out[2 * i + 1] += weight.re * in[2 * i + 1] + weight.im * in[2 * i];
    }
}

/// Whether a line is recorded in part.
bool has_gaps_within_lines(const Acquisition& raw) {
    const EchoDecoding& decoding = raw.decoding;
    const auto per_line = static_cast<std::size_t>(decoding.intervals_per_line);
    for (std::size_t first = 0; first < decoding.valid_samples.size(); first += per_line) {
        std::int64_t held = 0;
        for (std::size_t k = 0; k < per_line; ++k)
            held += decoding.valid_samples[first + k].last - decoding.valid_samples[first + k].first;
        if (held > 0 && held < raw.samples) return true;
    }
    return false;
}

void require_whole_lines_in_order(const Acquisition& pulses) {
    if (has_gaps_within_lines(pulses))
        throw InputError(
            "motion compensation: lines are recorded in part, and cannot be moved in range; use --algorithm "
            "backprojection");
    const auto& times = pulses.pulse_times_s;
    const auto back = std::adjacent_find(times.begin(), times.end(), [](double a, double b) { return !(a < b); });
    if (back != times.end())
        throw InputError(fmt::format(
            "motion compensation: seen from the reference track, pulse {} is not sent behind the one before it; use "
            "--algorithm backprojection",
            back - times.begin() + 1));
}

}  // namespace

Acquisition evened(const Acquisition& raw) {
    Acquisition even = raw;
    even.first_pulse_time_s = raw.pulse_times_s.front();
    even.lines = std::llround((raw.pulse_times_s.back() - raw.pulse_times_s.front()) * raw.prf_hz) + 1;
    even.pulse_times_s.clear();
    even.line_phase_cycles.clear();
    even.true_phase_error_rad.clear();
    even.format = SampleFormat::complex64;
    even.decoding = {};
    return even;
}

UniformEcho::UniformEcho(EchoSource& source, const DopplerSurface& centroid_hz, int threads)
    : UniformEcho(source, source.acquisition(), centroid_hz, nullptr, threads) {
    // Half of what is beside the walk, as only corners of a point's spectrum lie farther off.
    band_ = std::min(widest_band, margin * beam_band() + (pulse_ ? 0 : within_chirp_) +
                                      acquisition_.interpolated->chirp_ends_hz / raw_.prf_hz);
    acquisition_.interpolated->band = band_;
    find_gaps();
}

UniformEcho::UniformEcho(EchoSource& source, std::shared_ptr<const TrackOffset> offset, double band, int threads)
    : UniformEcho(source, offset->beside(), offset->centroid_hz(), offset, threads) {
    band_ = std::min(widest_band, band);
    acquisition_.interpolated->band = band_;
    find_gaps();
}

UniformEcho::UniformEcho(EchoSource& source, const Acquisition& pulses, const DopplerSurface& centroid_hz,
                         std::shared_ptr<const TrackOffset> offset, int threads)
    : ForwardedEcho(source, evened(pulses)), centroid_hz_(centroid_hz), threads_(thread_count(threads)), raw_(pulses) {
    if (offset) require_whole_lines_in_order(raw_);
    const double last = static_cast<double>(raw_.samples - 1), middle = 0.5 * static_cast<double>(acquisition_.lines);
    middle_s_ = acquisition_.pulse_time_s(middle);
    double spread_hz = 0;  // over the swath
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0})
        spread_hz = std::max(spread_hz, std::abs(centroid_at_hz(static_cast<std::int64_t>(middle), part * last) -
                                                 centroid_at_hz(static_cast<std::int64_t>(middle), 0.5 * last)));
    const double steps = std::ceil(2 * spread_hz / (centroid_change * raw_.prf_hz));
    doppler_stretch_ =
        std::max<std::int64_t>(16, static_cast<std::int64_t>(static_cast<double>(raw_.samples) / std::max(1.0, steps)));
    if (offset) doppler_stretch_ = std::min(doppler_stretch_, filter_stretch);
    within_chirp_ =
        2 * spread_hz / raw_.prf_hz * std::min(1.0, raw_.chirp_samples() / static_cast<double>(raw_.samples));
    const double centre_hz = centroid_hz_(middle_s_, raw_.range_m(0.5 * static_cast<double>(raw_.samples))),
                 over_chirp = raw_.chirp.bandwidth_hz() / raw_.carrier_hz * std::abs(centre_hz) / raw_.prf_hz;
    if (offset || ((within_chirp_ > chirp_change || over_chirp > chirp_lean) && !has_gaps_within_lines(raw_))) {
        if (over_chirp > chirp_change) walk_hz_ = centre_hz;
        const double reached = std::abs(delay_at(middle_s_ + interpolation_reach / raw_.prf_hz));
        pulse_.emplace(raw_, offset != nullptr, static_cast<std::int64_t>(std::ceil(reached)));
    }
    row_ = pulse_ ? pulse_->length() : raw_.samples;
    acquisition_.interpolated =
        InterpolatedLines{.pulse_times_s = raw_.pulse_times_s,
                          .chirp_ends_hz = 0.5 * raw_.chirp.bandwidth_hz() / raw_.carrier_hz * beside_walk_hz()};
    if (offset) compensation_.emplace(std::move(offset), row_, doppler_stretch_);
}

/// As the file knows it, else as the lines show it. Of a burst a target is lit over a part of the band that its antenna
/// sees at any moment, which fills the PRF.
double UniformEcho::beam_band() const {
    const double prf_hz = raw_.prf_hz;
    if (raw_.burst) return 1;
    if (raw_.azimuth_bandwidth_hz) return std::min(1.0, *raw_.azimuth_bandwidth_hz / prf_hz);
    return azimuth_band(source_, centroid_hz_, threads_);
}

/// Doppler centroids all over the echo lie so far from that which lines are moved for.
double UniformEcho::beside_walk_hz() const {
    double most_hz = 0;
    for (const double along : {0.0, 0.5, 1.0})
        for (const double across : {0.0, 0.5, 1.0}) {
            const double time_s = acquisition_.pulse_time_s(along * static_cast<double>(acquisition_.lines - 1)),
                         range_m = raw_.range_m(across * static_cast<double>(raw_.samples - 1));
            most_hz = std::max(most_hz, std::abs(centroid_hz_(time_s, range_m) - walk_hz_));
        }
    return most_hz;
}

/// In samples, of a line of this time: what a target's delay in mid-swath is less than at the middle of the track.
double UniformEcho::delay_at(double time_s) const {
    return walk_hz_ / raw_.carrier_hz * (time_s - middle_s_) * raw_.sample_rate_hz();
}

/// A raw sample holds the chirps of echoes whose middles lie around it.
double UniformEcho::centroid_at_hz(std::int64_t line, double sample) const {
    const double behind_end = static_cast<double>(row_) - 0.5 * raw_.chirp_samples();
    const double edge = !pulse_               ? sample - 0.5 * raw_.chirp_samples()
                        : sample > behind_end ? sample - static_cast<double>(row_)
                                              : sample;
    return centroid_hz_(acquisition_.pulse_time_s(static_cast<double>(line)), raw_.range_m(edge));
}

bool UniformEcho::holds(std::int64_t pulse, std::int32_t sample) const {
    const EchoDecoding& decoding = raw_.decoding;
    if (decoding.valid_samples.empty()) return true;
    const auto first =
        decoding.valid_samples.begin() + static_cast<std::ptrdiff_t>(pulse * decoding.intervals_per_line);
    return std::any_of(first, first + decoding.intervals_per_line,
                       [&](Interval i) { return sample >= i.first && sample < i.last; });
}

/// Of those in [first, end) that hold a sample; none in a gap.
std::vector<std::int64_t> UniformEcho::pulses_about(std::int64_t line, std::int32_t sample, std::int64_t first,
                                                    std::int64_t end) const {
    const double time_s = acquisition_.pulse_time_s(static_cast<double>(line));
    std::vector<std::int64_t> held, pulses;
    std::vector<double> intervals;
    for (std::int64_t pulse = first; pulse < end; ++pulse) {
        if (!holds(pulse, sample)) continue;
        held.push_back(pulse);
        intervals.push_back((raw_.pulse_times_s[static_cast<std::size_t>(pulse)] - time_s) * raw_.prf_hz);
    }
    for (const std::size_t i : interpolated_pulses(intervals, band_)) pulses.push_back(held[i]);
    return pulses;
}

std::vector<UniformEcho::Stretch> UniformEcho::stretches(std::int64_t line) const {
    const double time_s = acquisition_.pulse_time_s(static_cast<double>(line));
    const auto& times = raw_.pulse_times_s;
    const auto place = [&](double s) { return std::lower_bound(times.begin(), times.end(), s) - times.begin(); };
    const std::int64_t first = place(time_s - interpolation_reach / raw_.prf_hz),
                       end = place(time_s + interpolation_reach / raw_.prf_hz);
    std::vector<std::int32_t> edges{0, static_cast<std::int32_t>(raw_.samples)};
    const EchoDecoding& decoding = raw_.decoding;
    if (!decoding.valid_samples.empty())
        for (std::int64_t i = first * decoding.intervals_per_line; i < end * decoding.intervals_per_line; ++i) {
            const Interval held = decoding.valid_samples[static_cast<std::size_t>(i)];
            for (const std::int32_t edge : {held.first, held.last})
                edges.push_back(std::clamp<std::int32_t>(edge, 0, static_cast<std::int32_t>(raw_.samples)));
        }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::vector<Stretch> found;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        std::vector<std::int64_t> pulses = pulses_about(line, edges[i], first, end);
        if (!found.empty() && found.back().pulses == pulses)
            found.back().samples.last = edges[i + 1];
        else
            found.push_back({{edges[i], edges[i + 1]}, std::move(pulses)});
    }
    return found;
}

void UniformEcho::find_gaps() {
    std::vector<std::vector<Interval>> held(static_cast<std::size_t>(acquisition_.lines));
    for_each_line(acquisition_.lines, threads_, [&](std::int64_t line) {
        std::vector<Interval>& of_line = held[static_cast<std::size_t>(line)];
        for (const Stretch& stretch : stretches(line)) {
            if (stretch.pulses.empty()) continue;
            if (!of_line.empty() && of_line.back().last == stretch.samples.first)
                of_line.back().last = stretch.samples.last;
            else
                of_line.push_back(stretch.samples);
        }
    });
    const Interval whole{0, static_cast<std::int32_t>(raw_.samples)};
    std::size_t most = 1;
    bool gaps = false;
    for (const auto& of_line : held) {
        most = std::max(most, of_line.size());
        gaps = gaps || of_line != std::vector{whole};
    }
    if (!gaps) return;
    acquisition_.decoding.intervals_per_line = static_cast<int>(most);
    for (auto& of_line : held) {
        of_line.resize(most);
        acquisition_.decoding.valid_samples.insert(acquisition_.decoding.valid_samples.end(), of_line.begin(),
                                                   of_line.end());
    }
}

/// Pulses come in order, save where a block of the image begins behind lines that were read before.
void UniformEcho::keep(std::int64_t first_pulse, std::int64_t end_pulse) {
    const std::int64_t kept_end = kept_first_ + static_cast<std::int64_t>(kept_.size()) / row_;
    if (first_pulse < kept_first_ || first_pulse > kept_end) {
        kept_.clear();
        kept_first_ = first_pulse;
    }
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>((first_pulse - kept_first_) * row_));
    kept_first_ = first_pulse;
    const std::int64_t from = kept_first_ + static_cast<std::int64_t>(kept_.size()) / row_, missing = end_pulse - from;
    if (missing <= 0) return;
    kept_.resize(static_cast<std::size_t>((end_pulse - kept_first_) * row_));
    Complex<float>* to = kept_.data() + (from - kept_first_) * row_;
    if (!pulse_)
        return read_decoded(source_, from, missing, threads_, std::span(to, static_cast<std::size_t>(missing * row_)));
    std::vector<Complex<float>> lines(static_cast<std::size_t>(missing * raw_.samples));
    read_decoded(source_, from, missing, threads_, lines);
    const LineBuffers<float> buffers(threads_, row_);
    for_each_line(missing, threads_, [&](std::int64_t i) {
        Complex<float>*buffer = buffers.mine(), *line = to + i * row_;
        std::copy_n(lines.data() + i * raw_.samples, raw_.samples, buffer);
        std::fill(buffer + raw_.samples, buffer + row_, Complex<float>{0, 0});
        const double delay = delay_at(raw_.pulse_times_s[static_cast<std::size_t>(from + i)]);
        pulse_->off(buffer, compensation_ ? 0 : delay);
        if (compensation_) {
            compensation_->move(from + i, buffer, line);
            if (walk_hz_ == 0) return;
            std::copy_n(line, row_, buffer);
            pulse_->only_delay(buffer, delay);
        }
        std::copy_n(buffer, row_, line);
    });
}

template <class Add>
void UniformEcho::weigh(std::int64_t line, Interval samples, const Add& add) const {
    const double time_s = acquisition_.pulse_time_s(static_cast<double>(line));
    MotionCompensation::Filters filters;
    if (compensation_) filters = compensation_->filters(time_s, band_ * raw_.prf_hz);
    std::vector<double> intervals;
    std::vector<std::complex<double>> weights;
    for (const Stretch& stretch : stretches(line)) {
        intervals.clear();
        for (const std::int64_t pulse : stretch.pulses)
            intervals.push_back((raw_.pulse_times_s[static_cast<std::size_t>(pulse)] - time_s) * raw_.prf_hz);
        if (intervals.empty()) continue;
        std::optional<FilteredInterpolation> filtered;
        if (compensation_) filtered.emplace(intervals, band_);
        const std::vector<double> plain =
            filtered ? std::vector<double>(intervals.size()) : interpolation_weights(intervals, band_);
        const std::int64_t end = pulse_ ? row_ : stretch.samples.last;
        for (std::int64_t first = stretch.samples.first; first < end; first += doppler_stretch_) {
            const std::int64_t count = std::min(doppler_stretch_, end - first);
            if (first >= samples.last || first + count <= samples.first) continue;
            const double cycles_per_interval =
                centroid_at_hz(line, static_cast<double>(first) + 0.5 * static_cast<double>(count - 1)) / raw_.prf_hz;
            weights.assign(plain.begin(), plain.end());
            if (filtered) filtered->weigh(filters.of(first / doppler_stretch_), weights);
            for (std::size_t i = 0; i < weights.size(); ++i)
                weights[i] *= std_phasor(-cycles_per_interval * intervals[i]);
            add(first, count, stretch.pulses, weights);
        }
    }
}

void UniformEcho::interpolate(std::int64_t line, Complex<float>* row) const {
    std::fill_n(row, row_, Complex<float>{0, 0});
    const Interval whole{0, static_cast<std::int32_t>(row_)};
    const std::int64_t delay = std::llround(delay_at(acquisition_.pulse_time_s(static_cast<double>(line)))),
                       moved = ((delay % row_) + row_) % row_;
    weigh(line, whole,
          [&](std::int64_t first, std::int64_t count, const std::vector<std::int64_t>& pulses,
              const std::vector<std::complex<double>>& weights) {
              // Where the samples lie in moved lines, which go round.
              const std::int64_t from = (first + moved) % row_, before_end = std::min(count, row_ - from);
              for (std::size_t i = 0; i < weights.size(); ++i) {
                  if (weights[i] == 0.0) continue;
                  const Complex<float> weight{static_cast<float>(weights[i].real()),
                                              static_cast<float>(weights[i].imag())};
                  const Complex<float>* pulse = kept_.data() + (pulses[i] - kept_first_) * row_;
                  add_weighted(weight, pulse + from, before_end, row + from);
                  add_weighted(weight, pulse, count - before_end, row);
              }
          });
}

std::vector<UniformEcho::WeighedPulse> UniformEcho::made_of(std::int64_t line, double range_m) const {
    const auto sample = static_cast<std::int32_t>(std::clamp(
        std::round((range_m - raw_.near_range_m) / raw_.range_spacing_m), 0.0, static_cast<double>(raw_.samples - 1)));
    std::vector<WeighedPulse> made;
    weigh(line, {sample, sample + 1},
          [&](std::int64_t, std::int64_t, const std::vector<std::int64_t>& pulses,
              const std::vector<std::complex<double>>& weights) {
              for (std::size_t i = 0; i < weights.size(); ++i) made.push_back({pulses[i], weights[i]});
          });
    return made;
}

double UniformEcho::delayed_s(std::int64_t pulse, std::int64_t line) const {
    return (delay_at(raw_.pulse_times_s[static_cast<std::size_t>(pulse)]) -
            delay_at(acquisition_.pulse_time_s(static_cast<double>(line)))) /
           raw_.sample_rate_hz();
}

void UniformEcho::read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) {
    const auto& times = raw_.pulse_times_s;
    const auto place = [&](std::int64_t line, double off) {
        const double time_s = acquisition_.pulse_time_s(static_cast<double>(line)) + off / raw_.prf_hz;
        return std::lower_bound(times.begin(), times.end(), time_s) - times.begin();
    };
    keep(place(first_line, -interpolation_reach), place(first_line + lines - 1, interpolation_reach));
    auto* out = reinterpret_cast<Complex<float>*>(to.data());
    const LineBuffers<float> buffers(threads_, row_);
    for_each_line(lines, threads_, [&](std::int64_t i) {
        Complex<float>* line = out + i * raw_.samples;
        if (!pulse_) return interpolate(first_line + i, line);
        Complex<float>* buffer = buffers.mine();
        interpolate(first_line + i, buffer);
        pulse_->on(buffer, -delay_at(acquisition_.pulse_time_s(static_cast<double>(first_line + i))));
        std::copy_n(buffer, raw_.samples, line);
    });
}

}  // namespace cornerturn
