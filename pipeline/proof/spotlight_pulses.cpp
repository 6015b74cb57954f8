// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/spotlight_pulses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/counted_noise.h"
#include "pipeline/proof/recording.h"
#include "pipeline/proof/spotlight_scene.h"

namespace cornerturn {
namespace {

constexpr double delays_to_window = 1.25;  // that samples over frequency tell apart

/// By what it has a phase history, or may not have one.
const Scene& checked(const Scene& scene) {
    validate(scene);
    const auto refuse = [](const std::string& what, const char* way_out) {
        throw InputError(fmt::format("scene: {}; {}", what, way_out));
    };
    if (!scene.spotlight())
        refuse(
            "its beam goes along with the antenna, and phase histories (CPHD) are those of a beam that is held on a "
            "spot",
            "give beam: {steering: spotlight, latitude_deg: ..., longitude_deg: ...}, or write NISAR L0B");
    if (scene.transmit_gaps)
        refuse("transmit_gaps leave parts of lines, which compensated pulses have none of", "leave them out");
    return scene;
}

struct SpotlightTarget {
    Vec3 place_m{};
    std::complex<double> amplitude;
    IlluminatedLines illuminated;  ///< as if pulses left in equal steps
};

/// Adds amplitude exp(-j 2 pi f later_s) at frequencies in equal steps.
void add_echo(double later_s, std::complex<double> amplitude, double first_hz, double step_hz,
              std::span<Complex128> to) {
    constexpr std::size_t at_a_time = 64;  // products of phasors keep their length for so long
    const Complex128 step = unit_phasor<double>(-step_hz * later_s), a{amplitude.real(), amplitude.imag()};
    for (std::size_t first = 0; first < to.size(); first += at_a_time) {
        Complex128 phasor = a * unit_phasor<double>(-(first_hz + static_cast<double>(first) * step_hz) * later_s);
        for (std::size_t i = first; i < std::min(to.size(), first + at_a_time); ++i) {
            to[i] = to[i] + phasor;
            phasor = phasor * step;
        }
    }
}

}  // namespace

struct SpotlightPulses::Model {
    explicit Model(const Scene& given)
        : scene(checked(given)),
          geometry(scene),
          ground(scene, geometry),
          radar(recording_of(scene), geometry.radar().track()) {
        const double band_hz = std::abs(scene.chirp_slope_hz_s) * scene.chirp_duration_s;
        step_hz = 1 / (delays_to_window * ground.window_s());
        samples = static_cast<std::int64_t>(std::floor(band_hz / step_hz));
        first_hz = scene.carrier_hz - 0.5 * static_cast<double>(samples - 1) * step_hz;
        const std::int64_t lines = recording_of(scene).lines;
        for (std::int64_t line = 0; line < lines; ++line) {
            throw_if_interrupted();
            pulses.push_back(pulse(static_cast<double>(line)));
        }
        phase_error_rad = recording_of(scene).true_phase_error_rad;
        locate_targets();
    }

    SpotlightPulse pulse(double line) const {
        SpotlightPulse pulse;
        pulse.sent_s = radar.pulse_time_s(line) + 0.5 * scene.chirp_duration_s;
        pulse.sender = radar.track()(pulse.sent_s);
        pulse.reference_m = ground.reference_m(pulse.sent_s);
        const double out_m = norm(pulse.reference_m - pulse.sender.position_m);
        pulse.received_s = pulse.sent_s + 2 * out_m / speed_of_light_m_s;
        for (int round = 0; round < 6; ++round) {  // the antenna moves 2e-5 of the way: five digits a round
            pulse.receiver = radar.track()(pulse.received_s);
            pulse.received_s =
                pulse.sent_s + (out_m + norm(pulse.reference_m - pulse.receiver.position_m)) / speed_of_light_m_s;
        }
        return pulse;
    }

    void locate_targets() {
        const std::vector<SceneTarget> given = scene_targets(scene);
        for (std::size_t i = 0; i < given.size(); ++i) {
            throw_if_interrupted();
            const LocatedTarget located = geometry.locate(given[i]);
            targets.push_back({located.place_m, located.truth.amplitude, located.illuminated});
            truth.push_back(located.truth);
            truth.back().place_m = located.place_m;
            truth.back().illuminated_s = TimeSpan{geometry.radar().pulse_time_s(located.illuminated.first - 0.5),
                                                  geometry.radar().pulse_time_s(located.illuminated.last + 0.5)};
            check_window(i);
        }
    }

