// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/phase_gradient.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include "kernels/host/line_loop.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/autofocus/strip_equations.h"

namespace cornerturn {
namespace {

constexpr double first_window_cells = 128, narrowest_window_cells = 32, shrinking = 0.7;
constexpr double widest_window_apertures = 0.6;
constexpr double knots_per_aperture = 64;
constexpr std::int64_t targets_per_aperture = 48;
constexpr float least_power = 0.01f;  // of the brightest within an aperture: what is fainter may be its sidelobes
constexpr double fresnel_zones = 1;
constexpr double least_aperture = 0.3;      // of a target that lies near the end of the echo
constexpr double largest_error_rad = 0.05;  // of a line, up to which the window may grow
constexpr double settled_rad = 0.01;        // of what bends within apertures
constexpr double largest_variance = 1;      // of a target's phases in rad^2: of phases at random it is pi^2 / 3
constexpr double least_variance = 1e-4;     // of a target's phases: what formers leave
constexpr int most_rounds = 16, weightings = 4;

/// A bright pixel.
struct Peak {
    std::size_t piece;
    std::int32_t row;
    float power;
};

/// What a target tells: phases of lines from `first` on, and how bright it is there.
struct TargetPhase {
    std::int64_t first = 0;
    std::vector<double> phase_rad, brightness;
    double coherence = 0;  ///< of its lines: 1 where their phases are all the same
    double weight = 0;
    std::int64_t end() const { return first + std::ssize(phase_rad); }
};

double power(Complex64 z) {
    return static_cast<double>(z.re) * static_cast<double>(z.re) +
           static_cast<double>(z.im) * static_cast<double>(z.im);
}
double angle(Complex64 z) { return std::atan2(static_cast<double>(z.im), static_cast<double>(z.re)); }

/// Takes the weighted line through them off values; both in place.
void take_off_line(std::span<const double> weight, std::span<double> values) {
    const StraightLine line = line_through(values.size(), [&](std::size_t i) {
        return LinePoint{static_cast<double>(i), values[i], weight[i]};
    });
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= line(static_cast<double>(i));
}

class PhaseGradient {
public:
    PhaseGradient(const Strip& strip, int threads)
        : strip_(strip),
          threads_(threads),
          transforms_(strip.length),
          images_(threads, strip.length),
          points_(threads, strip.length),
          phase_rad_(static_cast<std::size_t>(strip.lines)),
          weight_(phase_rad_.size()) {}

    PhaseEstimate estimate() {
        PhaseEstimate found;
        double window_cells = first_window_cells;
        bool growing = false;
        for (int round = 0; round < most_rounds; ++round) {
            const auto window = static_cast<std::int64_t>(
                std::min(window_cells * strip_.rows_per_cell, widest_window_apertures * strip_.aperture_lines));
            resolution_lines_ = std::max(1.0, strip_.rows_times_lines() / static_cast<double>(window));
            std::vector<TargetPhase> targets = targets_of(peaks(window), window);
            if (targets.size() < 3) break;
            std::vector<double> update = common_phase(targets);
            remove_line(update, weight_);
            for (std::size_t i = 0; i < update.size(); ++i) phase_rad_[i] += update[i];
            found.targets =
                std::count_if(targets.begin(), targets.end(), [](const TargetPhase& t) { return t.weight > 0; });
            found.rounds = round + 1;
            const double moved_rad = bend_rad(update, weight_, strip_.aperture_lines);
            const bool widest = static_cast<double>(window) >= widest_window_apertures * strip_.aperture_lines - 1;
            if (!growing) {
                window_cells *= shrinking;
                growing = window_cells < narrowest_window_cells;
                if (growing) window_cells = narrowest_window_cells;
            } else if (!widest && std::numbers::sqrt2 * line_error_rad() < largest_error_rad) {
                window_cells *= 2;
            } else if (moved_rad < settled_rad) {
                break;
            }
        }
        remove_line(phase_rad_, weight_);
        found.phase_rad = phase_rad_;
        found.weight = weight_;
        return found;
    }

private:
    /// The brightest pixels of what is corrected so far, none within half a window of a brighter one in its column; so
    /// many for each aperture of the strip.
    std::vector<Peak> peaks(std::int64_t window) const {
        const std::vector<Complex64> phasors = phasors_against(phase_rad_);
        std::vector<std::vector<Peak>> of_piece(strip_.pieces.size());
        for_each_line(std::ssize(strip_.pieces), threads_, [&](std::int64_t i) {
            const StripPiece& piece = strip_.pieces[static_cast<std::size_t>(i)];
            Complex64* image = images_.mine();
            transforms_.corrected(piece, phasors, image);
            transforms_.compress(piece, image);
            of_piece[static_cast<std::size_t>(i)] = peaks_of(static_cast<std::size_t>(i), image, window);
        });
        // By the line that has them in the beam's centre.
        const double bin_lines = strip_.aperture_lines / 2;
        std::vector<std::vector<Peak>> bins(static_cast<std::size_t>(static_cast<double>(strip_.lines) / bin_lines) +
                                            1);
        for (const auto& found : of_piece)
            for (const Peak& peak : found) {
                const StripPiece& piece = strip_.pieces[peak.piece];
                const double line = static_cast<double>(piece.first_line + peak.row) +
                                    0.5 * (piece.illuminated_first + piece.illuminated_last);
                const double bin = std::clamp(line / bin_lines, 0.0, static_cast<double>(bins.size() - 1));
                bins[static_cast<std::size_t>(bin)].push_back(peak);
            }
        std::vector<float> brightest;
        for (auto& bin : bins) {
            std::stable_sort(bin.begin(), bin.end(), [](const Peak& a, const Peak& b) { return a.power > b.power; });
            brightest.push_back(bin.empty() ? 0 : bin[0].power);
        }
        std::vector<Peak> chosen;
        for (std::size_t b = 0; b < bins.size(); ++b) {
            const auto first = brightest.begin() + static_cast<std::ptrdiff_t>(b < 2 ? 0 : b - 2);
            const float least =
                least_power *
                *std::max_element(first, brightest.begin() + static_cast<std::ptrdiff_t>(std::min(b + 3, bins.size())));
            const std::size_t count = std::min(bins[b].size(), static_cast<std::size_t>(targets_per_aperture / 2));
            for (std::size_t i = 0; i < count && bins[b][i].power >= least; ++i) chosen.push_back(bins[b][i]);
        }
        return chosen;
    }

