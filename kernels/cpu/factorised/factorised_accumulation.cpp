// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/factorised/factorised_accumulation.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/cpu/factorised/factor_laws.h"
#include "kernels/cpu/factorised/factor_rows.h"
#include "kernels/cpu/lines/line_walker.h"
#include "kernels/errors.h"
#include "kernels/host/available_memory.h"
#include "kernels/host/line_loop.h"

namespace cornerturn {
namespace {

constexpr std::int64_t group = nodes_at_a_time;
constexpr int moments = WindowPolynomial::terms;
constexpr double spare_bound = 1e15;

std::int64_t whole_groups(std::int64_t nodes) { return (nodes + group - 1) / group; }
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// Lines that are summed on nodes of their own. Rows are those of the image, cells those of the nodes along range.
struct Block {
    IndexRange lines{0, 0};
    std::int64_t middle = 0;                 ///< line
    double first_row = 0, last_row = -1;     ///< of the image, that may take it
    std::int64_t first_node = 0, nodes = 0;  ///< rows of nodes; number n lies on image row n times the level's step
    std::vector<std::int64_t> first_cell;    ///< of each row of nodes
    std::vector<std::int64_t> cells;         ///< likewise: how many are filled
    std::int64_t room = 0;                   ///< for the cells of a row
    std::size_t at = 0;                      ///< first value among those of the level
    LawArea area;                            ///< of the nodes
    LawArea seen;                            ///< of the image
    std::vector<double> merge_laws;          ///< of each child: cell and cycles over `area`
    std::vector<double> image_laws;          ///< cell, cycles and Doppler offset over `seen`
    double half_hz = 0;                      ///< Doppler frequencies of its band, from the middle
};

struct Strip {
    std::int64_t first_column, columns;
    double last_column() const { return static_cast<double>(first_column + columns - 1); }
};

/// What a thread works in.
template <class Real>
struct Work {
    explicit Work(std::int64_t room)
        : shift(whole_groups(room) + 2),
          row(static_cast<std::size_t>(2 * room)),
          moment(row.size()),
          runs(row.size()),
          sum(row.size()) {}
    RowShift<Real> shift;
    std::vector<Real> row, moment, runs, sum;
    std::vector<Real> weight, at_places;
    std::vector<WindowPolynomial> places;

    /// Room for so many values, zero.
    Real* runs_of(std::int64_t values) {
        runs.assign(std::max(runs.size(), static_cast<std::size_t>(values)), Real{0});
        return runs.data();
    }
};

template <class Real>
class Factorised final : public StepPlan {
public:
    Factorised(const FactorisedAccumulation& pass, int threads)
        : pass_(pass),
          sum_(pass_.sum),
          factors_(pass_.factors),
          geometry_(sum_.geometry()),
          mesh_(view_of(geometry_.pixels)),
          around_(geometry_.around.mesh.nodes.empty() ? mesh_ : view_of(geometry_.around.mesh)),
          window_(view_of(sum_.window, sum_.window.weight.data())),
          threads_(threads),
          cells_per_node_(pass.cells_per_column / factors_.nodes_per_column),
          window_bend_per_hz2_(largest_bend_per_hz2(sum_.window)),
          fit_(factors_.law_terms, factors_.column_terms),
          line_table_(OptimalInterpolation(factors_.line_taps, power_between(pass.range_power, pass.cells_per_column))),
          cell_table_(
              OptimalInterpolation(factors_.cell_taps, power_between(pass.range_power, factors_.nodes_per_column))) {
        if (static_cast<std::int64_t>(geometry_.paths.size()) != sum_.lines)
            throw std::logic_error("back-projection needs a path of the antenna for each line");
        if (!geometry_.relief_m.empty())
            throw std::logic_error("factorised back-projection knows no heights of single pixels");
        make_row_weights();
        levels_.resize(static_cast<std::size_t>(factors_.levels));
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native_format<Real>, sum_.lines, sum_.cells, "factorised back-projection: the lines");
        require_matrix(out, native_format<Real>, sum_.rows, sum_.columns, "factorised back-projection: the image");
        if (sum_.rows == 0 || sum_.columns == 0) return;
        compressed_ = in.data<Complex<Real>>();
        image_ = out.data<Complex<Real>>();
        const std::int64_t width = pass_.columns_of_strip();
        for (std::int64_t first = 0; first < sum_.columns; first += width)
            form({first, std::min(width, sum_.columns - first)});
    }

private:
    struct Level {
        std::int64_t lines = 0, step = 1;
        double migrating_rows = 0;  ///< over which a row of nodes lends its cells to others
        std::int64_t guard = 0;     ///< cells beyond those of the strip
        std::vector<Block> blocks;
        std::vector<Real> nodes;
    };

