// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/factorisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cornerturn {
namespace {

constexpr int most_taps = 24, most_levels = 5;
/// Vector operations for 16 nodes or pixels beside those of the taps: phase, places and what is added to; for 16 of the
/// sum as it is.
constexpr double of_a_row = 2, of_a_shift = 20, of_exact = 14;
/// Of 16 that are read one by one, for each tap; of 16 phasors; of 16 looks at the window, of places between them; of a
/// block in a part of a row, of its laws and of looks at the window along it.
constexpr double of_single_tap = 10, of_phasors = 30, of_looks = 300, of_weights = 30, of_a_part = 100;
constexpr double nodes_together = 16, narrowest_part = 64;  // columns
/// Of one pixel that is read by itself, of a row of nodes, by so many cells at a time, and of its looks at the window.
constexpr double of_a_read = 8, of_a_row_read = 1, lanes_read = 8, of_looks_read = 10;
/// Likewise for 16 samples of a transform that lies in no cache, times the logarithm of its length.
constexpr double of_transform = 40;
/// Share of the error that interpolation may take; windows, laws and rounding take the rest.
constexpr double interpolated_share = 0.5;
/// Where the swath ends levels read at like fractions of a cell: their errors add up to that much more for each merge
/// than predicted (0.2 with five levels, FactorisedColumns).
constexpr double alike_at_edges = 0.22;

double squared(double x) { return x * x; }

/// Mean square error of interpolation of what fills a part of the band evenly, by taps.
class FlatErrors {
public:
    static constexpr int steps = 40;
    FlatErrors() {
        for (int taps = 4; taps <= most_taps; taps += 2)
            for (int i = 1; i <= steps; ++i)
                errors_.push_back(
                    OptimalInterpolation(taps, PowerOverFrequency::flat(0.5 * i / (steps + 1))).mean_square_error());
    }
    /// The widest band that holds, of what cells could hold; 0: none.
    double widest_band(int taps, double error) const {
        double band = 0;
        for (int i = 1; i <= steps && at(taps, i) <= error; ++i) band = static_cast<double>(i) / (steps + 1);
        return band;
    }
    double error(int taps, double band) const {
        return at(taps, std::clamp(static_cast<int>(std::ceil(band * (steps + 1))), 1, steps));
    }

private:
    double at(int taps, int step) const { return errors_[static_cast<std::size_t>((taps - 4) / 2 * steps + step - 1)]; }
    std::vector<double> errors_;
};
const FlatErrors& flat_errors() {
    static const FlatErrors errors;
    return errors;
}

/// Fewest taps that hold an error between cells of lines. Where the swath ends the echo holds parts of chirps, which
/// lie at one edge of the band: there all along range may take twice its share.
struct RangeTaps {
    int taps = 0;  ///< 0: none hold
    double error = 0, at_edge = 0;
};
RangeTaps fewest_taps(const PowerOverFrequency& power, std::int64_t cells, double error) {
    for (int taps = 4; taps <= most_taps; taps += 2) {
        const OptimalInterpolation interpolation(taps, power_between(power, cells));
        const double mean = interpolation.mean_square_error();
        if (mean <= error && interpolation.error_at_edge() <= 2 * error)
            return {taps, mean, interpolation.error_at_edge()};
    }
    return {};
}

/// Change of Doppler frequency from line to line, over all that a pixel sums.
double mean_rate_hz(const FactorisationNeeds& needs) {
    const double pixels = static_cast<double>(needs.rows) * static_cast<double>(needs.columns);
    return 2 * needs.window.reach * needs.window.bandwidth_hz * pixels / std::max(1.0, needs.pixel_pulses);
}

/// Blocks that a row of the image takes from each level, flat and weighed ones, on average.
struct Taken {
    double flat = 0, weighed = 0;
};
class Chooser {
public:
    Chooser(const Factorisation& factors, const FactorisationNeeds& needs)
        : factors_(factors),
          needs_(needs),
          window_(view_of(needs.window, needs.window.weight.data())),
          // Blocks are as long as the highest rate lets them be; where it is lower they see less of the band.
          rate_hz_(needs.window.weight.empty() ? needs.line_rate_hz
                                               : std::min(needs.line_rate_hz, mean_rate_hz(needs))) {}

