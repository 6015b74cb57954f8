// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/factorised/factorised_accumulation.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "kernels/back_projection/block_window.h"
#include "kernels/back_projection/factor_tree.h"
#include "kernels/cpu/factorised/factor_rows.h"
#include "kernels/cpu/factorised/mirrored.h"
#include "kernels/cpu/factorised/raised_rows.h"
#include "kernels/cpu/factorised/row_work.h"
#include "kernels/cpu/lines/line_walker.h"
#include "kernels/errors.h"
#include "kernels/host/available_memory.h"
#include "kernels/host/line_loop.h"

namespace cornerturn {
namespace {

constexpr std::int64_t group = nodes_at_a_time;
constexpr int moments = WindowPolynomial::terms;

template <class Real>
class Factorised final : public StepPlan {
public:
    Factorised(const FactorisedAccumulation& pass, int threads)
        : pass_(farther(pass)),
          tree_(pass_, threads),
          block_window_(tree_),
          line_table_(OptimalInterpolation(factors_.line_taps, power_between(pass.range_power, pass.cells_per_column))),
          cell_table_(
              OptimalInterpolation(factors_.cell_taps, power_between(pass.range_power, factors_.nodes_per_column))) {
        nodes_.resize(static_cast<std::size_t>(factors_.levels));
        if (tree_.has_heights()) raised_.emplace(tree_);
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native_format<Real>, sum_.lines, sum_.cells, "factorised back-projection: the lines");
        require_matrix(out, native_format<Real>, sum_.rows, sum_.columns, "factorised back-projection: the image");
        if (sum_.rows == 0 || sum_.columns == 0) return;
        compressed_ = in.data<Complex<Real>>();
        image_ = out.data<Complex<Real>>();
        const std::int64_t width = pass_.columns_of_strip(FactorisedAccumulation::nodes_on_cpu);
        for (std::int64_t first = 0; first < sum_.columns; first += width)
            form({first, std::min(width, sum_.columns - first)});
    }

private:
    void form(const ColumnStrip& strip) {
        tree_.lay_out(strip);
        make_room();
        work_.assign(static_cast<std::size_t>(tree_.threads), RowWork<Real>(tree_.largest_room(strip)));
        for (int level = 0; level < factors_.levels; ++level) {
            tree_.find_laws(level);
            level == 0 ? sum_lines() : merge(level);
        }
        tree_.find_image_laws();
        tree_.find_raised_laws();
        for_each_line((sum_.rows + rows_taken_together - 1) / rows_taken_together, tree_.threads,
                      [&](std::int64_t time) {
                          const std::int64_t first = time * rows_taken_together;
                          fill({first, std::min(first + rows_taken_together, sum_.rows)}, strip, mine());
                      },
                      1);
        if (too_short_) throw Unsupported(cells_do_not_follow);
    }

    FactorLevel& level_at(int level) { return tree_.level_at(level); }
    void make_room() {
        for (int l = factors_.levels - 1; l >= 0; --l) {
            std::vector<Real>& nodes = nodes_[static_cast<std::size_t>(l)];
            const std::size_t values = level_at(l).values;
            if (values > nodes.size()) try {
                    require_memory(static_cast<double>(values - nodes.size()) * sizeof(Real),
                                   "--algorithm ffbp: cells whose ranges run away; use --algorithm backprojection");
                } catch (const InputError& too_much) {
                    throw Unsupported(too_much.what());
                }
            nodes.resize(values + 4 * group);
        }
    }
    RowWork<Real>& mine() { return work_[static_cast<std::size_t>(omp_get_thread_num())]; }
    // --- sums ---

    PlanarRow<Real> row_of(int l, const FactorBlock& block, std::int64_t node) {
        return {nodes_[static_cast<std::size_t>(l)].data() + block.at + static_cast<std::size_t>(2 * node * block.room),
                static_cast<std::ptrdiff_t>(block.room)};
    }