    void form(const Strip& strip) {
        lay_out(strip);
        work_.assign(static_cast<std::size_t>(threads_), Work<Real>(largest_room(strip)));
        for (int level = 0; level < factors_.levels; ++level) {
            find_laws(level);
            level == 0 ? sum_lines() : merge(level);
        }
        find_image_laws(strip);
        for_each_line(
            sum_.rows, threads_, [&](std::int64_t row) { fill(row, strip, mine()); }, 8);
        if (too_short_)
            throw InputError(
                "--algorithm ffbp: ranges change so much over the rows that a block of lines sees that its cells do "
                "not follow them; use --algorithm backprojection");
    }

    Level& level_at(int level) { return levels_[static_cast<std::size_t>(level)]; }
    Work<Real>& mine() { return work_[static_cast<std::size_t>(omp_get_thread_num())]; }
    Arrival arrive(std::int64_t line, const Place& place) const {
        return arrival(sum_.timing, geometry_.paths[static_cast<std::size_t>(line)], place);
    }
    /// Of the image or beside it.
    Place place(double row, double column) const {
        return around_.at(row + geometry_.around.rows, column + geometry_.around.columns).place;
    }
    double cell_in(const Block& block, double row, double column) const {
        return arrive(block.middle, place(row, column)).cell / static_cast<double>(cells_per_node_);
    }

    // --- which nodes there are ---

    void lay_out(const Strip& strip) {
        double migrating = 0;
        for (int l = factors_.levels - 1; l >= 0; --l) {
            Level& level = level_at(l);
            level.lines = factors_.lines_of(l);
            level.step = factors_.step_of(l);
            level.migrating_rows = migrating += 0.5 * factors_.row_taps * static_cast<double>(level.step);
            level.guard = (factors_.levels - l) * (factors_.cell_taps / 2 + 2) + 1;
            level.blocks.assign(static_cast<std::size_t>((sum_.lines + level.lines - 1) / level.lines), Block{});
            for_each_line(
                static_cast<std::int64_t>(level.blocks.size()), threads_, [&](std::int64_t i) { lay_out(l, i, strip); },
                4);
            std::size_t values = 0;
            for (Block& block : level.blocks) {
                block.at = values;
                values += static_cast<std::size_t>(2 * block.nodes * block.room);
            }
            if (values > level.nodes.size())
                require_memory(static_cast<double>(values - level.nodes.size()) * sizeof(Real),
                               "--algorithm ffbp: cells whose ranges run away; use --algorithm backprojection");
            level.nodes.resize(values + 4 * group);
        }
    }

    void lay_out(int l, std::int64_t number, const Strip& strip) {
        const Level& level = level_at(l);
        Block& block = level_at(l).blocks[static_cast<std::size_t>(number)];
        block.lines = {number * level.lines, std::min((number + 1) * level.lines, sum_.lines)};
        block.middle = std::min(block.lines.first + level.lines / 2, sum_.lines - 1);
        find_rows(block, l == 0, strip);
        double first = block.first_row, last = block.last_row;
        if (l + 1 < factors_.levels) {
            const Level& above = level_at(l + 1);
            const Block& parent = above.blocks[static_cast<std::size_t>(number / factors_.merged)];
            if (parent.nodes > 0) {
                const auto from = static_cast<double>(parent.first_node * above.step),
                           to = static_cast<double>((parent.first_node + parent.nodes - 1) * above.step);
                first = first <= last ? std::min(first, from) : from;
                last = first <= last ? std::max(last, to) : to;
            }
        }
        if (first > last) return;
        const auto step = static_cast<double>(level.step);
        block.first_node = static_cast<std::int64_t>(std::floor(first / step)) - factors_.row_taps / 2 + 1;
        block.nodes = static_cast<std::int64_t>(std::floor(last / step)) + factors_.row_taps / 2 - block.first_node + 1;
        find_cells(block, level, strip);
    }

    /// Rows of the image in which the window sees any of the block's lines.
    void find_rows(Block& block, bool shortest, const Strip& strip) const {
        const auto last_row = static_cast<double>(sum_.rows - 1);
        block.first_row = 0;
        block.last_row = last_row;
        if (window_.weight == nullptr) return;
        const double reach_hz = window_.middle / window_.per_hz;
        const std::int64_t before = shortest ? block.lines.first : block.middle,
                           behind = shortest ? block.lines.last - 1 : block.middle;
        double first = last_row, last = 0;
        for (const double column : {static_cast<double>(strip.first_column), strip.last_column()}) {
            // Places ahead have higher Doppler frequencies, and each line lower ones than the line before.
            first = std::min(first, first_row_above(before, -reach_hz, column));
            last = std::max(last, first_row_above(behind, reach_hz, column));
        }
        block.first_row = std::max(0.0, std::floor(first) - 1);
        block.last_row = std::min(last_row, std::ceil(last) + 1);
        if (last <= 0 || first >= last_row) close_edges(block, before, behind, reach_hz, strip);
    }
    /// Empty where not even the edge of the image sees it.
    void close_edges(Block& block, std::int64_t before, std::int64_t behind, double reach_hz,
                     const Strip& strip) const {
        const auto last_row = static_cast<double>(sum_.rows - 1);
        bool sees = false;
        for (const double column : {static_cast<double>(strip.first_column), strip.last_column()})
            sees |= offset_hz(before, last_row, column) > -reach_hz && offset_hz(behind, 0, column) < reach_hz;
        if (!sees) block.last_row = block.first_row - 1;
    }
    double offset_hz(std::int64_t line, double row, double column) const {
        const PixelNode pixel = mesh_.at(row, column);
        return arrive(line, pixel.place).row_hz - pixel.centroid_hz;
    }
    double first_row_above(std::int64_t line, double limit_hz, double column) const {
        double below = -1, above = static_cast<double>(sum_.rows);
        while (above - below > 1) {
            const double middle = std::floor(0.5 * (below + above));
            (offset_hz(line, middle, column) < limit_hz ? below : above) = middle;
        }
        return above;
    }

