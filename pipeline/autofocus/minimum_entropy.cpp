// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/minimum_entropy.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>

#include "kernels/host/line_loop.h"
#include "pipeline/autofocus/knots.h"
#include "pipeline/autofocus/strip_equations.h"

namespace cornerturn {
namespace {

using Values = std::vector<double>;

struct Scale {
    double knots_per_aperture, smoothing_cells, stiffness;
};
/// Of what bends over many apertures entropy tells next to nothing, and finds valleys where points come to lie on
/// pixels: a spring keeps it straight unless that blurs. It holds back some per cent of what is real; the next look
/// finds them.
constexpr Scale scales[] = {{16, 10, 3e-3}, {16, 6, 1e-3}, {32, 4, 3e-4}, {64, 2, 3e-4}};
constexpr int most_steps = 60, remembered = 12;
constexpr double first_step_rad = 0.3;  // of what bends within apertures
constexpr double least_gain = 3e-6;     // of entropy by a step: three less are the last

double dot(const Values& a, const Values& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// Sums of 2 reach + 1 neighbours, in a ring; twice, so that weights fall to either side.
void smooth(std::int64_t reach, std::int64_t count, double* values, double* scratch) {
    if (reach < 1) return;
    const double scale = 1 / static_cast<double>(2 * reach + 1);
    for (int pass = 0; pass < 2; ++pass) {
        std::copy(values, values + count, scratch);
        double sum = 0;
        for (std::int64_t k = -reach; k <= reach; ++k) sum += scratch[(k + count) % count];
        for (std::int64_t n = 0; n < count; ++n) {
            values[n] = scale * sum;
            sum += scratch[(n + reach + 1) % count] - scratch[(n - reach + count) % count];
        }
    }
}

/// Entropy of the smoothed brightness with its derivative by the phase of each line, in parts of the power of all
/// pieces.
class SmoothedEntropy {
public:
    SmoothedEntropy(const Strip& strip, int threads)
        : strip_(strip),
          threads_(threads),
          transforms_(strip.length),
          echoes_(threads, strip.length),
          images_(threads, strip.length) {
        for (const StripPiece& piece : strip.pieces)
            for (const Complex64& value : piece.echo) power_ += power(value);
        for (int i = 0; i < threads; ++i) scratch_.emplace_back(static_cast<std::size_t>(2 * strip.length));
        gradients_.assign(shares, Values(static_cast<std::size_t>(strip.lines)));
    }
    bool empty() const { return !(power_ > 0); }

    /// With q = dS/dp smoothed, y the echo of q x image: dS/dphase = 2 Im(y* x echo) (the phase is taken away).
    double operator()(const Values& phase_rad, std::int64_t reach, Values& gradient) {
        const std::vector<Complex64> phasors = phasors_against(phase_rad);
        Values entropies(shares);
        for_each_line(
            shares, threads_,
            [&](std::int64_t share) {
                const std::int64_t pieces = std::ssize(strip_.pieces);
                const auto mine = static_cast<std::size_t>(share);
                std::fill(gradients_[mine].begin(), gradients_[mine].end(), 0.0);
                for (std::int64_t i = share * pieces / shares; i < (share + 1) * pieces / shares; ++i)
                    entropies[mine] +=
                        add(strip_.pieces[static_cast<std::size_t>(i)], phasors, reach, gradients_[mine]);
            },
            1);
        gradient.assign(static_cast<std::size_t>(strip_.lines), 0.0);
        for (const Values& sums : gradients_)
            std::transform(sums.begin(), sums.end(), gradient.begin(), gradient.begin(), std::plus<>());
        return std::accumulate(entropies.begin(), entropies.end(), 0.0);
    }

private:
    /// Of the pieces, each summed up by one thread: sums by threads would hang on which of them came to a piece first,
    /// and a descent makes of a last bit another image.
    static constexpr std::int64_t shares = 32;

    double add(const StripPiece& piece, std::span<const Complex64> phasors, std::int64_t reach, Values& gradient) {
        constexpr double least = 1e-14;
        const std::int64_t length = strip_.length;
        Complex64 *echo = echoes_.mine(), *image = images_.mine();
        double *p = scratch_[static_cast<std::size_t>(omp_get_thread_num())].data(), *scratch = p + length, sum = 0;
        transforms_.corrected(piece, phasors, echo);
        std::copy(echo, echo + length, image);
        transforms_.compress(piece, image);
        for (std::int64_t n = 0; n < length; ++n) p[n] = power(image[n]) / power_;
        smooth(reach, length, p, scratch);
        for (std::int64_t n = 0; n < length; ++n) {
            const double log_p = std::log(p[n] + least);
            sum -= p[n] * log_p;
            p[n] = -(log_p + 1);
        }
        smooth(reach, length, p, scratch);
        for (std::int64_t n = 0; n < length; ++n) image[n] = static_cast<float>(p[n]) * image[n];
        transforms_.expand(piece, image);
        const std::int64_t first = std::max<std::int64_t>(0, -piece.first_line),
                           last = std::min(length, strip_.lines - piece.first_line);
        for (std::int64_t n = first; n < last; ++n) {
            const Complex64 product = conj(image[n]) * echo[n];
            gradient[static_cast<std::size_t>(piece.first_line + n)] += 2 / power_ * static_cast<double>(product.im);
        }
        return sum;
    }

    const Strip& strip_;
    int threads_;
    StripTransforms transforms_;
    LineBuffers<float> echoes_, images_;
    double power_ = 0;
    std::vector<Values> gradients_;  // of each share
    std::vector<Values> scratch_;    // of each thread
};

/// stiffness x mean of (phase half an aperture later - twice the phase here + that half an aperture earlier)^2; adds
/// its derivatives.
double add_spring(double stiffness, std::int64_t half_aperture, const Values& phase, Values& gradient) {
    const std::int64_t count = std::ssize(phase) - 2 * half_aperture;
    if (count < 1) return 0;
    const double scale = stiffness / static_cast<double>(count);
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto early = static_cast<std::size_t>(i), here = early + static_cast<std::size_t>(half_aperture),
                   late = here + static_cast<std::size_t>(half_aperture);
        const double bend = phase[late] - 2 * phase[here] + phase[early];
        sum += scale * bend * bend;
        gradient[early] += 2 * scale * bend;
        gradient[here] -= 4 * scale * bend;
        gradient[late] += 2 * scale * bend;
    }
    return sum;
}

/// A target at every knot, all of the same brightness: what entropy's second derivatives are like.
BandedMatrix even_targets(std::int64_t knots, std::int64_t knots_of_aperture) {
    StripEquations equations(knots, knots_of_aperture + 1);
    for (std::int64_t middle = 0; middle < knots; ++middle) {
        const std::int64_t first = std::max<std::int64_t>(0, middle - knots_of_aperture / 2);
        const std::int64_t last = std::min(knots, middle + knots_of_aperture / 2 + 1);
        if (last - first < 3) continue;
        const Values ones(static_cast<std::size_t>(last - first), 1.0), zeros(ones.size());
        equations.add(first, ones, zeros);
    }
    equations.add_smoothness(1e-4 * static_cast<double>(knots_of_aperture));
    BandedMatrix matrix = equations.matrix();
    for (std::int64_t i = 0; i < knots; ++i) matrix.at(i, i) += 1e-5 * static_cast<double>(knots_of_aperture);
    matrix.factorise();
    return matrix;
}

/// Steps made so far and what they changed of the gradient.
class Memory {
public:
    void add(Values step, Values change) {
        const double product = dot(step, change);
        if (!(product > 1e-10 * std::sqrt(dot(step, step) * dot(change, change)))) return;
        pairs_.push_back({std::move(step), std::move(change), 1 / product});
        if (std::ssize(pairs_) > remembered) pairs_.pop_front();
    }
    /// Two loops (Nocedal and Wright, algorithm 7.4).
    Values against(const Values& gradient, const BandedMatrix& second_derivatives) const {
        Values q = gradient, parts;
        for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
            parts.push_back(pair->scale * dot(pair->step, q));
            for (std::size_t i = 0; i < q.size(); ++i) q[i] -= parts.back() * pair->change[i];
        }
        Values way = q;
        second_derivatives.solve(way);
        if (!pairs_.empty()) {
            const Pair& last = pairs_.back();
            Values step = last.change;
            second_derivatives.solve(step);
            const double scale = 1 / (last.scale * dot(last.change, step));
            for (double& value : way) value *= scale;
        }
        for (std::size_t k = 0; k < pairs_.size(); ++k) {
            const double part = parts[pairs_.size() - 1 - k] - pairs_[k].scale * dot(pairs_[k].change, way);
            for (std::size_t i = 0; i < way.size(); ++i) way[i] += part * pairs_[k].step[i];
        }
        for (double& value : way) value = -value;
        return way;
    }
    bool empty() const { return pairs_.empty(); }
    void clear() { pairs_.clear(); }

private:
    struct Pair {
        Values step, change;
        double scale;
    };
    std::deque<Pair> pairs_;
};

/// Descends at one scale from a phase of lines; how many steps it took.
std::int64_t descend(SmoothedEntropy& entropy, const Strip& strip, const Scale& scale, Values& phase_rad) {
    const auto step_lines =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(strip.aperture_lines / scale.knots_per_aperture));
    const Knots knots(strip.lines, step_lines);
    const BandedMatrix curvature =
        even_targets(knots.count(), static_cast<std::int64_t>(strip.aperture_lines) / step_lines);
    const auto reach = static_cast<std::int64_t>(std::lround(scale.smoothing_cells * strip.rows_per_cell / 2));
    const Values everywhere(phase_rad.size(), 1.0);
    const auto half_aperture = static_cast<std::int64_t>(strip.aperture_lines / 2);
    const auto at = [&](const Values& phase, Values& of_each_line) {
        const double value = entropy(phase, reach, of_each_line);
        return value + add_spring(scale.stiffness, half_aperture, phase, of_each_line);
    };
    Values of_lines;
    double value = at(phase_rad, of_lines);
    Values gradient = knots.gathered(of_lines);
    Memory memory;
    std::int64_t steps = 0;
    int idle = 0;
    for (; steps < most_steps; ++steps) {
        Values way = memory.against(gradient, curvature);
        double slope = dot(way, gradient);
        if (!(slope < 0)) {
            if (memory.empty()) break;
            memory.clear();
            continue;
        }
        Values way_of_lines = knots.on_lines(way);
        const double bend = bend_rad(way_of_lines, everywhere, strip.aperture_lines);
        double length = memory.empty() ? first_step_rad / std::max(bend, 1e-30) : 1, moved_value = value;
        Values moved(phase_rad.size()), moved_of_lines;
        bool lower = false;
        for (int trial = 0; trial < 12 && !lower; ++trial, length *= lower ? 1 : 0.4) {
            for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = phase_rad[i] + length * way_of_lines[i];
            moved_value = at(moved, moved_of_lines);
            lower = moved_value < value + 1e-4 * length * slope;
        }
        if (!lower) {
            if (memory.empty()) break;
            memory.clear();
            continue;
        }
        Values moved_gradient = knots.gathered(moved_of_lines), change(gradient.size());
        for (std::size_t i = 0; i < change.size(); ++i) {
            change[i] = moved_gradient[i] - gradient[i];
            way[i] *= length;
        }
        memory.add(std::move(way), std::move(change));
        phase_rad = std::move(moved);
        gradient = std::move(moved_gradient);
        const bool settled = value - moved_value < least_gain;
        value = moved_value;
        if (settled && ++idle == 3) break;
        if (!settled) idle = 0;
    }
    return steps;
}