    Taken taken() {
        if (window_.weight == nullptr)
            return {static_cast<double>(needs_.lines) / static_cast<double>(factors_.lines_of(factors_.levels - 1)), 0};
        constexpr int phases = 4;
        const int top = factors_.levels - 1;
        const double longest_hz = static_cast<double>(factors_.lines_of(top)) * rate_hz_,
                     reach_hz = window_.middle / window_.per_hz;
        sum_ = {};
        for (int phase = 0; phase < phases; ++phase)
            for (double at = -reach_hz - longest_hz * (1 - (phase + 0.5) / phases); at < reach_hz + longest_hz;
                 at += longest_hz)
                visit(top, at, longest_hz);
        return {sum_.flat / phases, sum_.weighed / phases};
    }

private:
    /// A block from a frequency on.
    void visit(int level, double from_hz, double band_hz) {
        const double reach_hz = window_.middle / window_.per_hz, offset_hz = from_hz + 0.5 * band_hz;
        if (from_hz >= reach_hz || from_hz + band_hz <= -reach_hz) return;
        const double half_hz = 0.5 * static_cast<double>(factors_.lines_of(level)) * needs_.line_rate_hz;
        // Along the part of a row, which is as wide as it may be without being taken apart.
        const double along_hz = std::min(needs_.hz_per_column * static_cast<double>(needs_.columns),
                                         std::max(half_hz, 1.5 * narrowest_part * needs_.hz_per_column));
        double error = 0, least = INFINITY, greatest = -INFINITY;
        bool flat = true;
        for (const double part : {-0.5, 0.0, 0.5}) {
            const WindowPolynomial weight = window_polynomial(window_, offset_hz + part * along_hz, half_hz);
            error = std::max(
                error, weighing_error(weight, window_, offset_hz + part * along_hz, half_hz, factors_.range_part));
            flat = flat && is_flat(weight, factors_.tolerance);
            least = std::min(least, weight.coefficient[0]);
            greatest = std::max(greatest, weight.coefficient[0]);
        }
        if (level > 0 && error > factors_.window_tolerance) {
            for (int i = 0; i < factors_.merged; ++i)
                visit(level - 1, from_hz + i * band_hz / factors_.merged, band_hz / factors_.merged);
            return;
        }
        if (error > factors_.window_tolerance) lost_ = true;
        (flat && greatest - least <= factors_.tolerance ? sum_.flat : sum_.weighed) += 1;
    }

public:
    /// Whether the shortest blocks are too long for the window.
    bool lost() const { return lost_; }

private:
    const Factorisation& factors_;
    const FactorisationNeeds& needs_;
    DopplerWindowView window_;
    double rate_hz_;
    Taken sum_;
    bool lost_ = false;
};

/// By how much more than on average blocks may err where the window changes most, beside what all add: most blocks lie
/// on the flat part of a window that fades at its ends, none of one that falls all the way.
double over_average(const DopplerWindow& window) {
    if (window.weight.empty()) return 1;
    double squares = 0, slopes = 0, steepest = 0;
    for (std::size_t i = 1; i < window.weight.size(); ++i) {
        const double slope = std::fabs(window.weight[i] - window.weight[i - 1]);
        squares += squared(window.weight[i]);
        slopes += slope;
        steepest = std::max(steepest, slope);
    }
    return slopes > 0 ? std::sqrt(squares * steepest / slopes) : 1;
}

/// Rows that see a line.
double rows_seen(const FactorisationNeeds& needs) {
    const auto rows = static_cast<double>(needs.rows);
    return needs.window.weight.empty()
               ? rows
               : std::min(rows, 2 * needs.window.reach * needs.window.bandwidth_hz / needs.line_rate_hz);
}
double node_rows(const Factorisation& factors, const FactorisationNeeds& needs, int level) {
    return (rows_seen(needs) + 2 * needs.heights.rows) / static_cast<double>(factors.step_of(level)) +
           1.3 * factors.row_taps;
}
/// Of the columns of the image those of nodes, as strips overlap for heights.
double of_columns(const FactorisationNeeds& needs) {
    constexpr double strip = 2048;
    return 1 + 2 * needs.heights.columns / std::clamp(static_cast<double>(needs.columns), 1.0, strip);
}

double node_bytes_per_column(const Factorisation& f, const FactorisationNeeds& needs) {
    double bytes = 0;
    for (int level = 0; level < f.levels; ++level)
        bytes += static_cast<double>(needs.lines) / static_cast<double>(f.lines_of(level)) *
                 node_rows(f, needs, level) * static_cast<double>(f.nodes_per_column) * sizeof(Complex<float>);
    return of_columns(needs) * bytes;
}

/// Vector operations of bringing blocks onto the image.
double cost_of_image(const Factorisation& f, const FactorisationNeeds& needs, const Taken& taken, double cells) {
    const auto rows = static_cast<double>(needs.rows), columns = static_cast<double>(needs.columns);
    const double row = 2 * f.row_taps + of_a_row;
    // As far as weights may be off of what nodes slide over a group, and of what phases bend.
    const bool one_by_one = 0.5 * nodes_together * needs.slide_per_column > std::cbrt(f.tolerance / 5),
               bent =
                   2 * std::numbers::pi * 0.25 * squared(nodes_together) * needs.arch_cycles > std::sqrt(f.tolerance);
    const double shift = of_a_shift + (one_by_one ? of_single_tap : 2) * f.cell_taps + (bent ? of_phasors : 0);
    const double half_hz = 0.5 * static_cast<double>(f.lines_of(f.levels - 1)) * needs.line_rate_hz,
                 part = std::clamp(half_hz / std::max(needs.hz_per_column, 1e-12),
                                   std::min(1.5 * narrowest_part, columns), columns),
                 edges = part < columns ? 1 + (f.cell_taps + nodes_together) / part : 1;
    double cost =
        rows * (taken.flat + taken.weighed) *
        (edges * (cells * row + columns * (shift + f.cell_taps)) + of_a_part * nodes_together * columns / part);
    if (taken.weighed > 0) {
        const double look_hz = std::sqrt(30 * f.tolerance / largest_bend_per_hz2(needs.window)),
                     step = std::clamp(look_hz / std::max(needs.hz_per_column, 1e-12), 1.0, nodes_together);
        cost +=
            rows * taken.weighed * edges * cells * ((WindowPolynomial::terms - 1) * row + of_weights + of_looks / step);
    }
    return cost;
}

/// Likewise where each pixel is read by itself.
double cost_of_heights(const Factorisation& f, const FactorisationNeeds& needs, const Taken& taken) {
    const double pixels = static_cast<double>(needs.rows) * static_cast<double>(needs.columns);
    const double read = nodes_together * (of_a_read + of_a_row_read * f.row_taps * std::ceil(f.cell_taps / lanes_read));
    return pixels * ((taken.flat + taken.weighed) * read + taken.weighed * nodes_together * of_looks_read);
}

/// Vector operations.
double cost_of(const Factorisation& f, const FactorisationNeeds& needs, const Taken& taken) {
    constexpr double strip_edges = 1.15;
    const auto lines = static_cast<double>(needs.lines), columns = static_cast<double>(needs.columns),
               cells = strip_edges * of_columns(needs) * columns * static_cast<double>(f.nodes_per_column);
    const double merged = f.merged;
    const double row = 2 * f.row_taps + of_a_row, shift = 2 * f.cell_taps + of_a_shift;
    double cost = lines * node_rows(f, needs, 0) * cells * (2 * f.line_taps + of_a_shift);
    for (int level = 1; level < f.levels; ++level)
        cost += lines / static_cast<double>(f.lines_of(level)) * node_rows(f, needs, level) * cells *
                (merged * shift + (merged - 1) * row);
    return cost + (needs.heights.some ? cost_of_heights(f, needs, taken) : cost_of_image(f, needs, taken, cells));
}

double straight_lines_cost(const FactorisationNeeds& needs) {
    const double samples = std::max(1.0, needs.straight_line_samples);
    return of_transform * static_cast<double>(needs.lines) * samples * std::log2(samples);
}

double error_of(const Factorisation& f, double line_error, double cell_error, bool heights) {
    const double row_error = flat_errors().error(f.row_taps, f.row_band), merges = f.levels - 1;
    const double interpolated =
        line_error + (merges + 1) * cell_error + (merges * (f.merged - 1) / f.merged + 1) * row_error;
    return interpolated + (heights ? 4 : 3) * squared(f.tolerance);
}

/// All ways with a number of levels.
class Search {
public:
    /// `of_memory`: what a cell of the lines for each node counts beside the cost of the sums.
    Search(const FactorisationNeeds& needs, int levels, double of_memory)
        : needs_(needs), of_memory_(of_memory), allowed_(std::pow(10.0, 0.1 * needs.error_db)) {
        each_ = interpolated_share * allowed_ / (2 * levels + 1);
        factors_.levels = levels;
        factors_.tolerance = tolerance_of(needs.error_db);
        factors_.range_part = needs.range_part;
        factors_.window_tolerance = factors_.tolerance * over_average(needs.window);
    }