    /// Cells of the strip's columns, in rows of nodes as far away as they are blended from.
    void find_cells(Block& block, const Level& level, const Strip& strip) const {
        constexpr int looks = 12;
        const auto step = static_cast<double>(level.step);
        const double from = static_cast<double>(block.first_node) * step - level.migrating_rows,
                     to = static_cast<double>(block.first_node + block.nodes - 1) * step + level.migrating_rows;
        const auto edge = [&](double column) {
            std::vector<double> cells;
            for (const double row : chebyshev_points(from, to, looks)) cells.push_back(cell_in(block, row, column));
            return ChebyshevSeries::through(from, to, cells);
        };
        const ChebyshevSeries low = edge(static_cast<double>(strip.first_column)), high = edge(strip.last_column());
        std::int64_t most = 0, lowest = INT64_MAX, highest = INT64_MIN;
        for (std::int64_t i = 0; i < block.nodes; ++i) {
            double least = INFINITY, greatest = -INFINITY;
            for (int look = -4; look <= 4; ++look) {
                const double row =
                    static_cast<double>(block.first_node + i) * step + 0.25 * look * level.migrating_rows;
                least = std::min({least, low(row), high(row)});
                greatest = std::max({greatest, low(row), high(row)});
            }
            const std::int64_t first =
                                   static_cast<std::int64_t>(std::floor(std::clamp(least, -spare_bound, spare_bound))) -
                                   level.guard,
                               last = static_cast<std::int64_t>(
                                          std::ceil(std::clamp(greatest, -spare_bound, spare_bound))) +
                                      level.guard;
            block.first_cell.push_back(first);
            block.cells.push_back(last - first + 1);
            most = std::max(most, last - first + 1);
            lowest = std::min(lowest, first);
            highest = std::max(highest, last);
        }
        block.room = whole_groups(most) * group;
        block.area = {static_cast<double>(block.first_node) * step,
                      static_cast<double>(block.first_node + block.nodes - 1) * step, static_cast<double>(lowest),
                      static_cast<double>(highest)};
    }

    std::int64_t largest_room(const Strip& strip) const {
        std::int64_t room = strip.columns * factors_.nodes_per_column;
        for (const Level& level : levels_)
            for (const Block& block : level.blocks) room = std::max(room, block.room);
        return cells_per_node_ * (room + 8 * group) + 16 * group;
    }

    // --- where they arrive ---

    /// The place on a row of the image that lies in a cell of the block's middle line.
    Place place_of_node(const Block& block, double row, double cell) const {
        const double columns_per_cell = 1 / static_cast<double>(factors_.nodes_per_column);
        double column = 0.5 * static_cast<double>(sum_.columns), at = cell_in(block, row, column);
        double next = column + (cell - at) * columns_per_cell;
        for (int round = 0; round < 5 && std::fabs(cell - at) > 1e-6; ++round) {
            const double there = cell_in(block, row, next), slope = there != at ? (next - column) / (there - at) : 0;
            column = next;
            at = there;
            next = column + (cell - at) * slope;
        }
        return place(row, column);
    }

    void find_laws(int l) {
        Level& level = level_at(l);
        for_each_line(
            static_cast<std::int64_t>(level.blocks.size()), threads_,
            [&](std::int64_t i) {
                Block& block = level.blocks[static_cast<std::size_t>(i)];
                if (block.nodes == 0) return;
                std::vector<Place> places(fit_.points());
                fit_.for_points(block.area, [&](std::size_t point, double row, double cell) {
                    places[point] = place_of_node(block, row, cell);
                });
                l == 0 ? find_line_laws(block, places) : find_block_laws(l, i, places);
                find_band(block, l);
            },
            1);
    }

