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

#include "kernels/interrupt.h"
#include "kernels/phasor.h"
#include "pipeline/proof/straight_flight.h"

namespace cornerturn {
namespace {

/// A leading edge this close behind a sample counts as on it: rounding of R must not take the first sample of a chirp away.
constexpr double edge_tolerance_samples = 1e-6;
constexpr std::int64_t lines_per_block = 128;

struct LevelRange {
    double nominal;  ///< level of the strongest echo
    double largest;  ///< that is stored; symmetric
};

LevelRange level_range(SampleFormat format) { return format == SampleFormat::int8 ? LevelRange{100, 127} : LevelRange{25000, 32767}; }

/// Where a target's chirp lies in one line.
struct LineEcho {
    bool seen = false;
    double slant_m = 0;
    double edge = 0;                   ///< leading edge, in samples
    std::int64_t first = 0, last = 0;  ///< samples [first, last) that hold it
};

LineEcho line_echo(const Acquisition& acquisition, double velocity_m_s, double low_hz, double high_hz, const PointTarget& target,
                   std::int64_t line) {
    const double along_m = velocity_m_s * (acquisition.pulse_time_s(static_cast<double>(line)) - target.zero_doppler_time_s);
    LineEcho echo;
    echo.slant_m = std::sqrt(target.range_m * target.range_m + along_m * along_m);
    const double doppler_hz = -2.0 * velocity_m_s * along_m / (acquisition.wavelength_m() * echo.slant_m);
    if (doppler_hz < low_hz || doppler_hz >= high_hz) return echo;
    echo.edge = (echo.slant_m - acquisition.near_range_m) / acquisition.range_spacing_m;
    const double begin = std::ceil(echo.edge - edge_tolerance_samples);
    const double end = std::ceil(echo.edge - edge_tolerance_samples + acquisition.chirp_samples());
    const double samples = static_cast<double>(acquisition.samples);
    echo.first = static_cast<std::int64_t>(std::clamp(begin, 0.0, samples));
    echo.last = static_cast<std::int64_t>(std::clamp(end, 0.0, samples));
    echo.seen = echo.first < echo.last;
    return echo;
}

/// Computes lines of one scene; holds no state that a line changes.
class LineSimulator {
public:
    LineSimulator(const Scene& scene, const Acquisition& acquisition, std::vector<PointTarget> targets)
        : scene_(scene), acquisition_(acquisition), targets_(std::move(targets)) {
        noise_sigma_ = scene.noise_db ? std::pow(10.0, *scene.noise_db / 20) / std::numbers::sqrt2 : 0.0;
    }

    double noise_sigma() const { return noise_sigma_; }  ///< of the real and of the imaginary part

    void simulate(std::int64_t line, std::span<Complex128> out) const {
        std::fill(out.begin(), out.end(), Complex128{0, 0});
        for (const PointTarget& target : targets_) add_target(target, line, out);
        if (scene_.noise_db) add_noise(line, out);
    }

    /// The most that the amplitudes of overlapping chirps can add up to in a line.
    double largest_sum(std::int64_t line) const {
        std::vector<std::pair<std::int64_t, double>> steps;
        for (const PointTarget& target : targets_) {
            const LineEcho echo = find(target, line);
            if (!echo.seen) continue;
            steps.emplace_back(echo.first, std::abs(target.amplitude));
            steps.emplace_back(echo.last, -std::abs(target.amplitude));
        }
        std::sort(steps.begin(), steps.end());
        double sum = 0, largest = 0;
        for (const auto& [sample, step] : steps) largest = std::max(largest, sum += step);
        return largest;
    }

private:
    LineEcho find(const PointTarget& target, std::int64_t line) const {
        return line_echo(acquisition_, scene_.velocity_m_s, scene_.doppler_low_hz(), scene_.doppler_high_hz(), target, line);
    }

