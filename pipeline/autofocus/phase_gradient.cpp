// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/phase_gradient.h"

#include <algorithm>
#include <cmath>

#include "kernels/host/line_loop.h"
#include "pipeline/autofocus/target_phases.h"

namespace cornerturn {
namespace {

constexpr std::int64_t targets_per_aperture = 48;
constexpr float least_power = 0.01f;    // of the brightest within an aperture: what is fainter may be its sidelobes
constexpr double least_aperture = 0.3;  // of a target that lies near the end of the echo

/// A bright pixel.
struct Peak {
    std::size_t piece;
    std::int32_t row;
    float power;
};

SlowTime slow_time_of(const Strip& strip) {
    return {.lines = strip.lines, .aperture_lines = strip.aperture_lines, .rows_per_cell = strip.rows_per_cell};
}

class StripTargets {
public:
    StripTargets(const Strip& strip, int threads)
        : strip_(strip),
          threads_(threads),
          transforms_(strip.length),
          images_(threads, strip.length),
          points_(threads, strip.length) {}

    std::vector<TargetPhase> found(std::int64_t window, const std::vector<double>& phase_rad) const {
        const std::vector<Complex64> phasors = phasors_against(phase_rad);
        return targets_of(peaks(window, phasors), window, phasors);
    }

private:
    /// The brightest pixels of what is corrected so far, none within half a window of a brighter one in its column; so
    /// many for each aperture of the strip.
    std::vector<Peak> peaks(std::int64_t window, const std::vector<Complex64>& phasors) const {
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

    std::vector<TargetPhase> targets_of(const std::vector<Peak>& peaks, std::int64_t window,
                                        const std::vector<Complex64>& phasors) const {
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
        cut_out(row, window, {echo, static_cast<std::size_t>(strip_.length)});
        transforms_.expand(piece, echo);
        transforms_.impulse(piece, row, point);
        const std::int64_t count = to - from;
        for (std::int64_t n = 0; n < count; ++n) {
            const float size = std::hypot(point[from + n].re, point[from + n].im);
            point[n] = size > 0 ? (1 / size) * (conj(point[from + n]) * echo[from + n]) : Complex64{0, 0};
        }
        read_phases(
            slow_time_of(strip_), window, {point, static_cast<std::size_t>(count)},
            {echo, static_cast<std::size_t>(strip_.length)}, [&](Complex64* values) { transforms_.forward(values); },
            target);
        return target;
    }

    const Strip& strip_;
    int threads_;
    StripTransforms transforms_;
    LineBuffers<float> images_, points_;
};

}  // namespace

PhaseEstimate phase_gradient(const Strip& strip, int threads) {
    const StripTargets targets(strip, threads);
    return phase_of_targets(slow_time_of(strip), [&](std::int64_t window, const std::vector<double>& phase_rad) {
        return targets.found(window, phase_rad);
    });
}

}  // namespace cornerturn
