// SPDX-License-Identifier: Apache-2.0
// Lines of echo: the sum of the targets in the beam, noise, and the conversion to the stored samples.
#include "pipeline/proof/simulator.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <span>
#include <stdexcept>
#include <utility>

#include "kernels/host/thread_limit.h"
#include "kernels/host/vector_clones.h"
#include "kernels/interrupt.h"
#include "kernels/math/phasor.h"
#include "pipeline/proof/counted_noise.h"
#include "pipeline/proof/recording.h"
#include "pipeline/proof/scene_geometry.h"

namespace cornerturn {
namespace {

constexpr std::int64_t lines_per_block = 128;

struct LevelRange {
    double nominal;  ///< level of the strongest echo
    double largest;  ///< that is stored; symmetric
};

LevelRange level_range(SampleFormat format) {
    return format == SampleFormat::int8 ? LevelRange{100, 127} : LevelRange{25000, 32767};
}

/// A scatterer and how long the beam is on it, in lines of pulses that leave in equal steps.
struct Scatterer {
    Place place;
    Complex128 amplitude;
    IlluminatedLines illuminated;
};

Scatterer scatterer(const LocatedTarget& target) {
    const std::complex<double> amplitude = target.truth.amplitude;
    return {to_place(target.place_m), {amplitude.real(), amplitude.imag()}, target.illuminated};
}

/// `line`: as if all left in equal steps.
bool sees(const Scatterer& scatterer, double line) {
    return line >= scatterer.illuminated.first && line <= scatterer.illuminated.last;
}

double magnitude(Complex128 z) { return std::hypot(z.re, z.im); }

/// Adds the samples `to` of a pulse. Its quadratic phase runs by p *= q, q *= r in eight lanes: 2000 steps cost 1e-10.
CT_VECTOR_CLONES void add_pulse(const PulseEcho& pulse, IndexRange to, Complex128 amplitude, Complex128* out) {
    constexpr int lanes = 8;
    const double curve = pulse.cycles_per_sample2;
    const Complex128 r = unit_phasor<double>(2 * curve * lanes * lanes);
    double p_re[lanes], p_im[lanes], q_re[lanes], q_im[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const double d = static_cast<double>(to.first + lane) - pulse.middle;
        const Complex128 p = amplitude * pulse.at(to.first + lane);
        const Complex128 q = unit_phasor<double>(lanes * (pulse.cycles_per_sample + curve * (2 * d + lanes)));
        p_re[lane] = p.re, p_im[lane] = p.im, q_re[lane] = q.re, q_im[lane] = q.im;
    }
    std::int64_t sample = to.first;
    for (; sample + lanes <= to.last; sample += lanes) {
        for (int lane = 0; lane < lanes; ++lane) {
            const double pr = p_re[lane], pi = p_im[lane], qr = q_re[lane], qi = q_im[lane];
            out[sample + lane].re += pr;
            out[sample + lane].im += pi;
            p_re[lane] = pr * qr - pi * qi;
            p_im[lane] = pr * qi + pi * qr;
            q_re[lane] = qr * r.re - qi * r.im;
            q_im[lane] = qr * r.im + qi * r.re;
        }
    }
    for (int lane = 0; sample < to.last; ++lane, ++sample)
        out[sample] = out[sample] + Complex128{p_re[lane], p_im[lane]};
}

/// Computes lines of one scene in one polarization; holds no state that a line changes.
class LineSimulator {
public:
    LineSimulator(const Scene& scene, const SceneGeometry& geometry, const Acquisition& recorded,
                  const std::vector<LocatedTarget>& targets, const std::vector<Scatterer>& clutter)
        : scene_(scene),
          even_(geometry.radar()),
          radar_(recorded, geometry.radar().track()),
          decoding_(recorded.decoding),
          targets_(targets.size()),
          scatterers_(clutter) {
        std::transform(targets.begin(), targets.end(), targets_.begin(), scatterer);
        true_phase_rad_ = recorded.true_phase_error_rad;
        noise_sigma_ = scene.noise_db ? sigma_of_noise(*scene.noise_db) : 0.0;
    }

    double noise_sigma() const { return noise_sigma_; }  ///< of the real and of the imaginary part