    /// Cell and cycles of the nodes in each line.
    void find_line_laws(Block& block, const std::vector<Place>& places) const {
        const std::int64_t lines = block.lines.last - block.lines.first;
        const std::size_t points = places.size();
        std::vector<Arrival> arrivals(points * static_cast<std::size_t>(lines));
        for (std::size_t i = 0; i < points; ++i)
            find_arrivals(sum_.timing, geometry_.paths, block.lines.first, 1, lines, places[i],
                          arrivals.data() + i * static_cast<std::size_t>(lines));
        std::vector<double> own(points), cell(points), cycles(points);
        for (std::size_t i = 0; i < points; ++i) own[i] = arrive(block.middle, places[i]).cycles;
        block.merge_laws.resize(static_cast<std::size_t>(2 * lines) * points);
        for (std::int64_t line = 0; line < lines; ++line) {
            for (std::size_t i = 0; i < points; ++i) {
                const Arrival& at = arrivals[i * static_cast<std::size_t>(lines) + static_cast<std::size_t>(line)];
                cell[i] = at.cell;
                cycles[i] = at.cycles - own[i];
            }
            keep(cell, cycles, block, line);
        }
    }
    void find_block_laws(int l, std::int64_t number, const std::vector<Place>& places) {
        Block& block = level_at(l).blocks[static_cast<std::size_t>(number)];
        const std::size_t points = places.size();
        std::vector<double> cell(points), cycles(points);
        block.merge_laws.resize(static_cast<std::size_t>(2 * factors_.merged) * points);
        for (std::int64_t child = 0; child < factors_.merged; ++child) {
            const Block* const below = child_of(l, number, child);
            if (below == nullptr) continue;
            for (std::size_t i = 0; i < points; ++i) {
                const Arrival at = arrive(below->middle, places[i]);
                cell[i] = at.cell / static_cast<double>(cells_per_node_);
                cycles[i] = at.cycles - arrive(block.middle, places[i]).cycles;
            }
            keep(cell, cycles, block, child);
        }
    }
    void keep(const std::vector<double>& cell, const std::vector<double>& cycles, Block& block,
              std::int64_t child) const {
        double* const laws = block.merge_laws.data() + static_cast<std::size_t>(2 * child) * fit_.points();
        fit_.fit(cell.data(), laws);
        fit_.fit(cycles.data(), laws + fit_.points());
    }
    const Block* child_of(int l, std::int64_t number, std::int64_t child) const {
        const auto& below = levels_[static_cast<std::size_t>(l - 1)].blocks;
        const auto at = static_cast<std::size_t>(number * factors_.merged + child);
        return at < below.size() ? &below[at] : nullptr;
    }

    /// The band of Doppler frequencies that the band of the block's nodes stands for.
    void find_band(Block& block, int l) const {
        const double row = 0.5 * (block.area.from_row + block.area.to_row),
                     cell = 0.5 * (block.area.from_column + block.area.to_column);
        const auto step = static_cast<double>(levels_[static_cast<std::size_t>(l)].step);
        const Place behind = place_of_node(block, row + 0.5 * step, cell),
                    before = place_of_node(block, row - 0.5 * step, cell), here = place_of_node(block, row, cell);
        const std::int64_t first = block.lines.first, last = block.lines.last - 1;
        if (first == last) return;
        const auto apart = [&](const Place& at) { return arrive(last, at).cycles - arrive(first, at).cycles; };
        const double cycles_per_node = apart(behind) - apart(before),
                     hz = arrive(last, here).row_hz - arrive(first, here).row_hz;
        block.half_hz = hz / cycles_per_node * 0.5 * factors_.row_band;
    }

    /// Cell, cycles with those of the pixels, and Doppler offset of the pixels that may take a block.
    void find_image_laws(const Strip& strip) {
        for (Level& level : levels_)
            for_each_line(
                static_cast<std::int64_t>(level.blocks.size()), threads_,
                [&](std::int64_t i) {
                    Block& block = level.blocks[static_cast<std::size_t>(i)];
                    if (block.first_row > block.last_row) return;
                    // Pixels go in whole groups: over a strip that is narrower laws would be extrapolated.
                    block.seen = {block.first_row, block.last_row, static_cast<double>(strip.first_column),
                                  std::max(strip.last_column(), static_cast<double>(strip.first_column + group))};
                    const std::size_t points = fit_.points();
                    std::vector<double> cell(points), cycles(points), offset(points);
                    fit_.for_points(block.seen, [&](std::size_t point, double row, double column) {
                        const PixelNode pixel = mesh_.at(row, column);
                        const Arrival at = arrive(block.middle, pixel.place);
                        cell[point] = at.cell / static_cast<double>(cells_per_node_);
                        cycles[point] = at.cycles + pixel.phase_cycles;
                        offset[point] = at.row_hz - pixel.centroid_hz;
                    });
                    block.image_laws.resize(3 * points);
                    fit_.fit(cell.data(), block.image_laws.data());
                    fit_.fit(cycles.data(), block.image_laws.data() + points);
                    fit_.fit(offset.data(), block.image_laws.data() + 2 * points);
                },
                4);
    }

    // --- sums ---

    PlanarRow<Real> row_of(Level& level, const Block& block, std::int64_t node) const {
        return {level.nodes.data() + block.at + static_cast<std::size_t>(2 * node * block.room),
                static_cast<std::ptrdiff_t>(block.room)};
    }