    void add_to(std::optional<FactorisationPlan>& best) {
        for (const std::int64_t nodes : {1, 2}) {
            const RangeTaps cell = fewest_taps(needs_.range_power, nodes, each_);
            if (cell.taps == 0) continue;
            for (const std::int64_t finer : {2, 3, 4}) {
                const RangeTaps line = fewest_taps(needs_.range_power, nodes * finer, each_);
                if (line.taps == 0) continue;
                factors_.nodes_per_column = nodes;
                factors_.cell_taps = cell.taps;
                factors_.line_taps = line.taps;
                cells_ = nodes * finer;
                line_ = line;
                cell_ = cell;
                rows_of_nodes(best);
            }
        }
    }

private:
    void rows_of_nodes(std::optional<FactorisationPlan>& best) {
        for (int taps = 4; taps <= 16; taps += 2) {
            const double widest = flat_errors().widest_band(taps, each_);
            factors_.row_taps = taps;
            for (const int merged : {2, 3, 4, 5, 6, 8})
                for (const std::int64_t step : {1, 2, 3, 4, 6, 8}) {
                    if (factors_.levels == 1 && merged != 2) continue;
                    factors_.merged = factors_.levels == 1 ? 1 : merged;
                    // Nodes of a single level may stand far apart: with each pair of taps twice as far.
                    factors_.row_step = factors_.levels == 1 ? step << (taps / 2) : step;
                    fill(widest, best);
                }
        }
    }
    /// With blocks as long as the band allows.
    void fill(double widest, std::optional<FactorisationPlan>& best) {
        const double band_of_line = needs_.band_per_line * static_cast<double>(factors_.step_of(0));
        factors_.block_lines = static_cast<std::int64_t>(widest / band_of_line);
        if (factors_.block_lines < 2 ||
            factors_.lines_of(factors_.levels - 1) >
                std::clamp<std::int64_t>(needs_.lines, 2, std::max<std::int64_t>(needs_.heights.most_lines, 2)))
            return;
        factors_.row_band = static_cast<double>(factors_.block_lines) * band_of_line;
        const double more_at_edges = 1 + alike_at_edges * (factors_.levels - 1);
        if (more_at_edges * error_of(factors_, line_.at_edge, cell_.at_edge, needs_.heights.some) > allowed_) return;
        const double exact = of_exact * needs_.pixel_pulses;
        if (best && weighed(best->cost, *best) <= weighed(cost_of(factors_, needs_, {}) / exact)) return;
        Chooser chooser(factors_, needs_);
        const Taken taken = chooser.taken();
        if (chooser.lost()) return;
        const double cost = cost_of(factors_, needs_, taken) / exact;
        if (best && weighed(best->cost, *best) <= weighed(cost)) return;
        best = {.factors = factors_,
                .cells_per_column = cells_,
                .error_db = 10 * std::log10(error_of(factors_, line_.error, cell_.error, needs_.heights.some)),
                .cost = cost};
    }

