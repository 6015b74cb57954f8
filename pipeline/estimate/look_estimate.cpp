// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimate/look_estimate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/estimate/look_shift.h"

namespace cornerturn {
namespace {

constexpr double look_part = 0.5;           // of the beam that a look takes, and by which both lie apart
constexpr double least_standing_out = 7;    // noise alone reaches 4 to 5 over the shifts that are looked at
constexpr double largest_error_prf = 0.25;  // of an ambiguity that is told
constexpr double least_lines_reached = 8;
constexpr int most_rounds = 6, fewest_tiles = 4;

/// With which range histories looks are made.
struct Guess {
    DopplerSurface centroid_hz;
    bool along_orbit = false;
    double velocity_m_s = 0;
};

class LookPair {
public:
    LookPair(const Imager& imager, const Echo& echo, double beam_prf)
        : imager_(imager), echo_(echo), separation_hz_(look_part * beam_prf * echo.acquisition.prf_hz) {}

    double separation_hz() const { return separation_hz_; }

    /// Nothing where geometry or memory do not allow the looks, or they do not overlap.
    std::optional<LookEstimate> compare(const Guess& guess, const LookReach& reach) const try {
        const SmallImage lower = look(guess, -0.5 * separation_hz_), upper = look(guess, 0.5 * separation_hz_);
        const Look first = look_of(lower.image), second = look_of(upper.image);
        const auto shift = shift_of(first, second, reach, imager_.threads);
        if (!shift) return std::nullopt;
        return finding(guess, lower.setup, upper.setup, difference_hz(first, second), *shift);
    } catch (const InputError&) {
        return std::nullopt;
    }

private:
    SmallImage look(const Guess& guess, double off_hz) const {
        FocusOptions options;
        options.doppler_surface = guess.centroid_hz + off_hz;
        options.doppler_centroid_hz = in_the_middle_hz(echo_.acquisition, *options.doppler_surface);
        if (!guess.along_orbit) options.velocity_m_s = guess.velocity_m_s;
        options.azimuth_bandwidth_hz = separation_hz_;
        options.azimuth_window = Window{.kind = Window::Kind::hamming};
        options.interpolation_taps = 8;
        options.force = true;  // a guess that is far off may be beyond what an image holds for
        return imager_.image_of(echo_, options);
    }

    /// By how much the means of both looks' spectra lie apart: a beam that is not even moves them together.
    double difference_hz(const Look& first, const Look& second) const {
        const double prf_hz = echo_.acquisition.prf_hz, difference_hz = second.frequency_hz - first.frequency_hz;
        const double near_hz = difference_hz + prf_hz * std::round((separation_hz_ - difference_hz) / prf_hz);
        return std::clamp(near_hz, 0.5 * separation_hz_, 1.5 * separation_hz_);
    }

    LookEstimate finding(const Guess& guess, const FocusSetup& lower, const FocusSetup& upper, double apart_hz,
                         const LookShift& shift) const {
        const Acquisition& a = echo_.acquisition;
        const ImageGrid& grid = lower.image.grid;
        const double time_s = grid.time_s(0.5 * static_cast<double>(grid.rows)), range_m = lower.image.swath.middle_m();
        const BeamCentre first = lower.image.geometry->beam_centre(time_s, range_m),
                         second = upper.image.geometry->beam_centre(time_s, range_m);
        const double rate_hz_s = (second.centroid_hz - first.centroid_hz) / (first.time_s - second.time_s);
        const DelayHistory delay_s = lower.image.geometry->track().delay_history(time_s, range_m);
        const double slant_m = 0.5 * speed_of_light_m_s * delay_s(0.5 * (first.time_s + second.time_s));
        const double metres_per_hz = 0.5 * a.wavelength_m() * apart_hz / rate_hz_s, lines = apart_hz / rate_hz_s;
        // 1/Ka = 1/Ka' - shift / df.
        const double true_rate_hz_s = rate_hz_s / std::clamp(1 - shift.time_s / lines, 0.1, 10.0);
        const double middle_hz = in_the_middle_hz(a, guess.centroid_hz);
        const auto velocity = [&](double fm_rate_hz_s) {
            return velocity_of_fm_rate(fm_rate_hz_s, slant_m, middle_hz, a.wavelength_m());
        };
        LookEstimate e{.off_hz = shift.range_m / metres_per_hz, .off_error_hz = shift.range_error_m / metres_per_hz};
        e.prior_velocity_m_s = velocity(rate_hz_s);
        e.velocity_m_s = velocity(true_rate_hz_s);
        e.velocity_error_m_s = 0.5 * e.velocity_m_s * shift.time_error_s / lines;
        e.range_m = range_m;
        e.standing_out = shift.standing_out;
        e.tiles = shift.tiles;
        return e;
    }