    /// Where a row's nodes lie in a child: its cells from `first` on, `step` for each node; in groups from `begin` on.
    /// False where they do not follow each other there, as what is read of it goes by the first and the last.
    bool find_shift(const LawAlongRow& cell, const LawAlongRow& cycles, std::int64_t begin, std::int64_t groups,
                    double step, RowShift<Real>& shift) {
        const double middle = static_cast<double>(begin) + 0.5 * (group - 1);
        const auto count = static_cast<std::size_t>(groups);
        shift.tolerance = factors_.tolerance;
        // Of cells a parabola will do: their cubes go over.
        along_groups(cell, middle, group, count,
                     {shift.middle.data(), shift.slide.data(), shift.bend.data(), shift.cube.data()});
        along_groups(cycles, middle, group, count,
                     {shift.cycles.data(), shift.turn.data(), shift.arch.data(), shift.cube.data()});
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
        FactorLevel& level = level_at(0);
        for_each_line(
            static_cast<std::int64_t>(level.blocks.size()), tree_.threads,
            [&](std::int64_t i) {
                const FactorBlock& block = level.blocks[static_cast<std::size_t>(i)];
                if (block.nodes == 0) return;
                Real* const nodes = nodes_[0].data() + block.at;
                std::fill(nodes, nodes + 2 * block.nodes * block.room, Real{0});
                for (std::int64_t line = block.lines.first; line < block.lines.last; ++line)
                    add_line(level, block, line, mine());
            },
            1);
    }

    void add_line(FactorLevel& level, const FactorBlock& block, std::int64_t line, RowWork<Real>& work) {
        const double* const laws = tree_.merge_laws(0, block, line - block.lines.first);
        const auto cell_along = [&](std::int64_t node) {
            return tree_.fit.along(block.area, laws, row_at(level, block, node));
        };
        IndexRange all{INT64_MAX, INT64_MIN};
        for (std::int64_t node = 0; node < block.nodes; ++node) {
            const auto n = static_cast<std::size_t>(node);
            const IndexRange cells =
                needed(cell_along(node), block.first_cell[n], whole_groups(block.cells[n]) * group, factors_.line_taps);
            all = {std::min(all.first, cells.first), std::max(all.last, cells.last)};
        }
        const std::int64_t stride = tree_.cells_per_node;
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
            if (!find_shift(cell_along(node),
                            tree_.fit.along(block.area, laws + tree_.fit.points(), row_at(level, block, node)),
                            block.first_cell[n], groups, static_cast<double>(stride), work.shift))
                return;
            for (std::int64_t i = 0; i < groups; ++i)
                work.shift.middle[static_cast<std::size_t>(i)] -= static_cast<double>(begin);
            if (!lies_within(work.shift, groups, stride, factors_.line_taps, run_room * stride)) {
                too_short_ = true;
                return;
            }
            add_shifted(line_table_, runs, work.shift, groups, row_of(0, block, node));
        }
    }
    static double row_at(const FactorLevel& level, const FactorBlock& block, std::int64_t node) {
        return static_cast<double>((block.first_node + node) * level.step);
    }

    void merge(int l) {
        constexpr std::int64_t rows_of_task = 16;
        FactorLevel& level = level_at(l);
        struct Task {
            std::int64_t block, first, last;
        };
        std::vector<Task> tasks;
        for (std::size_t i = 0; i < level.blocks.size(); ++i)
            for (std::int64_t node = 0; node < level.blocks[i].nodes; node += rows_of_task)
                tasks.push_back(
                    {static_cast<std::int64_t>(i), node, std::min(node + rows_of_task, level.blocks[i].nodes)});
        for_each_line(
            static_cast<std::int64_t>(tasks.size()), tree_.threads,
            [&](std::int64_t i) {
                const Task& task = tasks[static_cast<std::size_t>(i)];
                for (std::int64_t node = task.first; node < task.last; ++node) merge_row(l, task.block, node, mine());
            },
            1);
    }