    std::vector<Peak> peaks_of(std::size_t number, const Complex64* image, std::int64_t window) const {
        const StripPiece& piece = strip_.pieces[number];
        std::vector<Peak> all, found;
        for (std::int32_t row = piece.rows.first; row < piece.rows.last; ++row) {
            const double here = power(image[row]);
            const double before = row > 0 ? power(image[row - 1]) : 0, behind = power(image[row + 1]);
            if (here > 0 && here >= before && here > behind) all.push_back({number, row, static_cast<float>(here)});
        }
        std::stable_sort(all.begin(), all.end(), [](const Peak& a, const Peak& b) { return a.power > b.power; });
        for (const Peak& peak : all) {
            if (std::ssize(found) >= targets_per_aperture) break;
            const bool apart = std::all_of(found.begin(), found.end(),
                                           [&](const Peak& p) { return 2 * std::abs(p.row - peak.row) > window; });
            if (apart) found.push_back(peak);
        }
        return found;
    }

    std::vector<TargetPhase> targets_of(const std::vector<Peak>& peaks, std::int64_t window) const {
        const std::vector<Complex64> phasors = phasors_against(phase_rad_);
        std::vector<TargetPhase> targets(peaks.size());
        for_each_line(
            std::ssize(peaks), threads_,
            [&](std::int64_t i) {
                const Peak& peak = peaks[static_cast<std::size_t>(i)];
                targets[static_cast<std::size_t>(i)] = target_at(strip_.pieces[peak.piece], peak.row, window, phasors);
            },
            1);
        std::erase_if(targets, [](const TargetPhase& target) { return target.phase_rad.empty(); });
        return targets;
    }

    /// Empty where the echo has too little of its aperture.
    TargetPhase target_at(const StripPiece& piece, std::int32_t row, std::int64_t window,
                          std::span<const Complex64> phasors) const {
        const auto row_lines = static_cast<double>(row);
        const auto from =
            std::max(static_cast<std::int64_t>(std::ceil(piece.illuminated_first + row_lines)) + 1, -piece.first_line);
        const auto to = std::min(static_cast<std::int64_t>(std::floor(piece.illuminated_last + row_lines)) - 1,
                                 strip_.lines - piece.first_line);
        TargetPhase target{.first = piece.first_line + from, .phase_rad = {}, .brightness = {}};
        if (static_cast<double>(to - from) < std::max(16.0, least_aperture * strip_.aperture_lines)) return target;
        Complex64 *echo = images_.mine(), *point = points_.mine();
        transforms_.corrected(piece, phasors, echo);
        transforms_.compress(piece, echo);
        cut_out(row, window, echo);
        transforms_.expand(piece, echo);
        transforms_.impulse(piece, row, point);
        const std::int64_t count = to - from;
        for (std::int64_t n = 0; n < count; ++n) {
            const float size = std::hypot(point[from + n].re, point[from + n].im);
            point[n] = size > 0 ? (1 / size) * (conj(point[from + n]) * echo[from + n]) : Complex64{0, 0};
        }
        read_phases(point, count, echo, target);
        return target;
    }

