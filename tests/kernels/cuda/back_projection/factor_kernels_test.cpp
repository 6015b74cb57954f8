// SPDX-License-Identifier: Apache-2.0
// Kernels of factorised back-projection, in the emulator and on a GPU, against the sum that they stand for.

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "kernels/cuda/back_projection/factor_sizes.h"
#include "kernels/cuda/back_projection/image_of_blocks.cuh"
#include "kernels/cuda/back_projection/lines_on_nodes.cuh"
#include "kernels/cuda/back_projection/merged_blocks.cuh"
#include "kernels/cuda/back_projection/raised_image.cuh"
#include "kernels/errors.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/factor_scene.h"
#include "tests/kernels/one_step.h"

namespace cornerturn {
namespace {

template <class Kernel>
void run_blocks(const Kernel& kernel) {
    Emulator(Kernel::threads, 1)
        .run(
            kernel.blocks(), [&](const EmulatedBlock& block) { kernel.run(block); }, kernel.block_rows());
}

/// What the plan on a GPU does, in memory of the host.
class EmulatedSum {
public:
    /// Where cells are `missing` in nodes of the last level, it is to fail.
    EmulatedSum(const FactorisedAccumulation& pass, const std::vector<Complex64>& lines, std::vector<Complex64>& image,
                std::int64_t missing = 0)
        : pass_(pass), tree_(pass_, 2), lines_(lines), missing_(missing) {
        const Factorisation& factors = pass_.factors;
        shift_ = {.terms = {factors.law_terms, factors.column_terms},
                  .rows = {row_weights_.data(), factors.row_taps, factors.step_of(0)},
                  .taps = factors.cell_taps,
                  .capacity = FactorShift::capacity_for(factors),
                  .failed = &failed_};
        image_ = {.levels = {},
                  .shift = shift_,
                  .window = view_of(pass_.sum.window, pass_.sum.window.weight.data()),
                  .mesh = view_of(tree_.geometry.pixels),
                  .taken = nullptr,
                  .first_taken = nullptr,
                  .along = nullptr,
                  .rows = pass_.sum.rows,
                  .columns = pass_.sum.columns,
                  .strip = {},
                  .straight_hz = straight_hz(pass_),
                  .covered_rows = nullptr,
                  .image = image.data(),
                  .times = {},
                  .taken_then = {}};
        levels_.resize(static_cast<std::size_t>(factors.levels));
        const std::int64_t width = pass_.columns_of_strip(FactorisedAccumulation::nodes_on_gpu);
        for (std::int64_t first = 0; first < pass_.sum.columns; first += width)
            form({first, std::min(width, pass_.sum.columns - first)});
    }
    bool failed() const { return failed_ != 0; }

private:
    struct Level {
        FactorLevelTables tables;
        std::vector<Complex64> nodes;
        FactorLevelView view{};
    };
    template <class F>
    void with_size(int taps, const F& f) const {
        with_size_for(taps, pass_.factors.column_terms, f);
    }
    void form(const ColumnStrip& strip) {
        tree_.lay_out(strip);
        for (int l = 0; l < pass_.factors.levels; ++l) {
            tree_.find_laws(l);
            Level& level = levels_[static_cast<std::size_t>(l)];
            level.tables = tables_of(tree_, l);
            level.view =
                view_of(level.tables, tree_.level_at(l).step, level.tables.blocks.data(), level.tables.rows.data(),
                        level.tables.groups.data(), tree_.level_at(l).merge_laws.data());
            level.nodes.assign(tree_.level_at(l).values / 2, {NAN, NAN});
            l == 0 ? sum_lines(level) : merge(levels_[static_cast<std::size_t>(l - 1)], level);
        }
        for (FactorRowView& row : levels_.back().tables.rows) row.cells -= missing_;
        tree_.find_image_laws();
        const TakenBlocks taken = taken_blocks(tree_, strip);
        if (tree_.has_heights()) find_raised_laws(tree_, taken);
        for (int l = 0; l < pass_.factors.levels; ++l) {
            Level& level = levels_[static_cast<std::size_t>(l)];
            level.view.image_laws = pixel_laws(tree_, l).data();
            image_.levels[l] = {level.view, level.nodes.data()};
        }
        sum_blocks(taken, strip);
    }
    /// Two times, so that the second begins within the level.
    template <int Terms, class Form>
    void for_groups(const FactorLevelView& level, std::int64_t laws_of_row, const Form& form) {
        const std::int64_t half = (level.group_count + 1) / 2;
        for (const IndexRange groups : {IndexRange{0, half}, IndexRange{half, level.group_count}}) {
            along_.assign(static_cast<std::size_t>(rows_at_once * half * laws_of_row * Terms), NAN);
            const NodeLaws laws{
                level,        shift_.terms, static_cast<int>(laws_of_row), groups.first, groups.last - groups.first,
                along_.data()};
            run_blocks(NodeLawsAlongRows<Terms>{laws});
            form(laws);
        }
    }
    void sum_lines(Level& level) {
        with_size(between_cells_.taps(), [&]<int Taps, int Terms>() {
            for_groups<Terms>(level.view, 2 * pass_.factors.block_lines, [&](const NodeLaws& laws) {
                run_blocks(LinesOnNodes<Taps, Terms>{
                    laws, tap_polynomials<Taps>(between_cells_), between_cells_.taps(), lines_.data(), pass_.sum.cells,
                    LinesOnNodes<Taps, Terms>::capacity_for(pass_), &failed_, level.nodes.data()});
            });
        });
    }
    void merge(const Level& below, Level& level) {
        with_size(shift_.taps, [&]<int Taps, int Terms>() {
            for_groups<Terms>(level.view, 2 * pass_.factors.merged, [&](const NodeLaws& laws) {
                run_blocks(MergedBlocks<Taps, Terms>{laws, below.view, shift_, tap_polynomials<Taps>(between_nodes_),
                                                     pass_.factors.merged, below.nodes.data(), level.nodes.data()});
            });
        });
    }
    void sum_blocks(const TakenBlocks& taken, const ColumnStrip& strip) {
        image_.taken = taken.taken.data();
        image_.first_taken = taken.first.data();
        image_.strip = strip;
        image_.shift.capacity = cells_of_columns(tree_, strip, factor_threads);
        with_size(shift_.taps, [&]<int Taps, int Terms>() {
            if (tree_.has_heights())
                for_times<RaisedWarpLaws::count, Terms>(taken, [&] { sum_raised(Terms); });
            else
                for_times<ImageOfBlocks<Taps, Terms>::laws, Terms>(taken, [&] {
                    run_blocks(ImageOfBlocks<Taps, Terms>{image_, tap_polynomials<Taps>(between_nodes_)});
                });
        });
    }
    void sum_raised(int law_stride) const {
        with_exact_taps(shift_.taps, [&]<int Taps>() {
            run_blocks(RaisedImage<Taps>{image_, tap_polynomials<Taps>(between_nodes_),
                                         raised_row_weights(pass_.factors), law_stride, tree_.geometry.relief_m.data(),
                                         tree_.highest_m});
        });
    }
    /// Likewise in two parts.
    template <int Laws, int Terms, class Sum>
    void for_times(const TakenBlocks& taken, const Sum& sum) {
        const auto times = static_cast<std::int64_t>(taken.first.size()) - 1, half = (times + 1) / 2;
        for (const IndexRange of : {IndexRange{0, half}, IndexRange{half, times}}) {
            image_.times = of;
            image_.taken_then = {taken.first[static_cast<std::size_t>(of.first)],
                                 taken.first[static_cast<std::size_t>(of.last)]};
            along_.assign(taken.taken.size() * rows_taken_together * Laws * Terms, NAN);
            image_.along = along_.data();
            run_blocks(PixelLawsAlongRows<Laws, Terms>{image_});
            sum();
        }
    }