    /// Polarizations, by their number `channel`, have noises of their own.
    void simulate(std::int64_t line, std::uint64_t channel, std::span<Complex128> out) const {
        std::fill(out.begin(), out.end(), Complex128{0, 0});
        const PulsePath path = radar_.path(static_cast<double>(line));
        const double even_line = even_line_of(line);
        for (const auto* list : {&targets_, &scatterers_})
            for (const Scatterer& one : *list)
                if (sees(one, even_line)) {
                    const PulseEcho pulse = pulse_echo(radar_.timing(), path, one.place);
                    add_pulse(pulse, recorded(pulse.samples, scene_.samples), one.amplitude, out.data());
                }
        turn(line, out);
        if (scene_.noise_db)
            add_noise({.seed = scene_.seed, .polarization = channel, .line = static_cast<std::uint64_t>(line)},
                      noise_sigma_, out);
        blank(line, out);
    }

    /// The most that the amplitudes of overlapping chirps can add up to in a line.
    double largest_sum(std::int64_t line) const {
        std::vector<std::pair<std::int64_t, double>> steps;
        const PulsePath path = radar_.path(static_cast<double>(line));
        for (const Scatterer& target : targets_) {
            if (!sees(target, even_line_of(line))) continue;
            const IndexRange held = recorded(pulse_echo(radar_.timing(), path, target.place).samples, scene_.samples);
            if (held.first == held.last) continue;
            steps.emplace_back(held.first, magnitude(target.amplitude));
            steps.emplace_back(held.last, -magnitude(target.amplitude));
        }
        std::sort(steps.begin(), steps.end());
        double sum = 0, largest = 0;
        for (const auto& [sample, step] : steps) largest = std::max(largest, sum += step);
        return largest;
    }

    /// Deviation of the real part of all clutter that a line can see at once.
    double clutter_sigma() const {
        std::vector<std::pair<double, double>> steps;
        for (const Scatterer& one : scatterers_) {
            steps.emplace_back(one.illuminated.first, magnitude(one.amplitude) * magnitude(one.amplitude));
            steps.emplace_back(one.illuminated.last, -magnitude(one.amplitude) * magnitude(one.amplitude));
        }
        std::sort(steps.begin(), steps.end());
        double sum = 0, largest = 0;
        for (const auto& [line, step] : steps) largest = std::max(largest, sum += step);
        return std::sqrt(0.5 * largest);
    }

private:
    /// By the scene's phase error.
    void turn(std::int64_t line, std::span<Complex128> out) const {
        if (true_phase_rad_.empty()) return;
        const auto phasor =
            unit_phasor<double>(true_phase_rad_[static_cast<std::size_t>(line)] / (2 * std::numbers::pi));
        for (Complex128& value : out) value = phasor * value;
    }

    /// Nothing is received while a pulse is sent.
    void blank(std::int64_t line, std::span<Complex128> out) const {
        if (decoding_.valid_samples.empty()) return;
        std::size_t end = 0;
        const auto zero_to = [&](std::size_t next) {
            if (next > end)
                std::fill(out.begin() + static_cast<std::ptrdiff_t>(end),
                          out.begin() + static_cast<std::ptrdiff_t>(next), Complex128{0, 0});
        };
        for (int k = 0; k < decoding_.intervals_per_line; ++k) {
            const Interval open =
                decoding_.valid_samples[static_cast<std::size_t>(line * decoding_.intervals_per_line + k)];
            if (open.last == open.first) continue;
            zero_to(static_cast<std::size_t>(open.first));
            end = static_cast<std::size_t>(open.last);
        }
        zero_to(out.size());
    }

    double even_line_of(std::int64_t line) const {
        return even_.line_at(radar_.pulse_time_s(static_cast<double>(line)));
    }

