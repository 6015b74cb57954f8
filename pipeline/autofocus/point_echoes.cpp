// SPDX-License-Identifier: Apache-2.0
#include "pipeline/autofocus/point_echoes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/errors.h"
#include "kernels/host/line_loop.h"
#include "kernels/math/fast_length.h"
#include "pipeline/autofocus/target_phases.h"

namespace cornerturn {
namespace {

constexpr double least_lit = 0.1;         // of the aperture, by pulses that see a point
constexpr double dark = 0.1;              // of the power in a point's bright lines: there the beam is elsewhere
constexpr double most_empty = 32;         // slots for each line
constexpr double beyond_aperture = 1.25;  // to which spectra are longer, so that its ends are no neighbours

/// Cells across the line of sight (bins of slots) of points.
class CrossRange {
public:
    CrossRange(const PointEchoes& echoes, int threads)
        : echoes_(echoes),
          length_(fast_length(static_cast<std::int64_t>(beyond_aperture * static_cast<double>(echoes.slots)))),
          forward_(length_, FftDirection::forward),
          inverse_(length_, FftDirection::inverse),
          buffers_(threads, length_),
          scratch_(threads, length_) {
        empty_.assign(static_cast<std::size_t>(echoes.slots), true);
        for (const std::int64_t slot : echoes.slot_of_line) empty_[static_cast<std::size_t>(slot)] = false;
    }

    std::int64_t length() const { return length_; }
    SlowTime slow_time() const {
        return {.lines = echoes_.slots,
                .aperture_lines = static_cast<double>(echoes_.slots),
                .rows_per_cell = static_cast<double>(length_) / static_cast<double>(echoes_.slots),
                .widest_window = static_cast<double>(length_) / static_cast<double>(echoes_.slots),
                .rippled_ends = false};
    }

    /// In a buffer of this thread.
    Complex64* spectrum(std::size_t point, std::span<const Complex64> slot_phasors) const {
        Complex64* values = buffers_.mine();
        std::fill_n(values, length_, Complex64{0, 0});
        const std::vector<Complex64>& of_lines = echoes_.points[point];
        for (std::size_t line = 0; line < of_lines.size(); ++line) {
            const std::int64_t slot = echoes_.slot_of_line[line];
            values[slot] = values[slot] + slot_phasors[static_cast<std::size_t>(slot)] * of_lines[line];
        }
        forward_(values);
        return values;
    }

    /// Of a point, sought within half a window of its pixel; empty where too few lines see it.
    TargetPhase target(std::size_t point, std::int64_t window, std::span<const Complex64> slot_phasors) const {
        Complex64* values = spectrum(point, slot_phasors);
        std::int64_t peak = 0;
        for (std::int64_t bin = -window / 2; bin <= window / 2; ++bin)
            if (power(values[wrapped(bin)]) > power(values[wrapped(peak)])) peak = bin;
        cut_out(wrapped(peak), window, {values, static_cast<std::size_t>(length_)});
        inverse_(values);
        for (std::int64_t slot = 0; slot < echoes_.slots; ++slot)
            if (empty_[static_cast<std::size_t>(slot)]) values[slot] = {0, 0};
        const auto [from, to] = lit(values);
        TargetPhase target{.first = from, .phase_rad = {}, .brightness = {}};
        if (static_cast<double>(to - from) < std::max(16.0, least_lit * static_cast<double>(echoes_.slots)))
            return target;
        read_phases(
            slow_time(), window, {values + from, static_cast<std::size_t>(to - from)},
            {scratch_.mine(), static_cast<std::size_t>(length_)}, [&](Complex64* line) { forward_(line); }, target);
        return target;
    }

private:
    std::int64_t wrapped(std::int64_t bin) const { return (bin + length_) % length_; }

    struct Stretch {
        std::int64_t from, to;
    };
    Stretch lit(const Complex64* values) const {
        std::vector<double> powers;
        for (std::int64_t slot = 0; slot < echoes_.slots; ++slot)
            if (!empty_[static_cast<std::size_t>(slot)]) powers.push_back(power(values[slot]));
        const auto bright = powers.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(powers.size()));
        std::nth_element(powers.begin(), bright, powers.end());
        const auto is_lit = [&](std::int64_t slot) { return power(values[slot]) > dark * *bright; };
        Stretch stretch{0, echoes_.slots};
        while (stretch.from < stretch.to && !is_lit(stretch.from)) ++stretch.from;
        while (stretch.to > stretch.from && !is_lit(stretch.to - 1)) --stretch.to;
        return stretch;
    }