    const FactorisedAccumulation pass_;
    FactorTree tree_;
    const std::vector<Complex64>& lines_;
    std::int64_t missing_;
    const OptimalInterpolation between_cells_{pass_.factors.line_taps,
                                              power_between(pass_.range_power, pass_.cells_per_column)},
        between_nodes_{pass_.factors.cell_taps, power_between(pass_.range_power, pass_.factors.nodes_per_column)};
    const std::vector<float> row_weights_ = row_weights<float>(pass_.factors);
    std::vector<Level> levels_;
    std::vector<double> along_;
    int failed_ = 0;
    FactorShift shift_{};
    BlocksOfPixels image_{};
};

void emulated(const FactorisedAccumulation& pass, std::vector<Complex64>& lines, std::vector<Complex64>& image) {
    EXPECT_FALSE(EmulatedSum(pass, lines, image).failed());
}

/// Of an image whose phase turns by many cycles from column to column, as on maps.
double off_the_sum_in_double_db(FactorScene scene) {
    std::string why;
    const auto plan = cheapest_factorisation(case_of(scene, -80).needs, why);
    if (!plan) throw std::runtime_error(why);
    scene.cells_per_column = plan->cells_per_column;
    FactorCase of = case_of(scene, -80);
    of.pass.factors = plan->factors;
    of.pass.range_power = of.needs.range_power;
    of.pass.cells_per_column = plan->cells_per_column;
    of.pass.node_bytes_of_column = plan->node_bytes_per_column;
    of.pass.widest_strip = 70;
    AccumulationGeometry turned = of.geometry;
    PixelMesh& mesh = turned.pixels;
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
        mesh.nodes[i].phase_cycles += 300.25 * static_cast<double>(mesh.column_step) *
                                      static_cast<double>(static_cast<std::int64_t>(i) % mesh.columns);
    of.pass.sum.geometry = [turned] { return turned; };
    const WhiteEcho echo(scene, of.pass.sum.cells / scene.cells_per_column);
    sample(echo, of);
    const auto exact = image_of<double>(of);
    const auto got = image_of<float>(of, Summing<float>(emulated));
    double signal = 0, error = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        signal += std::pow(exact[i].re, 2) + std::pow(exact[i].im, 2);
        error += std::pow(got[i].re - exact[i].re, 2) + std::pow(got[i].im - exact[i].im, 2);
    }
    return 10 * std::log10(error / signal);
}

TEST(FactorKernels, AreAsNearAsSinglePrecisionToTheSameSumInDouble) {
    EXPECT_LT(off_the_sum_in_double_db({.columns = 40}), -105);
    EXPECT_LT(off_the_sum_in_double_db({.columns = 24, .hills_m = 60}), -110);
}

/// The emulator takes its time.
FactorScene narrow(FactorScene scene) {
    scene.columns = 40;
    return scene;
}

TEST(FactorKernels, HoldTheErrorThatWasChosen) {
    for (const double allowed_db : {-40.0, -60.0, -80.0})
        EXPECT_LE(measured_db<float>(narrow({}), allowed_db, emulated), allowed_db);
}

TEST(FactorKernels, TakeTheDopplerWindowWhereItFades) {
    EXPECT_LE(measured_db<float>(narrow({.window = 0.6}), -60, emulated), -60);
}

TEST(FactorKernels, FollowSquint) {
    EXPECT_LE(measured_db<float>(narrow({.squint_deg = 6, .window = 0.6}), -60, emulated), -60);
}

TEST(FactorKernels, FollowRangesThatFall) {
    FactorScene scene{.squint_deg = 6, .columns = 49, .window = 0.6, .nearer = true};
    EXPECT_LE(measured_db<float>(scene, -60, emulated), -60);
}

/// Up to 60 wavelengths of range and 45 columns beside the smooth surface, along a track that is not straight.
TEST(FactorKernels, TakeHeightsOfSinglePixels) {
    EXPECT_LE(measured_db<float>(narrow({.hills_m = 20}), -80, emulated), -80);
}

TEST(FactorKernels, TakeHeightsUnderAWindowThatFades) {
    EXPECT_LE(measured_db<float>(narrow({.squint_deg = 6, .window = 0.6, .hills_m = 20}), -60, emulated), -60);
}

TEST(FactorKernels, TellOfCellsThatAreMissingBesidePixelsWithHeights) {
    const auto missing = [](const FactorisedAccumulation& pass, std::vector<Complex64>& lines,
                            std::vector<Complex64>& image) {
        constexpr std::int64_t cells = 60;
        EXPECT_TRUE(EmulatedSum(pass, lines, image, cells).failed());
    };
    measured_db<float>(FactorScene{.columns = 16, .hills_m = 20}, -40, Summing<float>(missing));
}

/// In two strips, the second of which ends within a warp.
TEST(FactorKernels, TakeHeightsWhereRangesFall) {
    EXPECT_LE(measured_db<float>({.rows = 60, .columns = 97, .hills_m = 20, .nearer = true}, -60, emulated), -60);
}

TEST(FactorKernels, TakeBandsThatNearlyFillTheColumns) {
    EXPECT_LE(measured_db<float>(narrow({.fill = 0.95}), -60, emulated), -60);
}

/// More columns than a block of threads takes.
TEST(FactorKernels, TakeRowsInParts) {
    const auto wider = [](FactorScene scene, const Factorisation&) {
        scene.columns = 250, scene.rows = 30;
        return scene;
    };
    EXPECT_LE(measured_db<float>(narrow({.squint_deg = 2, .window = 0.6}), -60, wider, emulated), -60);
}

/// Rows that a block is blended of end before the cells that are asked for.
TEST(FactorKernels, TellOfCellsThatAreMissing) {
    const std::vector<FactorRowView> rows{{0, 10, 20}, {0, 10, 20}};
    FactorBlockView of{};
    of.nodes = 2;
    of.room = 32;
    const FactorLevelView level{&of, rows.data(), nullptr, nullptr, nullptr, 1, 0, 20, 1};
    const std::vector<Complex64> nodes(64);
    const RowBlend blend{nullptr, 2, 1};
    const auto is_whole = [&](std::int64_t row, int count, IndexRange cells) {
        RowBlend::Reads reads{};
        const RowBlend::Between between{row, 1, 0, count};
        bool whole = true;
        for (int read = 0; read < blend.read_count(between, level.step); ++read)
            whole &= blend.put_row(reads, read, level, of, nodes.data(), between, cells);
        return whole;
    };
    EXPECT_TRUE(is_whole(0, 1, {10, 30}));
    EXPECT_FALSE(is_whole(0, 1, {9, 30}));
    EXPECT_FALSE(is_whole(0, 1, {10, 31}));
    EXPECT_FALSE(is_whole(1, 1, {10, 30}));
    EXPECT_FALSE(is_whole(0, 2, {10, 30}));
}

TEST(FactorKernels, InterpolateByPolynomialsAsByTheWeightsThatTheyStandFor) {
    for (const double highest : {0.13, 0.25, 0.36, 0.45})
        for (const int taps : {6, 10, 14}) {
            const OptimalInterpolation interpolation(taps, PowerOverFrequency::flat(highest));
            with_taps_for(taps, [&](auto padded) {
                constexpr int all = decltype(padded)::value;
                const TapPolynomials<all> polynomials = tap_polynomials<all>(interpolation);
                for (double fraction = 0; fraction <= 1; fraction += 1.0 / 64) {
                    const std::vector<double> weights = interpolation.weights(fraction);
                    for (int tap = 0; tap < all; ++tap) {
                        Complex64 cells[all] = {};
                        cells[tap] = {1, 0};
                        const int number = tap - (all - taps) / 2;
                        EXPECT_NEAR(
                            polynomials.at(static_cast<float>(fraction - 0.5), SharedCells<1>(cells, all, 0)).re,
                            number >= 0 && number < taps ? weights[static_cast<std::size_t>(number)] : 0, 1e-5)
                            << highest << " " << taps << " " << fraction << " " << tap;
                    }
                }
            });
        }
}

/// As filters by each power of the place in the band are.
TEST(FactorKernels, WeighRowsOfNodesByPolynomialsAsByTheWeightsThatTheyStandFor) {
    for (const double band : {0.3, 0.6, 0.8})
        for (const int taps : {4, 8, 12, 16}) {
            Factorisation factors;
            factors.row_taps = taps, factors.row_band = band;
            const RaisedRowWeights rows = raised_row_weights(factors);
            const OptimalInterpolation between = between_rows(factors);
            for (int moment = 0; moment < response_terms; ++moment) {
                BlockResponse<float> filter{};
                filter.re[moment] = 1, filter.im[moment] = 2;
                for (double fraction = 0; fraction <= 1; fraction += 1.0 / 64) {
                    const std::vector<double> weights = between.weights(fraction, moment);
                    unrolled<RaisedRowWeights::most_taps / 2>([&]<int Tap>() {
                        const auto [first, last] = rows.pair<Tap>(static_cast<float>(fraction - 0.5), filter);
                        const int number = Tap - (RaisedRowWeights::most_taps - taps) / 2;
                        const auto weight = [&](int of) {
                            return number < 0 ? 0 : weights[static_cast<std::size_t>(of)];
                        };
                        EXPECT_NEAR(first.re, weight(number), 1e-5) << band << " " << taps << " " << fraction;
                        EXPECT_NEAR(first.im, 2 * weight(number), 2e-5);
                        EXPECT_NEAR(last.re, weight(taps - 1 - number), 1e-5) << band << " " << taps << " " << fraction;
                        EXPECT_NEAR(last.im, 2 * weight(taps - 1 - number), 2e-5);
                    });
                }
            }
        }
}

class FactorisedAccumulationOn : public EveryDevice {
protected:
    Summing<float> on_device() {
        return
            [this](const FactorisedAccumulation& pass, std::vector<Complex64>& lines, std::vector<Complex64>& image) {
                const Matrix in = put_as(pass.sum.lines, pass.sum.cells, SampleFormat::complex64, lines);
                Matrix out = device->allocate(SampleFormat::complex64, pass.sum.rows, pass.sum.columns);
                plan_of(*device, pass)->run(in, out);
                const Samples got = get(out);
                for (std::size_t i = 0; i < got.size(); ++i)
                    image[i] = {static_cast<float>(got[i].real()), static_cast<float>(got[i].imag())};
            };
    }
};

TEST_P(FactorisedAccumulationOn, HoldsItInASmallImage) {
    EXPECT_LE(measured_db<float>(narrow({.squint_deg = 6, .window = 0.6}), -60, on_device()), -60);
    EXPECT_LE(measured_db<float>({.squint_deg = 6, .columns = 49, .window = 0.6, .nearer = true}, -60, on_device()),
              -60);
}

TEST_P(FactorisedAccumulationOn, TakesHeightsOfSinglePixels) {
    EXPECT_LE(measured_db<float>({.hills_m = 20}, -80, on_device()), -80);
    EXPECT_LE(measured_db<float>({.squint_deg = 6, .window = 0.6, .hills_m = 20}, -60, on_device()), -60);
    EXPECT_LE(measured_db<float>({.columns = 97, .hills_m = 20, .nearer = true}, -60, on_device()), -60);
}

TEST_P(FactorisedAccumulationOn, HoldsTheErrorThatWasChosen) {
    for (const double allowed_db : {-40.0, -60.0, -80.0})
        EXPECT_LE(measured_db<float>(FactorScene{}, allowed_db, on_device()), allowed_db);
    EXPECT_LE(measured_db<float>({.squint_deg = 6, .window = 0.6}, -60, on_device()), -60);
    if (GetParam() == "cpu") return;  // takes a minute
    EXPECT_LE(measured_db<float>({.lines = 5000, .rows = 900, .columns = 700, .fill = 0.95}, -60, on_device()), -60);
}

INSTANTIATE_TEST_SUITE_P(Devices, FactorisedAccumulationOn, ::testing::Values("cpu", "cuda"), device_name);

}  // namespace
}  // namespace cornerturn