/// Lines that light next to nothing tell no phase, but entropy falls a little by any: a straight line fitted through
/// what it makes of them would shift and turn the points.
void leave_dark_lines_out(PhaseEstimate& found) {
    constexpr double dark = 0.01;  // of the brightest line's power
    const double least = dark * *std::max_element(found.weight.begin(), found.weight.end());
    std::optional<std::size_t> told;
    for (std::size_t line = 0; line < found.weight.size(); ++line) {
        if (!(found.weight[line] > least)) {
            found.weight[line] = 0;
            continue;
        }
        // Straight from one that tells its phase to the next; held at either end.
        const std::size_t from = told ? *told + 1 : 0;
        const double there = found.phase_rad[line], before = told ? found.phase_rad[*told] : there;
        for (std::size_t i = from; i < line; ++i)
            found.phase_rad[i] =
                std::lerp(before, there, static_cast<double>(i - from + 1) / static_cast<double>(line - from + 1));
        told = line;
    }
    if (told)
        std::fill(found.phase_rad.begin() + static_cast<std::ptrdiff_t>(*told), found.phase_rad.end(),
                  found.phase_rad[*told]);
}

}  // namespace

PhaseEstimate minimum_entropy(const Strip& strip, int threads) {
    PhaseEstimate found{.phase_rad = Values(static_cast<std::size_t>(strip.lines)),
                        .weight = Values(static_cast<std::size_t>(strip.lines))};
    SmoothedEntropy entropy(strip, threads);
    if (entropy.empty()) return found;
    for (const Scale& scale : scales) found.rounds += descend(entropy, strip, scale, found.phase_rad);
    for (const StripPiece& piece : strip.pieces)
        for (std::int64_t n = std::max<std::int64_t>(0, -piece.first_line);
             n < std::min(strip.length, strip.lines - piece.first_line); ++n) {
            const Complex64 value = piece.echo[static_cast<std::size_t>(n)];
            found.weight[static_cast<std::size_t>(piece.first_line + n)] +=
                static_cast<double>(value.re * value.re + value.im * value.im);
        }
    leave_dark_lines_out(found);
    remove_line(found.phase_rad, found.weight);
    return found;
}

}  // namespace cornerturn