    /// Where a row's nodes lie in a child: its cells from `first` on, `step` for each node; in groups from `begin` on.
    /// False where they do not follow each other there, as what is read of it goes by the first and the last.
    bool find_shift(const LawAlongRow& cell, const LawAlongRow& cycles, std::int64_t begin, std::int64_t groups,
                    double step, RowShift<Real>& shift) {
        const double middle = static_cast<double>(begin) + 0.5 * (group - 1);
        const auto count = static_cast<std::size_t>(groups);
        shift.tolerance = factors_.tolerance;
        along_groups(cell, middle, group, count, {shift.middle.data(), shift.slide.data(), shift.bend.data()});
        along_groups(cycles, middle, group, count, {shift.cycles.data(), shift.turn.data(), shift.arch.data()});
        bool follow = true;
        for (std::size_t i = 0; i < count; ++i) {
            follow = follow && shift.slide[i] > group * std::abs(shift.bend[i]) && shift.slide[i] < 2 * step;
            shift.slide[i] -= step;
        }
        if (!follow) too_short_ = true;
        return follow;
    }
    /// Of a child, that nodes from `begin` on need.
    static IndexRange needed(const LawAlongRow& cell, std::int64_t begin, std::int64_t nodes, int taps) {
        const double a = cell.at(static_cast<double>(begin)), b = cell.at(static_cast<double>(begin + nodes - 1));
        return {static_cast<std::int64_t>(std::floor(std::min(a, b))) - taps / 2,
                static_cast<std::int64_t>(std::floor(std::max(a, b))) + taps / 2 + 2};
    }

    void sum_lines() {
        Level& level = level_at(0);
        for_each_line(
            static_cast<std::int64_t>(level.blocks.size()), threads_,
            [&](std::int64_t i) {
                const Block& block = level.blocks[static_cast<std::size_t>(i)];
                if (block.nodes == 0) return;
                Real* const nodes = level.nodes.data() + block.at;
                std::fill(nodes, nodes + 2 * block.nodes * block.room, Real{0});
                for (std::int64_t line = block.lines.first; line < block.lines.last; ++line)
                    add_line(level, block, line, mine());
            },
            1);
    }

    void add_line(Level& level, const Block& block, std::int64_t line, Work<Real>& work) {
        const double* const laws =
            block.merge_laws.data() + static_cast<std::size_t>(2 * (line - block.lines.first)) * fit_.points();
        const auto cell_along = [&](std::int64_t node) {
            return fit_.along(block.area, laws, row_at(level, block, node));
        };
        IndexRange all{INT64_MAX, INT64_MIN};
        for (std::int64_t node = 0; node < block.nodes; ++node) {
            const auto n = static_cast<std::size_t>(node);
            const IndexRange cells =
                needed(cell_along(node), block.first_cell[n], whole_groups(block.cells[n]) * group, factors_.line_taps);
            all = {std::min(all.first, cells.first), std::max(all.last, cells.last)};
        }
        const std::int64_t stride = cells_per_node_;
        // The line's first cell, where it is needed, begins a run.
        const std::int64_t begin = all.first < 0 ? floor_div(all.first, stride) * stride : all.first;
        const std::int64_t from = std::max<std::int64_t>(begin, 0), to = std::min(all.last + stride, sum_.cells);
        if (from >= to) return;
        // Rows of nodes far beside the image may run away from its ranges.
        if (all.last - begin > most_cells(work)) {
            too_short_ = true;
            return;
        }
        const std::int64_t run_room = (all.last - begin) / stride + 2 * group;
        const RowRuns<Real> runs{work.runs_of(2 * run_room * stride), run_room * stride, run_room, stride};
        part_into_runs(compressed_ + line * sum_.cells + from, to - from, runs,
                       work.runs.data() + (from - begin) / stride);
        for (std::int64_t node = 0; node < block.nodes; ++node) {
            const auto n = static_cast<std::size_t>(node);
            const std::int64_t groups = whole_groups(block.cells[n]);
            if (!find_shift(cell_along(node), fit_.along(block.area, laws + fit_.points(), row_at(level, block, node)),
                            block.first_cell[n], groups, static_cast<double>(stride), work.shift))
                return;
            for (std::int64_t i = 0; i < groups; ++i)
                work.shift.middle[static_cast<std::size_t>(i)] -= static_cast<double>(begin);
            if (!lies_within(work.shift, groups, stride, run_room * stride)) {
                too_short_ = true;
                return;
            }
            add_shifted(line_table_, runs, work.shift, groups, row_of(level, block, node));
        }
    }
    /// Whether no group reads beyond cells [0, cells), be it `stride` apart from its middle on or where nodes are.
    bool lies_within(const RowShift<Real>& shift, std::int64_t groups, std::int64_t stride, std::int64_t cells) const {
        constexpr double half = 0.5 * (group - 1);
        const double taps = 0.5 * factors_.line_taps;
        for (std::size_t i = 0; i < static_cast<std::size_t>(groups); ++i) {
            const double apart = static_cast<double>(stride) + std::max(0.0, shift.slide[i]),
                         reach = half * (apart + half * std::abs(shift.bend[i]));
            if (!(shift.middle[i] - reach >= taps - 1 && shift.middle[i] + reach < static_cast<double>(cells) - taps))
                return false;
        }
        return true;
    }
    static double row_at(const Level& level, const Block& block, std::int64_t node) {
        return static_cast<double>((block.first_node + node) * level.step);
    }