    const Imager& imager_;
    const Echo& echo_;
    double separation_hz_;
};

/// Reach for looks by a guess whose velocity may be wrong by a part of it and whose Doppler frequency by some PRF.
LookReach reach_of(const Acquisition& a, const Guess& guess, double separation_hz, double velocity_spread,
                   double prf_spread) {
    const double range_m = a.range_m(0.5 * static_cast<double>(a.samples)),
                 rate_hz_s = 2 * guess.velocity_m_s * guess.velocity_m_s / (a.wavelength_m() * range_m),
                 apart_s = separation_hz / rate_hz_s;
    return {.time_s = least_lines_reached / a.prf_hz + 2 * velocity_spread * apart_s,
            .range_m = prf_spread * a.prf_hz * 0.5 * a.wavelength_m() * apart_s};
}

/// Parts of the scene say so different things that following them leads nowhere: a few targets that are taken for one
/// another.
bool scatters(const LookEstimate& found, double prf_hz) {
    return found.off_error_hz > 0.4 * prf_hz || found.velocity_error_m_s > 0.02 * found.velocity_m_s;
}

/// Follows what looks say until they lie on each other.
std::optional<LookEstimate> settle(const LookPair& looks, const Acquisition& a, Guess guess, double velocity_spread,
                                   double prf_spread) {
    double off_hz = 0;
    for (int round = 0; round < most_rounds; ++round) {
        const auto found = looks.compare(guess, reach_of(a, guess, looks.separation_hz(), velocity_spread, prf_spread));
        if (!found || !(found->standing_out > least_standing_out) || scatters(*found, a.prf_hz)) return std::nullopt;
        const double multiples = std::round(found->off_hz / a.prf_hz);
        const double step_m_s = found->velocity_m_s - guess.velocity_m_s;
        const bool still = multiples == 0 && (guess.along_orbit || std::abs(step_m_s) < 3e-4 * guess.velocity_m_s);
        const bool fine = prf_spread < 1 && velocity_spread < 0.01;
        if (still && fine) {
            if (!(found->off_error_hz < largest_error_prf * a.prf_hz) || found->tiles < fewest_tiles)
                return std::nullopt;
            LookEstimate settled = *found;
            settled.off_hz += off_hz;
            return settled;
        }
        off_hz += multiples * a.prf_hz;
        guess.centroid_hz = guess.centroid_hz + multiples * a.prf_hz;
        if (!guess.along_orbit) guess.velocity_m_s = found->velocity_m_s;
        prf_spread = multiples == 0 ? 0.75 : std::max(1.5, 0.25 * prf_spread);
        velocity_spread = std::max(0.005, 0.25 * velocity_spread);
    }
    return std::nullopt;
}

/// Velocities to begin with where nothing tells it: those of satellites where the range is one of theirs, else those of
/// anything that flies, the usual ones of aircraft first, each as far from the next as looks can bridge.
struct Candidates {
    std::vector<double> velocities_m_s;
    double spread = 0;
};
Candidates candidates(double range_m) {
    constexpr double nearest_satellite_m = 200e3, usual_m_s = 120, ratio = 1.3;
    if (range_m > nearest_satellite_m) return {{6900, 7400}, 0.06};  // altitudes from 250 to 1000 km
    Candidates all{{usual_m_s}, 0.15};
    for (double off = ratio; off < 10; off *= ratio) {
        all.velocities_m_s.push_back(usual_m_s * off);
        all.velocities_m_s.push_back(usual_m_s / off);
    }
    return all;
}

}  // namespace

double velocity_of_fm_rate(double fm_rate_hz_s, double slant_m, double doppler_hz, double wavelength_m) {
    return std::sqrt(0.5 * wavelength_m * slant_m * fm_rate_hz_s +
                     0.25 * wavelength_m * wavelength_m * doppler_hz * doppler_hz);
}

std::optional<LookEstimate> estimate_by_looks(const Imager& imager, const Echo& echo, const LookPrior& prior) {
    const Acquisition& a = echo.acquisition;
    const LookPair looks(imager, echo, prior.beam_prf);
    const double prf_spread = prior.ambiguity_spread + 0.5;
    constexpr double known_spread = 0.03;  // so far an orbit, or a velocity that someone gave, may be wrong
    Guess guess{.centroid_hz = prior.centroid_hz,
                .along_orbit = prior.along_orbit,
                .velocity_m_s = prior.velocity_m_s.value_or(0)};
    if (prior.along_orbit)
        guess.velocity_m_s =
            norm(interpolate(*a.orbit, a.pulse_time_s(0.5 * static_cast<double>(a.lines))).velocity_m_s);
    if (prior.along_orbit || prior.velocity_m_s) return settle(looks, a, guess, known_spread, prf_spread);

    const Candidates all = candidates(a.near_range_m);
    const double recorded_s = static_cast<double>(a.lines) / a.prf_hz;
    for (const double velocity_m_s : all.velocities_m_s) {
        guess.velocity_m_s = velocity_m_s;
        const LookReach reach = reach_of(a, guess, looks.separation_hz(), all.spread, prf_spread);
        if (reach.time_s > all.spread * recorded_s) continue;  // apertures longer than what is recorded
        if (const auto told = settle(looks, a, guess, all.spread, prf_spread)) return told;
    }
    return std::nullopt;
}

}  // namespace cornerturn