    /// A exp(j pi K (t - T/2)^2) exp(-j 4 pi f0 R / c), t from the leading edge.
    void add_target(const PointTarget& target, std::int64_t line, std::span<Complex128> out) const {
        const LineEcho echo = find(target, line);
        if (!echo.seen) return;
        const double half_slope = 0.5 * acquisition_.chirp.slope_hz_s;
        const double half_duration_s = 0.5 * acquisition_.chirp.duration_s;
        const double sample_rate_hz = acquisition_.sample_rate_hz();
        const Complex128 carrier = unit_phasor<double>(-2.0 * acquisition_.carrier_hz * echo.slant_m / speed_of_light_m_s);
        const Complex128 amplitude = Complex128{target.amplitude.real(), target.amplitude.imag()} * carrier;
        for (std::int64_t sample = echo.first; sample < echo.last; ++sample) {
            const double time_s = (static_cast<double>(sample) - echo.edge) / sample_rate_hz - half_duration_s;
            Complex128& value = out[static_cast<std::size_t>(sample)];
            value = value + amplitude * unit_phasor<double>(half_slope * time_s * time_s);
        }
    }

    /// Circular Gaussian noise from a counter: number (line, sample) of the seed's sequence, whoever computes it.
    void add_noise(std::int64_t line, std::span<Complex128> out) const {
        const std::uint64_t key = mix(mix(scene_.seed) + static_cast<std::uint64_t>(line));
        for (std::size_t sample = 0; sample < out.size(); ++sample) {
            const double uniform = 1.0 - unit(mix(key + 2 * sample));  // (0, 1]
            const double radius = noise_sigma_ * std::sqrt(-2.0 * std::log(uniform));
            out[sample] = out[sample] + radius * unit_phasor<double>(unit(mix(key + 2 * sample + 1)));
        }
    }

    /// The splitmix64 generator (Steele, Lea, Flood 2014) as a hash of its counter.
    static std::uint64_t mix(std::uint64_t x) {
        x = (x + 1) * 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }
    static double unit(std::uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53; }  // [0, 1)