    void merge(int l) {
        constexpr std::int64_t rows_of_task = 16;
        Level& level = level_at(l);
        struct Task {
            std::int64_t block, first, last;
        };
        std::vector<Task> tasks;
        for (std::size_t i = 0; i < level.blocks.size(); ++i)
            for (std::int64_t node = 0; node < level.blocks[i].nodes; node += rows_of_task)
                tasks.push_back(
                    {static_cast<std::int64_t>(i), node, std::min(node + rows_of_task, level.blocks[i].nodes)});
        for_each_line(
            static_cast<std::int64_t>(tasks.size()), threads_,
            [&](std::int64_t i) {
                const Task& task = tasks[static_cast<std::size_t>(i)];
                for (std::int64_t node = task.first; node < task.last; ++node) merge_row(l, task.block, node, mine());
            },
            1);
    }

    void merge_row(int l, std::int64_t number, std::int64_t node, Work<Real>& work) {
        Level& level = level_at(l);
        const Block& block = level.blocks[static_cast<std::size_t>(number)];
        const PlanarRow<Real> to = row_of(level, block, node);
        std::fill(to.re, to.re + 2 * block.room, Real{0});
        const auto n = static_cast<std::size_t>(node);
        const std::int64_t row = (block.first_node + node) * level.step, groups = whole_groups(block.cells[n]);
        for (std::int64_t child = 0; child < factors_.merged; ++child) {
            const Block* const from = child_of(l, number, child);
            if (from == nullptr || from->nodes == 0) continue;
            const double* const laws = block.merge_laws.data() + static_cast<std::size_t>(2 * child) * fit_.points();
            const LawAlongRow cell = fit_.along(block.area, laws, static_cast<double>(row));
            const IndexRange cells = needed(cell, block.first_cell[n], block.cells[n], factors_.cell_taps);
            if (!blend(l - 1, *from, row, cells, 0, Real{1}, work.row)) continue;
            if (!find_shift(cell, fit_.along(block.area, laws + fit_.points(), static_cast<double>(row)),
                            block.first_cell[n], groups, 1, work.shift))
                return;
            for (std::int64_t i = 0; i < groups; ++i)
                work.shift.middle[static_cast<std::size_t>(i)] -= static_cast<double>(cells.first);
            add_shifted(cell_table_, RowRuns<Real>{work.row.data(), room_of(work.row), 0, 1}, work.shift, groups, to);
        }
    }
    /// Of a line, that the nodes of one block may need; more, and their ranges have run away.
    std::int64_t most_cells(const Work<Real>& work) const {
        constexpr std::int64_t most_lines = 16;  // as long as the whole line and a row of nodes together
        return most_lines * (room_of(work.row) + sum_.cells);
    }
    static std::ptrdiff_t room_of(const std::vector<Real>& row) { return static_cast<std::ptrdiff_t>(row.size() / 2); }

    /// A row between those of a block's nodes, its cells from the first to the last, times a factor.
    bool blend(int l, const Block& block, std::int64_t row, IndexRange cells, int moment, Real factor,
               std::vector<Real>& to) {
        Level& level = level_at(l);
        const std::int64_t taps = factors_.row_taps, below = floor_div(row, level.step),
                           phase = row - below * level.step, first = below - taps / 2 + 1 - block.first_node;
        const Real *re[24], *im[24];
        Real weight[24];
        const Real* const of = row_weights(l, phase, moment);
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const std::int64_t node = first + tap;
            const auto n = static_cast<std::size_t>(node);
            if (node < 0 || node >= block.nodes || cells.first < block.first_cell[n] ||
                cells.last > block.first_cell[n] + block.cells[n]) {
                too_short_ = true;
                return false;
            }
            const PlanarRow<Real> at = row_of(level, block, node);
            re[tap] = at.re + (cells.first - block.first_cell[n]);
            im[tap] = at.im() + (cells.first - block.first_cell[n]);
            weight[tap] = factor * of[tap];
        }
        const std::int64_t count = cells.last - cells.first;
        blend_rows(static_cast<int>(taps), re, weight, count, to.data());
        blend_rows(static_cast<int>(taps), im, weight, count, to.data() + room_of(to));
        return true;
    }

    // --- the image ---

    void fill(std::int64_t row, const Strip& strip, Work<Real>& work) {
        std::fill(work.sum.begin(), work.sum.end(), Real{0});
        const int top = factors_.levels - 1;
        for (std::size_t i = 0; i < level_at(top).blocks.size(); ++i)
            take(top, static_cast<std::int64_t>(i), row, strip, work);
        store(row, strip, work);
    }