    const Scene& scene_;
    const RadarGeometry& even_;
    RadarGeometry radar_;  // of the pulses as they are recorded
    EchoDecoding decoding_;
    std::vector<Scatterer> targets_, scatterers_;
    std::vector<double> true_phase_rad_;
    double noise_sigma_ = 0;
};

/// Scatterers of the patches; number i of patch k is the same whoever computes it.
std::vector<Scatterer> clutter_of(const Scene& scene, const SceneGeometry& geometry) {
    std::vector<Scatterer> scatterers;
    for (std::size_t k = 0; k < scene.clutter.size(); ++k) {
        const ClutterPatch& patch = scene.clutter[k];
        const std::uint64_t key = mix(mix(scene.seed ^ purpose("clutter")) + k);
        const std::size_t first = scatterers.size();
        scatterers.resize(first + static_cast<std::size_t>(patch.scatterers));
#pragma omp parallel for schedule(dynamic, 64)
        for (std::int64_t i = 0; i < patch.scatterers; ++i) {
            const auto random = [&](std::uint64_t which) {
                return unit(mix(key + 4 * static_cast<std::uint64_t>(i) + which));
            };
            const BeamCentrePosition position{
                patch.first_line + random(0) * (patch.last_line - patch.first_line),
                patch.first_sample + random(1) * (patch.last_sample - patch.first_sample)};
            Scatterer& one = scatterers[first + static_cast<std::size_t>(i)];
            one = scatterer(geometry.locate({position, 1, 0, scene.height_m}));
            one.amplitude = std::pow(10.0, patch.power_db / 20) * std::sqrt(-std::log(1.0 - random(2))) *
                            unit_phasor<double>(random(3));
        }
    }
    return scatterers;
}

std::vector<LocatedTarget> located_targets(const Scene& scene, const SceneGeometry& geometry) {
    std::vector<LocatedTarget> located;
    for (const SceneTarget& target : scene_targets(scene)) located.push_back(geometry.locate(target));
    return located;
}

double scale_of(const Scene& scene, const Acquisition& recorded, const LineSimulator& simulator) {
    if (scene.sample_type == SampleFormat::complex64) return 1;
    double largest = 0;
    for (std::int64_t line = 0; line < recorded.lines; ++line) largest = std::max(largest, simulator.largest_sum(line));
    largest += 4 * std::hypot(simulator.noise_sigma(), simulator.clutter_sigma());
    return largest > 0 ? level_range(scene.sample_type).nominal / largest : 1;
}

template <class Integer>
Integer quantised(double value, double limit) {
    return static_cast<Integer>(std::clamp(std::nearbyint(value), -limit, limit));
}

template <class Integer>
void store_integers(std::span<const Complex128> line, double scale, double limit, std::byte* out) {
    for (const Complex128& value : line) {
        const Integer pair[2] = {quantised<Integer>(scale * value.re, limit),
                                 quantised<Integer>(scale * value.im, limit)};
        std::memcpy(out, pair, sizeof(pair));
        out += sizeof(pair);
    }
}

void store(std::span<const Complex128> line, SampleFormat format, double scale, std::byte* out) {
    const double limit = level_range(format).largest;
    switch (format) {
        case SampleFormat::int8: return store_integers<std::int8_t>(line, scale, limit, out);
        case SampleFormat::int16: return store_integers<std::int16_t>(line, scale, limit, out);
        default:
            for (const Complex128& value : line) {
                const Complex64 single = complex_cast<float>(value);
                std::memcpy(out, &single, sizeof(single));
                out += sizeof(single);
            }
    }
}

template <class Integer>
std::int64_t count_extremes(std::span<const std::byte> samples, double limit) {
    std::int64_t count = 0;
    Integer pair[2];
    for (std::size_t at = 0; at + sizeof(pair) <= samples.size(); at += sizeof(pair)) {
        std::memcpy(pair, samples.data() + at, sizeof(pair));
        count += std::abs(pair[0]) >= limit || std::abs(pair[1]) >= limit;
    }
    return count;
}

std::int64_t full_scale_in(std::span<const std::byte> samples, SampleFormat format) {
    if (format == SampleFormat::int8) return count_extremes<std::int8_t>(samples, level_range(format).largest);
    if (format == SampleFormat::int16) return count_extremes<std::int16_t>(samples, level_range(format).largest);
    return 0;
}

}  // namespace

/// What of a scene all its polarizations share.
struct SimulatedEcho::Model {
    explicit Model(const Scene& s)
        : scene((validate(s), s)),
          geometry(scene),
          recorded(recording_of(scene)),
          targets(located_targets(scene, geometry)),
          simulator(scene, geometry, recorded, targets, clutter_of(scene, geometry)),
          scale(scale_of(scene, recorded, simulator)),
          acquisition(described()) {}
    Scene scene;
    SceneGeometry geometry;
    Acquisition recorded;  ///< times and gaps
    std::vector<LocatedTarget> targets;
    LineSimulator simulator;
    double scale;
    Acquisition acquisition;  ///< of the first polarization