    const PointEchoes& echoes_;
    std::int64_t length_;
    LineFft<float> forward_, inverse_;
    LineBuffers<float> buffers_, scratch_;
    std::vector<bool> empty_;
};

std::vector<double> of_lines(const PointEchoes& echoes, std::span<const double> of_slots) {
    std::vector<double> values;
    for (const std::int64_t slot : echoes.slot_of_line) values.push_back(of_slots[static_cast<std::size_t>(slot)]);
    return values;
}

}  // namespace

std::vector<double> PointEchoes::on_slots(std::span<const double> of_lines) const {
    std::vector<double> values(static_cast<std::size_t>(slots));
    for (std::size_t line = 0; line < of_lines.size(); ++line)
        values[static_cast<std::size_t>(slot_of_line[line])] = of_lines[line];
    return values;
}

void set_slots(std::span<const double> directions, PointEchoes& echoes) {
    std::vector<double> steps;
    for (std::size_t line = 1; line < directions.size(); ++line)
        steps.push_back(directions[line] - directions[line - 1]);
    const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
    const double way = *most > 0 ? 1 : -1;
    if (!(way * *least > 0 && way * *most > 0))
        throw InputError(
            "--autofocus: pulses see the scene from directions that turn back, so that a point beside its pixel looks "
            "like a phase error; leave it out");
    std::sort(steps.begin(), steps.end(), [way](double a, double b) { return way * a < way * b; });
    const std::size_t few = steps.size() / 20;  // lines may share a slot
    const double usual = steps[steps.size() / 2], step = way * std::max(way * steps[few], way * usual / 4);
    if (const double slots = (directions.back() - directions.front()) / step;
        slots > most_empty * static_cast<double>(directions.size()))
        throw InputError(
            fmt::format("--autofocus: pulses are missing for {:.0f} times as long as the {} there are, so that nothing "
                        "joins the phases of those before and behind; take some of them (--lines, --time)",
                        slots * step / usual / static_cast<double>(directions.size()), directions.size()));
    for (const double direction : directions)
        echoes.slot_of_line.push_back(static_cast<std::int64_t>(std::llround((direction - directions[0]) / step)));
    echoes.slots = echoes.slot_of_line.back() + 1;
}

PhaseEstimate phase_gradient(const PointEchoes& echoes, int threads) {
    const CrossRange cross_range(echoes, threads);
    const auto targets_of = [&](std::int64_t window, const std::vector<double>& phase_rad) {
        const std::vector<Complex64> phasors = phasors_against(phase_rad);
        std::vector<TargetPhase> targets(echoes.points.size());
        for_each_line(
            std::ssize(targets), threads,
            [&](std::int64_t point) {
                const auto at = static_cast<std::size_t>(point);
                targets[at] = cross_range.target(at, window, phasors);
            },
            1);
        std::erase_if(targets, [](const TargetPhase& target) { return target.phase_rad.empty(); });
        return targets;
    };
    PhaseEstimate found = phase_of_targets(cross_range.slow_time(), targets_of);
    found.phase_rad = of_lines(echoes, found.phase_rad);
    found.weight = of_lines(echoes, found.weight);
    return found;
}

double entropy(const PointEchoes& echoes, std::span<const double> phase_rad, int threads) {
    const CrossRange cross_range(echoes, threads);
    const std::vector<Complex64> phasors = phasors_against(echoes.on_slots(phase_rad));
    std::vector<double> powers(echoes.points.size()), logs(powers.size());
    for_each_line(std::ssize(powers), threads, [&](std::int64_t point) {
        const auto at = static_cast<std::size_t>(point);
        const Complex64* values = cross_range.spectrum(at, phasors);
        for (std::int64_t bin = 0; bin < cross_range.length(); ++bin) {
            const double p = power(values[bin]);
            if (!(p > 0)) continue;
            powers[at] += p;
            logs[at] += p * std::log(p);
        }
    });
    return entropy_of(std::accumulate(powers.begin(), powers.end(), 0.0),
                      std::accumulate(logs.begin(), logs.end(), 0.0));
}

}  // namespace cornerturn