    /// What the window makes of a block along a row of a strip.
    struct Weighing {
        double error = 0;   ///< of its polynomials
        bool flat = false;  ///< one weight for all the block and all columns
        double weight = 0;  ///< that one
    };
    Weighing weighing(const LawAlongRow& offset, const Strip& strip, double half_hz) const {
        constexpr double most_looks = 64;
        const double first_hz = offset.at(static_cast<double>(strip.first_column)),
                     change_hz = offset.at(strip.last_column()) - first_hz;
        // Under squint the window may begin and end between the edges of a strip.
        // A block of one line has no band.
        const double looks =
            half_hz != 0 ? std::min(std::ceil(std::fabs(change_hz / half_hz)) + 1, most_looks) : most_looks;
        Weighing found{.flat = true};
        double least = INFINITY, greatest = -INFINITY;
        for (double look = 0; look <= looks; ++look) {
            const double offset_hz = first_hz + look / looks * change_hz;
            const WindowPolynomial weight = window_polynomial(window_, offset_hz, half_hz);
            found.error = std::max(found.error, error_of(weight, window_, offset_hz, half_hz));
            found.flat = found.flat && is_flat(weight, factors_.tolerance);
            least = std::min(least, weight.coefficient[0]);
            greatest = std::max(greatest, weight.coefficient[0]);
        }
        found.flat = found.flat && greatest - least <= factors_.tolerance;
        found.weight = greatest;
        return found;
    }

    /// Adds a block to a row, or where the window asks for it what it was merged of.
    void take(int l, std::int64_t number, std::int64_t row, const Strip& strip, Work<Real>& work) {
        const Block& block = level_at(l).blocks[static_cast<std::size_t>(number)];
        const auto at = static_cast<double>(row);
        const bool there = block.first_row <= at && at <= block.last_row;
        if (window_.weight == nullptr) return add_block(l, block, row, strip, true, 1, work);
        if (there) {
            const LawAlongRow offset = fit_.along(block.seen, block.image_laws.data() + 2 * fit_.points(), at);
            const Weighing window = weighing(offset, strip, block.half_hz);
            if (l == 0 || window.error <= factors_.window_tolerance()) {
                if (window.flat && window.weight == 0) return;
                return add_block(l, block, row, strip, window.flat, window.weight, work);
            }
        }
        if (l == 0) return;
        for (std::int64_t child = 0; child < factors_.merged; ++child)
            if (child_of(l, number, child) != nullptr) take(l - 1, number * factors_.merged + child, row, strip, work);
    }

    void add_block(int l, const Block& block, std::int64_t row, const Strip& strip, bool flat, double factor,
                   Work<Real>& work) {
        if (block.nodes == 0) return;
        const std::size_t points = fit_.points();
        const auto at = static_cast<double>(row);
        const LawAlongRow cell = fit_.along(block.seen, block.image_laws.data(), at);
        const IndexRange cells = needed(cell, strip.first_column, strip.columns, factors_.cell_taps);
        if (!blend(l, block, row, cells, 0, flat ? static_cast<Real>(factor) : Real{1}, work.row)) return;
        if (!flat) weigh(l, block, row, cells, cell, work);
        const std::int64_t groups = whole_groups(strip.columns), stride = factors_.nodes_per_column;
        if (!find_shift(cell, fit_.along(block.seen, block.image_laws.data() + points, at), strip.first_column, groups,
                        static_cast<double>(stride), work.shift))
            return;
        for (std::int64_t i = 0; i < groups; ++i)
            work.shift.middle[static_cast<std::size_t>(i)] -= static_cast<double>(cells.first);
        RowRuns<Real> runs{work.row.data(), room_of(work.row), 0, 1};
        if (stride > 1) {
            const std::int64_t run_room = (cells.last - cells.first) / stride + 2 * group;
            runs = {work.runs_of(2 * run_room * stride), run_room * stride, run_room, stride};
            part_into_runs(PlanarRow<Real>{work.row.data(), room_of(work.row)}, cells.last - cells.first, runs,
                           work.runs.data());
        }
        add_shifted(cell_table_, runs, work.shift, groups, PlanarRow<Real>{work.sum.data(), room_of(work.sum)});
    }