    void merge_row(int l, std::int64_t number, std::int64_t node, RowWork<Real>& work) {
        FactorLevel& level = level_at(l);
        const FactorBlock& block = level.blocks[static_cast<std::size_t>(number)];
        const PlanarRow<Real> to = row_of(l, block, node);
        std::fill(to.re, to.re + 2 * block.room, Real{0});
        const auto n = static_cast<std::size_t>(node);
        const std::int64_t row = (block.first_node + node) * level.step, groups = whole_groups(block.cells[n]);
        for (std::int64_t child = 0; child < factors_.merged; ++child) {
            const FactorBlock* const from = tree_.child_of(l, number, child);
            if (from == nullptr || from->nodes == 0) continue;
            const double* const laws = tree_.merge_laws(l, block, child);
            const LawAlongRow cell = tree_.fit.along(block.area, laws, static_cast<double>(row));
            const IndexRange cells = needed(cell, block.first_cell[n], block.cells[n], factors_.cell_taps);
            if (!blend(l - 1, *from, row, cells, 0, Real{1}, work.row)) continue;
            if (!find_shift(cell, tree_.fit.along(block.area, laws + tree_.fit.points(), static_cast<double>(row)),
                            block.first_cell[n], groups, 1, work.shift))
                return;
            for (std::int64_t i = 0; i < groups; ++i)
                work.shift.middle[static_cast<std::size_t>(i)] -= static_cast<double>(cells.first);
            add_shifted(cell_table_, RowRuns<Real>{work.row.data(), room_of(work.row), 0, 1}, work.shift, groups, to);
        }
    }
    /// Of a line, that the nodes of one block may need; more, and their ranges have run away.
    std::int64_t most_cells(const RowWork<Real>& work) const {
        constexpr std::int64_t most_lines = 16;  // as long as the whole line and a row of nodes together
        return most_lines * (room_of(work.row) + sum_.cells);
    }
    static std::ptrdiff_t room_of(const std::vector<Real>& row) { return static_cast<std::ptrdiff_t>(row.size() / 2); }