    Acquisition described() const {
        Acquisition described = recorded;
        described.identification.mission = "SIMULATION";
        described.orbit = geometry.orbit();
        described.attitude = geometry.attitude();
        if (!scene.on_orbit()) described.effective_velocity_m_s = scene.velocity_m_s;
        if (scene.on_orbit()) described.doppler_of_pixels_hz = geometry.doppler_of_pixels_hz();
        if (!described.doppler_of_pixels_hz) described.doppler_centroid_hz = geometry.doppler_centroid_hz();
        described.azimuth_bandwidth_hz = scene.azimuth_bandwidth_hz;
        described.polarization = scene.polarizations.front();
        for (const LocatedTarget& target : targets) {
            described.truth.push_back(target.truth);
            described.truth.back().amplitude *= scale;
        }
        return described;
    }
};

Acquisition describe(const Scene& scene) { return SimulatedEcho(scene).acquisition(); }

SimulatedEcho::SimulatedEcho(const Scene& scene, Progress progress, int threads)
    : model_(std::make_shared<Model>(scene)),
      acquisition_(model_->acquisition),
      progress_(std::move(progress)),
      threads_(thread_count(threads)) {}
SimulatedEcho::~SimulatedEcho() = default;

SimulatedEcho SimulatedEcho::other_polarization(std::size_t channel) const {
    SimulatedEcho other = *this;
    other.channel_ = channel;
    other.at_full_scale_ = 0;
    other.acquisition_.polarization = model_->scene.polarizations.at(channel);
    return other;
}

void SimulatedEcho::read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) {
    const Scene& scene = model_->scene;
    const auto line_samples = static_cast<std::size_t>(scene.samples);
    const std::size_t line_bytes = line_samples * bytes_per_sample(scene.sample_type);
    const std::int64_t end = first_line + lines;
    std::vector<std::vector<Complex128>> buffers(static_cast<std::size_t>(threads_),
                                                 std::vector<Complex128>(line_samples));
    for (std::int64_t first = first_line; first < end; first += lines_per_block) {
        throw_if_interrupted();
        if (progress_) progress_("simulate", static_cast<double>(first) / static_cast<double>(acquisition_.lines));
        const std::int64_t last = std::min(first + lines_per_block, end);
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
        for (std::int64_t line = first; line < last; ++line) {
            std::vector<Complex128>& buffer = buffers[static_cast<std::size_t>(omp_get_thread_num())];
            model_->simulator.simulate(line, channel_, buffer);
            store(buffer, scene.sample_type, model_->scale,
                  to.data() + static_cast<std::size_t>(line - first_line) * line_bytes);
        }
    }
    at_full_scale_ += full_scale_in(to.first(static_cast<std::size_t>(lines) * line_bytes), scene.sample_type);
    if (!scene.noise_db && scene.clutter.empty() && at_full_scale_ > 0)
        throw std::logic_error("simulator: noise-free samples were clipped, the amplitude scale is wrong");
    if (progress_ && end == acquisition_.lines) progress_("simulate", 1);
}

Echo simulate(const Scene& scene, const Progress& progress, int threads) {
    SimulatedEcho source(scene, progress, threads);
    Echo echo{source.acquisition(), {}};
    echo.samples.resize(echo.acquisition.sample_bytes());
    source.read(0, echo.acquisition.lines, echo.samples);
    return echo;
}

double amplitude_scale(const Scene& scene) { return SimulatedEcho(scene).amplitude_scale(); }
double SimulatedEcho::amplitude_scale() const { return model_->scale; }

std::int64_t samples_at_full_scale(const Echo& echo) { return full_scale_in(echo.samples, echo.acquisition.format); }

}  // namespace cornerturn