    /// The rows about one, fading to the window's ends, all others zero.
    void cut_out(std::int32_t row, std::int64_t window, Complex64* image) const {
        const std::int64_t half = window / 2;
        for (std::int64_t n = 0; n < strip_.length; ++n) {
            const std::int64_t apart = std::min(std::abs(n - row), strip_.length - std::abs(n - row));
            const double weight =
                apart <= half
                    ? std::cos(0.5 * std::numbers::pi * static_cast<double>(apart) / static_cast<double>(half + 1))
                    : 0;
            image[n] = static_cast<float>(weight) * image[n];
        }
    }

    /// Of deramped lines: phases without their constant and strongest frequency, which is where the target lies.
    void read_phases(const Complex64* deramped, std::int64_t count, Complex64* spectrum, TargetPhase& target) const {
        std::copy(deramped, deramped + count, spectrum);
        std::fill(spectrum + count, spectrum + strip_.length, Complex64{0, 0});
        transforms_.forward(spectrum);
        const auto peak =
            std::max_element(spectrum, spectrum + strip_.length, [](auto a, auto b) { return power(a) < power(b); });
        const double step_cycles = static_cast<double>(peak - spectrum) / static_cast<double>(strip_.length),
                     start_rad = angle(*peak);
        double sum = 0, last = 0;
        target.phase_rad.resize(static_cast<std::size_t>(count));
        target.brightness.resize(static_cast<std::size_t>(count));
        for (std::int64_t n = 0; n < count; ++n) {
            constexpr double turn = 2 * std::numbers::pi;
            double rad = angle(deramped[n]) - start_rad - turn * step_cycles * static_cast<double>(n);
            rad -= turn * std::round((rad - last) / turn);
            target.phase_rad[static_cast<std::size_t>(n)] = last = rad;
            sum += target.brightness[static_cast<std::size_t>(n)] = power(deramped[n]);
        }
        target.coherence = sum > 0 ? power(*peak) / (sum * static_cast<double>(count)) : 0;
        // Near the ends of the aperture the window mixes in what lies outside, and phases ripple as behind an edge
        // (Fresnel).
        const double ends = std::min(std::max(resolution_lines_, fresnel_zones * std::sqrt(strip_.rows_times_lines())),
                                     static_cast<double>(count) / 4);
        for (std::int64_t n = 0; n < count; ++n) {
            const double inside = std::min(1.0, static_cast<double>(std::min(n, count - 1 - n) + 1) / (ends + 1));
            double& bright = target.brightness[static_cast<std::size_t>(n)];
            bright = std::min(1.0, bright * static_cast<double>(count) / std::max(sum, 1e-300)) * inside * inside;
        }
    }

    /// What the phases of all targets have in common; sets weight_.
    std::vector<double> common_phase(std::vector<TargetPhase>& targets) {
        constexpr double clear = 0.003;  // coherence that lacks this is as good as all
        for (TargetPhase& target : targets) target.weight = target.coherence / (1 - target.coherence + clear);
        std::vector<double> phase;
        for (int round = 0; round < weightings; ++round) {
            phase = slow_phase(targets);
            for (TargetPhase& target : targets) {
                const double variance = scatter(target, phase);
                target.weight = variance < largest_variance ? 1 / (variance + least_variance) : 0;
            }
        }
        add_fast_phase(targets, phase);
        return phase;
    }

    std::int64_t knot_lines() const {
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(strip_.aperture_lines / knots_per_aperture));
    }

    /// On knots, straight between them.
    std::vector<double> slow_phase(const std::vector<TargetPhase>& targets) const {
        const std::int64_t step = knot_lines(), knots = strip_.lines / step + 2;
        std::int64_t longest = 0;
        for (const TargetPhase& target : targets) longest = std::max(longest, std::ssize(target.phase_rad));
        StripEquations equations(knots, longest / step + 2);
        double weights = 0;
        for (const TargetPhase& target : targets) {
            std::vector<double> sums, values;
            const std::int64_t first = (target.first + step - 1) / step, last = (target.end() - 1) / step;
            if (last - first < 4 || !(target.weight > 0)) continue;
            for (std::int64_t knot = first; knot <= last; ++knot) {
                double w = 0, wy = 0;
                const std::int64_t middle = knot * step - target.first;
                for (std::int64_t n = std::max<std::int64_t>(0, middle - step / 2);
                     n <= std::min(std::ssize(target.phase_rad) - 1, middle + step / 2); ++n) {
                    w += target.brightness[static_cast<std::size_t>(n)];
                    wy +=
                        target.brightness[static_cast<std::size_t>(n)] * target.phase_rad[static_cast<std::size_t>(n)];
                }
                sums.push_back(target.weight * w + 1e-12);
                values.push_back(w > 0 ? wy / w : 0);
            }
            equations.add(first, sums, values);
            weights += std::accumulate(sums.begin(), sums.end(), 0.0);
        }
        if (!(weights > 0)) return std::vector<double>(static_cast<std::size_t>(strip_.lines));
        equations.add_smoothness(1e-6 * weights / static_cast<double>(targets.size()));
        const std::vector<double> on_knots = equations.solve();
        std::vector<double> phase(static_cast<std::size_t>(strip_.lines));
        for (std::size_t line = 0; line < phase.size(); ++line) {
            const std::size_t knot = line / static_cast<std::size_t>(step);
            const double part = static_cast<double>(line % static_cast<std::size_t>(step)) / static_cast<double>(step);
            phase[line] = std::lerp(on_knots[knot], on_knots[knot + 1], part);
        }
        return phase;
    }