    const Scene& scene_;
    const Acquisition& acquisition_;
    std::vector<PointTarget> targets_;
    double noise_sigma_ = 0;
};

LineSimulator line_simulator(const Scene& scene, const Acquisition& acquisition) {
    std::vector<PointTarget> targets;
    for (const SceneTarget& target : scene_targets(scene)) targets.push_back(locate(scene, target));
    return {scene, acquisition, std::move(targets)};
}

Acquisition geometry(const Scene& scene) {
    Acquisition acquisition;
    acquisition.lines = scene.lines;
    acquisition.samples = scene.samples;
    acquisition.format = scene.sample_type;
    acquisition.epoch = scene.epoch;
    acquisition.first_pulse_time_s = scene.first_pulse_time_s;
    acquisition.prf_hz = scene.prf_hz;
    acquisition.carrier_hz = scene.carrier_hz;
    acquisition.near_range_m = scene.near_range_m;
    acquisition.range_spacing_m = scene.range_spacing_m();
    acquisition.chirp = {scene.chirp_slope_hz_s, scene.chirp_duration_s};
    return acquisition;
}

double scale_of(const Scene& scene, const LineSimulator& simulator) {
    if (scene.sample_type == SampleFormat::complex64) return 1;
    double largest = 0;
    for (std::int64_t line = 0; line < scene.lines; ++line) largest = std::max(largest, simulator.largest_sum(line));
    largest += 4 * simulator.noise_sigma();
    return largest > 0 ? level_range(scene.sample_type).nominal / largest : 1;
}

template <class Integer>
Integer quantised(double value, double limit) {
    return static_cast<Integer>(std::clamp(std::nearbyint(value), -limit, limit));
}

template <class Integer>
void store_integers(std::span<const Complex128> line, double scale, double limit, std::byte* out) {
    for (const Complex128& value : line) {
        const Integer pair[2] = {quantised<Integer>(scale * value.re, limit), quantised<Integer>(scale * value.im, limit)};
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

Acquisition describe(const Scene& scene) {
    validate(scene);
    Acquisition acquisition = geometry(scene);
    acquisition.identification.mission = "SIMULATION";
    acquisition.identification.look_side = scene.look_side;
    StraightFlight flight = straight_flight(scene);
    acquisition.orbit = std::move(flight.orbit);
    acquisition.attitude = std::move(flight.attitude);
    acquisition.effective_velocity_m_s = scene.velocity_m_s;
    acquisition.doppler_centroid_hz = scene.doppler_centroid_hz;
    acquisition.azimuth_bandwidth_hz = scene.azimuth_bandwidth_hz;
    const double scale = scale_of(scene, line_simulator(scene, acquisition));
    for (const SceneTarget& target : scene_targets(scene)) {
        acquisition.truth.push_back(locate(scene, target));
        acquisition.truth.back().amplitude *= scale;
    }
    return acquisition;
}

struct SimulatedEcho::Model {
    explicit Model(Scene s)
        : scene(std::move(s)),
          acquisition(describe(scene)),
          simulator(line_simulator(scene, acquisition)),
          scale(scale_of(scene, simulator)) {}
    Scene scene;
    Acquisition acquisition;
    LineSimulator simulator;
    double scale;
};

SimulatedEcho::SimulatedEcho(Scene scene, Progress progress, int threads)
    : model_(std::make_unique<Model>(std::move(scene))),
      progress_(std::move(progress)),
      threads_(threads > 0 ? threads : omp_get_max_threads()) {}
SimulatedEcho::~SimulatedEcho() = default;

const Acquisition& SimulatedEcho::acquisition() const { return model_->acquisition; }

void SimulatedEcho::read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) {
    const Scene& scene = model_->scene;
    const auto line_samples = static_cast<std::size_t>(scene.samples);
    const std::size_t line_bytes = line_samples * bytes_per_sample(scene.sample_type);
    const std::int64_t end = first_line + lines;
    std::vector<std::vector<Complex128>> buffers(static_cast<std::size_t>(threads_), std::vector<Complex128>(line_samples));
    for (std::int64_t first = first_line; first < end; first += lines_per_block) {
        throw_if_interrupted();
        if (progress_) progress_("simulate", static_cast<double>(first) / static_cast<double>(scene.lines));
        const std::int64_t last = std::min(first + lines_per_block, end);
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
        for (std::int64_t line = first; line < last; ++line) {
            std::vector<Complex128>& buffer = buffers[static_cast<std::size_t>(omp_get_thread_num())];
            model_->simulator.simulate(line, buffer);
            store(buffer, scene.sample_type, model_->scale, to.data() + static_cast<std::size_t>(line - first_line) * line_bytes);
        }
    }
    at_full_scale_ += full_scale_in(to.first(static_cast<std::size_t>(lines) * line_bytes), scene.sample_type);
    if (!scene.noise_db && at_full_scale_ > 0)
        throw std::logic_error("simulator: noise-free samples were clipped, the amplitude scale is wrong");
    if (progress_ && end == scene.lines) progress_("simulate", 1);
}

Echo simulate(const Scene& scene, const Progress& progress, int threads) {
    SimulatedEcho source(scene, progress, threads);
    Echo echo{source.acquisition(), {}};
    echo.samples.resize(static_cast<std::size_t>(scene.lines * scene.samples) * bytes_per_sample(scene.sample_type));
    source.read(0, scene.lines, echo.samples);
    return echo;
}

double amplitude_scale(const Scene& scene) {
    validate(scene);
    const Acquisition acquisition = geometry(scene);
    return scale_of(scene, line_simulator(scene, acquisition));
}

std::int64_t samples_at_full_scale(const Echo& echo) { return full_scale_in(echo.samples, echo.acquisition.format); }

}  // namespace cornerturn