    /// Filters the blended row by the window over the block's band, which changes along range.
    void weigh(int l, const Block& block, std::int64_t row, IndexRange cells, const LawAlongRow& cell,
               Work<Real>& work) {
        const LawAlongRow offset =
            fit_.along(block.seen, block.image_laws.data() + 2 * fit_.points(), static_cast<double>(row));
        const double first = block.seen.from_column, last = block.seen.to_column,
                     columns_per_cell = last > first ? (last - first) / (cell.at(last) - cell.at(first)) : 0;
        const std::int64_t count = whole_groups(cells.last - cells.first) * group,
                           step = weight_step((offset.at(last) - offset.at(first)) /
                                              std::max(1.0, std::fabs(cell.at(last) - cell.at(first))));
        const std::int64_t intervals = count / step;
        work.places.clear();
        for (std::int64_t i = -1; i <= intervals + 1; ++i) {
            const auto at = static_cast<double>(cells.first + i * step);
            // Beyond the strip, too: its last pixels are interpolated of these nodes.
            const double column = first + (at - cell.at(first)) * columns_per_cell;
            work.places.push_back(window_polynomial(window_, offset.at(column), block.half_hz));
        }
        work.weight.resize(static_cast<std::size_t>(count));
        PlanarRow<Real> sum{work.row.data(), room_of(work.row)};
        const auto weights = [&](int moment) {
            work.at_places.clear();
            for (const WindowPolynomial& place : work.places)
                work.at_places.push_back(static_cast<Real>(place.coefficient[moment]));
            weights_between(work.at_places.data(), step, intervals, work.weight.data());
            return work.weight.data();
        };
        weigh_row(weights(0), count, sum);
        for (int moment = 1; moment < moments; ++moment) {
            blend(l, block, row, cells, moment, Real{1}, work.moment);
            add_weighed(PlanarRow<Real>{work.moment.data(), room_of(work.moment)}, weights(moment), moment % 2 != 0,
                        count, sum);
        }
    }

    /// Nodes between those at which the window is looked up, for weights between them to be as near as everything else.
    std::int64_t weight_step(double hz_per_node) const {
        // Where the window's second derivative jumps by s, cubics over intervals h are off by some s h^2 / 30.
        const double most_hz = std::sqrt(30 * factors_.tolerance / window_bend_per_hz2_);
        std::int64_t step = group;
        while (step > 1 && static_cast<double>(step) * std::fabs(hz_per_node) > most_hz) step /= 2;
        return step;
    }

    /// Largest second derivative of the window, which is straight between its entries.
    static double largest_bend_per_hz2(const DopplerWindow& window) {
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

    void store(std::int64_t row, const Strip& strip, const Work<Real>& work) const {
        Complex<Real>* const to = image_ + row * sum_.columns;
        const PlanarRow<const Real> from{work.sum.data(), room_of(work.sum)};
        for (std::int64_t first = 0; first < strip.columns; first += group) {
            const std::int64_t last = std::min(first + group, strip.columns);
            const double begin =
                             mesh_.at(static_cast<double>(row), static_cast<double>(strip.first_column + first)).gain,
                         end = mesh_.at(static_cast<double>(row), static_cast<double>(strip.first_column + last - 1))
                                   .gain;
            for (std::int64_t i = first; i < last; ++i) {
                const std::int64_t column = strip.first_column + i;
                const auto gain =
                    static_cast<Real>(begin + (end - begin) * static_cast<double>(i - first) /
                                                  static_cast<double>(std::max<std::int64_t>(last - 1 - first, 1)));
                to[column] = sum_.covers(row, column) ? Complex<Real>{gain * from.re[i], gain * from.im()[i]}
                                                      : Complex<Real>{0, 0};
            }
        }
    }

    // --- weights between rows of nodes ---

    /// At all rows between those of level 0, which are those of the other levels and more.
    void make_row_weights() {
        const OptimalInterpolation rows(factors_.row_taps, PowerOverFrequency::flat(0.5 * factors_.row_band));
        const std::int64_t step = factors_.step_of(0);
        for (std::int64_t phase = 0; phase < step; ++phase)
            for (int moment = 0; moment < moments; ++moment)
                for (const double weight : rows.weights(static_cast<double>(phase) / static_cast<double>(step), moment))
                    row_weights_.push_back(static_cast<Real>(weight));
    }
    const Real* row_weights(int l, std::int64_t phase, int moment) const {
        const std::int64_t of_first = phase * (factors_.step_of(0) / factors_.step_of(l));
        return row_weights_.data() + static_cast<std::size_t>((of_first * moments + moment) * factors_.row_taps);
    }

    FactorisedAccumulation pass_;
    const Accumulation& sum_;
    const Factorisation& factors_;
    AccumulationGeometry geometry_;
    PixelMeshView mesh_, around_;
    DopplerWindowView window_;
    int threads_;
    std::int64_t cells_per_node_;
    double window_bend_per_hz2_;
    LawFit fit_;
    InterpolationTable<Real> line_table_, cell_table_;
    std::vector<Real> row_weights_;  ///< [phase][moment][tap]
    std::vector<Level> levels_;
    std::vector<Work<Real>> work_;
    const Complex<Real>* compressed_ = nullptr;
    Complex<Real>* image_ = nullptr;
    std::atomic<bool> too_short_ = false;
};

}  // namespace

template <class Real>
std::unique_ptr<StepPlan> factorised_accumulation_plan(const FactorisedAccumulation& pass, int threads) {
    return std::make_unique<Factorised<Real>>(pass, threads);
}

template std::unique_ptr<StepPlan> factorised_accumulation_plan<float>(const FactorisedAccumulation&, int);
template std::unique_ptr<StepPlan> factorised_accumulation_plan<double>(const FactorisedAccumulation&, int);

}  // namespace cornerturn