    /// Beyond it an echo would come back at the other end of the samples' delays.
    void check_window(std::size_t index) const {
        double farthest_s = 0;
        for (std::size_t i = 0; i < pulses.size(); ++i)
            if (sees(targets[index], i))
                farthest_s = std::max(farthest_s, std::abs(later_s(pulses[i], targets[index])));
        if (2 * farthest_s > ground.window_s())
            throw InputError(fmt::format(
                "scene: targets[{}] echoes {:.4g} us before or behind the point of reference, but samples hold only "
                "{:.4g} us; move it nearer, or raise samples by {:.0f}",
                index, farthest_s * 1e6, 0.5e6 * ground.window_s(),
                std::ceil((2 * farthest_s - ground.window_s()) * scene.sample_rate_hz)));
    }

    static double later_s(const SpotlightPulse& pulse, const SpotlightTarget& target) {
        const auto way_m = [&](const Vec3& place_m) {
            return norm(pulse.sender.position_m - place_m) + norm(pulse.receiver.position_m - place_m);
        };
        return (way_m(target.place_m) - way_m(pulse.reference_m)) / speed_of_light_m_s;
    }
    bool sees(const SpotlightTarget& target, std::size_t pulse) const {
        constexpr double rounding = 1e-6;
        const double line = geometry.radar().line_at(pulses[pulse].sent_s - 0.5 * scene.chirp_duration_s);
        return line >= target.illuminated.first - rounding && line <= target.illuminated.last + rounding;
    }
    double noise_sigma() const { return scene.noise_db ? sigma_of_noise(*scene.noise_db) : 0; }

    Scene scene;
    SceneGeometry geometry;
    SpotlightScene ground;
    RadarGeometry radar;  ///< of the pulses as they are recorded
    std::int64_t samples = 0;
    double first_hz = 0, step_hz = 0;
    std::vector<SpotlightPulse> pulses;
    std::vector<SpotlightTarget> targets;
    std::vector<PointTarget> truth;
    std::vector<double> phase_error_rad;  ///< of each pulse; empty: none
};

SpotlightPulses::SpotlightPulses(const Scene& scene) : model_(std::make_unique<const Model>(scene)) {}
SpotlightPulses::~SpotlightPulses() = default;
SpotlightPulses::SpotlightPulses(SpotlightPulses&&) noexcept = default;

const Scene& SpotlightPulses::scene() const { return model_->scene; }
const std::vector<SpotlightPulse>& SpotlightPulses::pulses() const { return model_->pulses; }
const SceneArea& SpotlightPulses::area() const { return model_->ground.area(); }
double SpotlightPulses::centre_time_s() const { return model_->ground.centre_time_s(0); }
double SpotlightPulses::later_s_per_m() const { return model_->ground.centre_time_s(1) - centre_time_s(); }
double SpotlightPulses::dwell_s() const { return model_->ground.dwell_s(); }
const std::vector<PointTarget>& SpotlightPulses::truth() const { return model_->truth; }
std::int64_t SpotlightPulses::samples() const { return model_->samples; }
double SpotlightPulses::first_hz() const { return model_->first_hz; }
double SpotlightPulses::step_hz() const { return model_->step_hz; }
double SpotlightPulses::window_s() const { return model_->ground.window_s(); }

void SpotlightPulses::spectrum(std::size_t pulse, std::size_t polarization, std::span<Complex128> to) const {
    std::fill(to.begin(), to.end(), Complex128{0, 0});
    const std::complex<double> error =
        model_->phase_error_rad.empty() ? 1.0 : std::polar(1.0, model_->phase_error_rad[pulse]);
    for (const SpotlightTarget& target : model_->targets)
        if (model_->sees(target, pulse))
            add_echo(Model::later_s(model_->pulses[pulse], target), error * target.amplitude, first_hz(), step_hz(),
                     to);
    if (model_->scene.noise_db)
        add_noise({.seed = model_->scene.seed, .polarization = polarization, .line = static_cast<std::uint64_t>(pulse)},
                  model_->noise_sigma(), to);
}

double SpotlightPulses::largest_part() const {
    double sum = 4 * model_->noise_sigma();
    for (const SpotlightTarget& target : model_->targets) sum += std::abs(target.amplitude);
    return sum;
}

}  // namespace cornerturn