    /// What a target's phases are beside a phase of the strip.
    std::vector<double> left(const TargetPhase& target, const std::vector<double>& phase) const {
        std::vector<double> rest(target.phase_rad);
        for (std::size_t n = 0; n < rest.size(); ++n) rest[n] -= phase[static_cast<std::size_t>(target.first) + n];
        take_off_line(target.brightness, rest);
        return rest;
    }

    double scatter(const TargetPhase& target, const std::vector<double>& phase) const {
        const std::vector<double> rest = left(target, phase);
        double w = 0, sum = 0;
        for (std::size_t n = 0; n < rest.size(); ++n) {
            w += target.brightness[n];
            sum += target.brightness[n] * rest[n] * rest[n];
        }
        return w > 0 ? sum / w : 1e6;
    }

    /// The mean of what is left, over lines that the window cannot tell apart.
    void add_fast_phase(const std::vector<TargetPhase>& targets, std::vector<double>& phase) {
        std::vector<double> sums(phase.size());
        std::fill(weight_.begin(), weight_.end(), 0.0);
        for (const TargetPhase& target : targets) {
            const std::vector<double> rest = left(target, phase);
            for (std::size_t n = 0; n < rest.size(); ++n) {
                const std::size_t line = static_cast<std::size_t>(target.first) + n;
                sums[line] += target.weight * target.brightness[n] * rest[n];
                weight_[line] += target.weight * target.brightness[n];
            }
        }
        forget_faint_lines();
        const auto reach = static_cast<std::int64_t>(resolution_lines_), lines = std::ssize(phase);
        std::vector<double> fading;
        for (std::int64_t k = -reach; k <= reach; ++k)
            fading.push_back(
                0.5 + 0.5 * std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(reach + 1)));
        std::vector<double> fast(phase.size());
        double size = 0, error = 0;
        for (std::int64_t line = 0; line < lines; ++line) {
            double w = 0, wy = 0;
            for (std::int64_t k = std::max(-reach, -line); k <= std::min(reach, lines - 1 - line); ++k) {
                const double part = fading[static_cast<std::size_t>(k + reach)];
                w += part * weight_[static_cast<std::size_t>(line + k)];
                wy += part * sums[static_cast<std::size_t>(line + k)];
            }
            const auto at = static_cast<std::size_t>(line);
            if (!(weight_[at] > 0)) continue;
            fast[at] = wy / w;
            size += fast[at] * fast[at];
            error += 1 / weight_[at];
        }
        const double real = size > error ? 1 - error / size : 0;  // Wiener's: of chance nothing is taken
        for (std::size_t i = 0; i < phase.size(); ++i) phase[i] += real * fast[i];
    }

    /// Lines that only the ends of apertures light tell nothing worth while.
    void forget_faint_lines() {
        constexpr double faint = 0.01;  // of what lines have in the middle of all that are illuminated
        std::vector<double> there;
        std::copy_if(weight_.begin(), weight_.end(), std::back_inserter(there), [](double w) { return w > 0; });
        if (there.empty()) return;
        const double usual = median_of(std::move(there));
        for (double& w : weight_)
            if (w < faint * usual) w = 0;
    }

    /// Standard error of the phase of a line.
    double line_error_rad() const {
        double sum = 0, count = 0;
        for (const double w : weight_)
            if (w > 0) sum += 1 / w, count += 1;
        return count > 0 ? std::sqrt(sum / count) : 1e3;
    }

    const Strip& strip_;
    int threads_;
    StripTransforms transforms_;
    LineBuffers<float> images_, points_;
    double resolution_lines_ = 1;
    std::vector<double> phase_rad_, weight_;
};

}  // namespace

PhaseEstimate phase_gradient(const Strip& strip, int threads) { return PhaseGradient(strip, threads).estimate(); }

}  // namespace cornerturn
