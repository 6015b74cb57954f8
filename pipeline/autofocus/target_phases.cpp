// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/target_phases.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/autofocus/knots.h"
#include "pipeline/autofocus/strip_equations.h"

namespace cornerturn {
namespace {

constexpr double first_window_cells = 128, narrowest_window_cells = 32, shrinking = 0.7;
constexpr double knots_per_aperture = 64;
constexpr double largest_error_rad = 0.05;  // of a line, up to which the window may grow
constexpr double settled_rad = 0.01;        // of what bends within apertures
constexpr double largest_variance = 1;      // of a target's phases in rad^2: of phases at random it is pi^2 / 3
constexpr double least_variance = 1e-4;     // of a target's phases: what formers leave
constexpr int most_rounds = 16, weightings = 4;

double angle(Complex64 z) { return std::atan2(static_cast<double>(z.im), static_cast<double>(z.re)); }

/// What the phases of all targets have in common.
class CommonPhase {
public:
    /// `resolution_lines`: that the window cannot tell apart.
    CommonPhase(const SlowTime& time, double resolution_lines)
        : time_(time), resolution_lines_(resolution_lines), weight_(static_cast<std::size_t>(time.lines)) {}

    /// Sets the weights of targets and lines.
    std::vector<double> of(std::vector<TargetPhase>& targets) {
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

    /// Standard error of the phase of a line.
    double line_error_rad() const {
        double sum = 0, count = 0;
        for (const double w : weight_)
            if (w > 0) sum += 1 / w, count += 1;
        return count > 0 ? std::sqrt(sum / count) : 1e3;
    }
    const std::vector<double>& weight() const { return weight_; }

private:
    /// On knots, straight between them.
    std::vector<double> slow_phase(const std::vector<TargetPhase>& targets) const {
        const Knots knots(time_.lines, static_cast<std::int64_t>(time_.aperture_lines / knots_per_aperture));
        const std::int64_t step = knots.step();
        std::int64_t longest = 0;
        for (const TargetPhase& target : targets) longest = std::max(longest, std::ssize(target.phase_rad));
        StripEquations equations(knots.count(), longest / step + 2);
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
        if (!(weights > 0)) return std::vector<double>(static_cast<std::size_t>(time_.lines));
        equations.add_smoothness(1e-6 * weights / static_cast<double>(targets.size()));
        return knots.on_lines(equations.solve());
    }

    /// What a target's phases are beside a phase of the strip.
    std::vector<double> left(const TargetPhase& target, const std::vector<double>& phase) const {
        std::vector<double> rest(target.phase_rad);
        for (std::size_t n = 0; n < rest.size(); ++n) rest[n] -= phase[static_cast<std::size_t>(target.first) + n];
        remove_weighted_line(rest, target.brightness);
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
        const std::int64_t reach = resolution_lines_ > 1 ? static_cast<std::int64_t>(resolution_lines_) : 0,
                           lines = std::ssize(phase);
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

    const SlowTime& time_;
    double resolution_lines_;
    std::vector<double> weight_;
};

}  // namespace

void cut_out(std::int64_t middle, std::int64_t window, std::span<Complex64> values) {
    const std::int64_t half = window / 2, length = std::ssize(values);
    for (std::int64_t n = 0; n < length; ++n) {
        const std::int64_t apart = std::min(std::abs(n - middle), length - std::abs(n - middle));
        const double weight =
            apart <= half
                ? std::cos(0.5 * std::numbers::pi * static_cast<double>(apart) / static_cast<double>(half + 1))
                : 0;
        values[static_cast<std::size_t>(n)] = static_cast<float>(weight) * values[static_cast<std::size_t>(n)];
    }
}

void read_phases(const SlowTime& time, std::int64_t window, std::span<const Complex64> deramped,
                 std::span<Complex64> spectrum, const std::function<void(Complex64*)>& forward, TargetPhase& target) {
    const std::int64_t count = std::ssize(deramped);
    std::copy(deramped.begin(), deramped.end(), spectrum.begin());
    std::fill(spectrum.begin() + count, spectrum.end(), Complex64{0, 0});
    forward(spectrum.data());
    const auto peak =
        std::max_element(spectrum.begin(), spectrum.end(), [](auto a, auto b) { return power(a) < power(b); });
    const double step_cycles = static_cast<double>(peak - spectrum.begin()) / static_cast<double>(spectrum.size()),
                 start_rad = angle(*peak);
    double sum = 0, last = 0;
    target.phase_rad.resize(static_cast<std::size_t>(count));
    target.brightness.resize(static_cast<std::size_t>(count));
    for (std::int64_t n = 0; n < count; ++n) {
        constexpr double turn = 2 * std::numbers::pi;
        const Complex64 value = deramped[static_cast<std::size_t>(n)];
        double rad = angle(value) - start_rad - turn * step_cycles * static_cast<double>(n);
        rad = power(value) > 0 ? rad - turn * std::round((rad - last) / turn) : last;
        target.phase_rad[static_cast<std::size_t>(n)] = last = rad;
        sum += target.brightness[static_cast<std::size_t>(n)] = power(value);
    }
    target.coherence = sum > 0 ? power(*peak) / (sum * static_cast<double>(count)) : 0;
    // Near the ends of the aperture the window mixes in what lies outside.
    const double fresnel_zone = time.rippled_ends ? std::sqrt(time.rows_times_lines()) : 0,
                 ends = std::min(std::max(time.resolution_lines(window), fresnel_zone), static_cast<double>(count) / 4);
    for (std::int64_t n = 0; n < count; ++n) {
        const double inside = std::min(1.0, static_cast<double>(std::min(n, count - 1 - n) + 1) / (ends + 1));
        double& bright = target.brightness[static_cast<std::size_t>(n)];
        bright = std::min(1.0, bright * static_cast<double>(count) / std::max(sum, 1e-300)) * inside * inside;
    }
}

PhaseEstimate phase_of_targets(const SlowTime& time, const TargetsFound& targets_of) {
    PhaseEstimate found{.phase_rad = std::vector<double>(static_cast<std::size_t>(time.lines)),
                        .weight = std::vector<double>(static_cast<std::size_t>(time.lines))};
    double window_cells = first_window_cells;
    bool growing = false;
    for (int round = 0; round < most_rounds; ++round) {
        const double widest_rows = time.widest_window * time.aperture_lines;
        const auto window = static_cast<std::int64_t>(std::min(window_cells * time.rows_per_cell, widest_rows));
        std::vector<TargetPhase> targets = targets_of(window, found.phase_rad);
        if (targets.size() < fewest_targets) break;
        CommonPhase common(time, time.resolution_lines(window));
        std::vector<double> update = common.of(targets);
        found.weight = common.weight();
        remove_line(update, found.weight);
        for (std::size_t i = 0; i < update.size(); ++i) found.phase_rad[i] += update[i];
        found.targets =
            std::count_if(targets.begin(), targets.end(), [](const TargetPhase& t) { return t.weight > 0; });
        found.rounds = round + 1;
        const double moved_rad = bend_rad(update, found.weight, time.aperture_lines);
        if (!growing) {
            window_cells *= shrinking;
            growing = window_cells < narrowest_window_cells;
            if (growing) window_cells = narrowest_window_cells;
        } else if (static_cast<double>(window) < widest_rows - 1 &&
                   std::numbers::sqrt2 * common.line_error_rad() < largest_error_rad) {
            window_cells *= 2;
        } else if (moved_rad < settled_rad) {
            break;
        }
    }
    remove_line(found.phase_rad, found.weight);
    return found;
}

}  // namespace cornerturn