    /// A row between those of a block's nodes, its cells from the first to the last, times a factor.
    bool blend(int l, const FactorBlock& block, std::int64_t row, IndexRange cells, int moment, Real factor,
               std::vector<Real>& to) {
        FactorLevel& level = level_at(l);
        const std::int64_t taps = factors_.row_taps, below = floor_div(row, level.step),
                           phase = row - below * level.step, first = below - taps / 2 + 1 - block.first_node;
        const Real *re[24], *im[24];
        Real weight[24];
        const Real* const of = row_weights_of(l, phase, moment);
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const std::int64_t node = first + tap;
            const auto n = static_cast<std::size_t>(node);
            if (node < 0 || node >= block.nodes || cells.first < block.first_cell[n] ||
                cells.last > block.first_cell[n] + block.cells[n]) {
                too_short_ = true;
                return false;
            }
            const PlanarRow<Real> at = row_of(l, block, node);
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

    void fill(IndexRange rows, const ColumnStrip& strip, RowWork<Real>& work) {
        work.taken.clear();
        block_window_.for_blocks_of(rows, strip, [&](const TakenBlock& taken) { work.taken.push_back(taken); });
        for (std::int64_t row = rows.first; row < rows.last; ++row) {
            std::fill(work.sum.begin(), work.sum.end(), Real{0});
            for (const TakenBlock& taken : work.taken)
                if (taken.rows.first <= row && row < taken.rows.last) add_block(taken, row, strip, work);
            store(row, strip, work);
        }
    }

    void add_block(const TakenBlock& taken, std::int64_t row, const ColumnStrip& strip, RowWork<Real>& work) {
        const auto& [l, number, rows, part, flat, factor] = taken;
        const FactorBlock& block = level_at(l).blocks[static_cast<std::size_t>(number)];
        if (block.nodes == 0) return;
        if (raised_) return add_raised_block(taken, block, row, strip, work);
        const auto at = static_cast<double>(row);
        const LawAlongRow cell = tree_.image_law(l, block, FactorTree::of_cell, at);
        const IndexRange cells = needed(cell, part.first_column, part.columns, factors_.cell_taps);
        if (!blend(l, block, row, cells, 0, flat ? static_cast<Real>(factor) : Real{1}, work.row)) return;
        if (!flat) weigh(l, block, row, cells, cell, work);
        const std::int64_t groups = whole_groups(part.columns), stride = factors_.nodes_per_column;
        if (!find_shift(cell, tree_.image_law(l, block, FactorTree::of_cycles, at), part.first_column, groups,
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
        add_shifted(cell_table_, runs, work.shift, groups,
                    PlanarRow<Real>{work.sum.data() + (part.first_column - strip.first_column), room_of(work.sum)});
    }

    void add_raised_block(const TakenBlock& taken, const FactorBlock& block, std::int64_t row, const ColumnStrip& strip,
                          RowWork<Real>& work) {
        const NodeRows<Real> nodes{row_of(taken.level, block, 0).re, block.nodes, block.room, block.first_cell.data(),
                                   block.cells.data()};
        const PlanarRow<Real> to{work.sum.data() + (taken.part.first_column - strip.first_column), room_of(work.sum)};
        if (!raised_->add(taken, row, cell_table_, nodes, work.raised, to)) too_short_ = true;
    }

    /// Filters the blended row by the window over the block's band, which changes along range.
    void weigh(int l, const FactorBlock& block, std::int64_t row, IndexRange cells, const LawAlongRow& cell,
               RowWork<Real>& work) {
        const LawAlongRow offset = tree_.image_law(l, block, FactorTree::of_offset, static_cast<double>(row));
        const double first = block.seen.from_column, last = block.seen.to_column;
        const std::int64_t count = whole_groups(cells.last - cells.first) * group,
                           step = block_window_.weight_step((offset.at(last) - offset.at(first)) /
                                                            std::max(1.0, std::fabs(cell.at(last) - cell.at(first))));
        const std::int64_t intervals = count / step;
        // Beyond the strip, too: its last pixels are interpolated of these nodes.
        values_at_cells(offset, cell, first, last,
                        {static_cast<double>(cells.first - step), static_cast<double>(step),
                         static_cast<std::size_t>(intervals + 3)},
                        work.columns, work.offsets_hz);
        work.places.clear();
        for (const double offset_hz : work.offsets_hz)
            work.places.push_back(window_polynomial(tree_.window, offset_hz, block.half_hz));
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

    void store(std::int64_t row, const ColumnStrip& strip, const RowWork<Real>& work) const {
        Complex<Real>* const to = image_ + row * sum_.columns;
        const PlanarRow<const Real> from{work.sum.data(), room_of(work.sum)};
        for (std::int64_t first = 0; first < strip.columns; first += group) {
            const std::int64_t last = std::min(first + group, strip.columns);
            const double
                begin = tree_.mesh.at(static_cast<double>(row), static_cast<double>(strip.first_column + first)).gain,
                end = tree_.mesh.at(static_cast<double>(row), static_cast<double>(strip.first_column + last - 1)).gain;
            for (std::int64_t i = first; i < last; ++i) {
                const std::int64_t column =
                    pass_.nearer ? sum_.columns - 1 - strip.first_column - i : strip.first_column + i;
                const auto gain =
                    static_cast<Real>(begin + (end - begin) * static_cast<double>(i - first) /
                                                  static_cast<double>(std::max<std::int64_t>(last - 1 - first, 1)));
                to[column] = sum_.covers(row, column) ? Complex<Real>{gain * from.re[i], gain * from.im()[i]}
                                                      : Complex<Real>{0, 0};
            }
        }
    }

    // --- weights between rows of nodes ---

    const Real* row_weights_of(int l, std::int64_t phase, int moment) const {
        const std::int64_t of_first = phase * (factors_.step_of(0) / factors_.step_of(l));
        return row_weights_.data() + static_cast<std::size_t>((of_first * moments + moment) * factors_.row_taps);
    }

    FactorisedAccumulation pass_;
    const Accumulation& sum_ = pass_.sum;
    const Factorisation& factors_ = pass_.factors;
    FactorTree tree_;
    BlockWindow block_window_;
    InterpolationTable<Real> line_table_, cell_table_;
    std::optional<RaisedPixels<Real>> raised_;  ///< where they have heights
    const std::vector<Real> row_weights_ = row_weights<Real>(factors_);
    std::vector<std::vector<Real>> nodes_;  ///< of each level
    std::vector<RowWork<Real>> work_;
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