    double weighed(double cost, std::int64_t cells, std::int64_t nodes) const {
        return cost * (1 + of_memory_ * static_cast<double>(cells / nodes));
    }
    double weighed(double cost, const FactorisationPlan& plan) const {
        return weighed(cost, plan.cells_per_column, plan.factors.nodes_per_column);
    }
    double weighed(double cost) const { return weighed(cost, cells_, factors_.nodes_per_column); }

    const FactorisationNeeds& needs_;
    Factorisation factors_;
    double of_memory_, allowed_, each_;
    std::int64_t cells_ = 1;
    RangeTaps line_, cell_;
};

}  // namespace

double tolerance_of(double error_db) {
    return std::sqrt((1 - interpolated_share) * std::pow(10.0, 0.1 * error_db) / 6);
}

double largest_bend_per_hz2(const DopplerWindow& window) {
    if (window.weight.empty()) return 1;
    const std::size_t count = window.weight.size(), apart = std::max<std::size_t>(1, count / 256);
    const double apart_hz =
        static_cast<double>(apart) * 2 * window.reach * window.bandwidth_hz / static_cast<double>(count - 1);
    double most = 1e-9 / (apart_hz * apart_hz);
    for (std::size_t i = apart; i + apart < count; ++i) {
        const double bend = window.weight[i - apart] - 2.0 * window.weight[i] + window.weight[i + apart];
        most = std::max(most, std::fabs(bend) / (apart_hz * apart_hz));
    }
    return most;
}

std::optional<FactorisationPlan> cheapest_factorisation(const FactorisationNeeds& needs, std::string& why) {
    const double most_cost = 1 + straight_lines_cost(needs) / (of_exact * needs.pixel_pulses);
    std::optional<FactorisationPlan> best;
    // Finer lines take as much more memory, for a few percent of the sums: only where these decide.
    for (const double of_memory : {0.05, 0.0}) {
        best.reset();
        for (int levels = 1; levels <= most_levels; ++levels) Search(needs, levels, of_memory).add_to(best);
        if (best && best->cost < most_cost) break;
    }
    if (!best) {
        why = fmt::format("no blocks of lines hold {} dB", needs.error_db);
        return std::nullopt;
    }
    if (best->cost >= most_cost) {
        why = fmt::format("the cheapest way in blocks of lines that holds {} dB costs {:.2g} times as much",
                          needs.error_db, best->cost);
        return std::nullopt;
    }
    best->node_bytes_per_column = node_bytes_per_column(best->factors, needs);
    best->range_power = needs.range_power;
    return best;
}

}  // namespace cornerturn
