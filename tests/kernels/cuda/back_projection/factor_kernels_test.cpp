// SPDX-License-Identifier: Apache-2.0
// Kernels of factorised back-projection, in the emulator and on a GPU, against the sum that they stand for.
#include "kernels/cuda/back_projection/factor_kernels.cuh"

#include <gtest/gtest.h>

#include <vector>

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
    EmulatedSum(const FactorisedAccumulation& pass, const std::vector<Complex64>& lines, std::vector<Complex64>& image)
        : pass_(pass), tree_(pass_, 2), lines_(lines) {
        const Factorisation& factors = pass_.factors;
        shift_ = {.terms = {factors.law_terms, factors.column_terms},
                  .weights = {cell_weights_.data(), factors.cell_taps},
                  .rows = {row_weights_.data(), factors.row_taps, factors.step_of(0)},
                  .capacity = FactorShift::capacity_for(factors),
                  .failed = &failed_};
        image_ = {.levels = {},
                  .shift = shift_,
                  .window = view_of(pass_.sum.window, pass_.sum.window.weight.data()),
                  .mesh = view_of(tree_.geometry.pixels),
                  .taken = nullptr,
                  .first_taken = nullptr,
                  .rows = pass_.sum.rows,
                  .columns = pass_.sum.columns,
                  .strip = {},
                  .straight_hz = straight_hz(pass_),
                  .covered_rows = nullptr,
                  .image = image.data()};
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
    using MakeWeights = std::vector<WeightsAndSlopes> (*)(const OptimalInterpolation&, int);
    std::vector<WeightsAndSlopes> weights_of(int taps, std::int64_t per_column, MakeWeights make) const {
        std::vector<WeightsAndSlopes> weights;
        with_taps_for(taps, [&](auto padded) {
            weights = make(OptimalInterpolation(taps, power_between(pass_.range_power, per_column)), padded);
        });
        return weights;
    }
    template <class F>
    void with_size(int taps, const F& f) const {
        with_size_for(taps, pass_.factors.column_terms, f);
    }
    void form(const ColumnStrip& strip) {
        tree_.lay_out(strip);
        for (int l = 0; l < pass_.factors.levels; ++l) {
            tree_.find_laws(l);
            Level& level = levels_[static_cast<std::size_t>(l)];
            level.tables = tables_of(tree_.level_at(l));
            level.view = view_of(level.tables, tree_.level_at(l).step, level.tables.blocks.data(),
                                 level.tables.rows.data(), tree_.level_at(l).merge_laws.data());
            level.nodes.assign(tree_.level_at(l).values / 2, {NAN, NAN});
            if (l == 0) {
                with_size(pass_.factors.line_taps, [&]<int Taps, int Terms>() {
                    run_blocks(LinesOnNodes<Taps, Terms>{level.view,
                                                         shift_.terms,
                                                         {line_weights_.data(), pass_.factors.line_taps},
                                                         lines_.data(),
                                                         pass_.sum.cells,
                                                         level.nodes.data()});
                });
            } else {
                const Level& below = levels_[static_cast<std::size_t>(l - 1)];
                with_size(shift_.weights.taps, [&]<int Taps, int Terms>() {
                    run_blocks(MergedBlocks<Taps, Terms>{below.view, level.view, shift_, pass_.factors.merged,
                                                         below.nodes.data(), level.nodes.data()});
                });
            }
        }
        tree_.find_image_laws();
        for (int l = 0; l < pass_.factors.levels; ++l) {
            Level& level = levels_[static_cast<std::size_t>(l)];
            level.view.image_laws = tree_.level_at(l).image_laws.data();
            image_.levels[l] = {level.view, level.nodes.data()};
        }
        const TakenBlocks taken = taken_blocks(tree_, strip);
        image_.taken = taken.taken.data();
        image_.first_taken = taken.first.data();
        image_.strip = strip;
        with_size(shift_.weights.taps, [&]<int Taps, int Terms>() { run_blocks(ImageOfBlocks<Taps, Terms>{image_}); });
    }

    const FactorisedAccumulation pass_;
    FactorTree tree_;
    const std::vector<Complex64>& lines_;
    const std::vector<WeightsAndSlopes> line_weights_ = weights_of(pass_.factors.line_taps, pass_.cells_per_column,
                                                                   weights_from_even_cells),
                                        cell_weights_ = weights_of(pass_.factors.cell_taps,
                                                                   pass_.factors.nodes_per_column, weights_and_slopes);
    const std::vector<float> row_weights_ = row_weights<float>(pass_.factors);
    std::vector<Level> levels_;
    int failed_ = 0;
    FactorShift shift_{};
    BlocksOfPixels image_{};
};

void emulated(const FactorisedAccumulation& pass, std::vector<Complex64>& lines, std::vector<Complex64>& image) {
    EXPECT_FALSE(EmulatedSum(pass, lines, image).failed());
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
    const FactorLevelView level{&of, rows.data(), nullptr, nullptr, 1, 2, 20, 1};
    const std::vector<float> weights(2 * RowBlend::moments, 1.0f);
    const std::vector<Complex64> nodes(64);
    const RowBlend blend{weights.data(), 2, 1};
    Emulator(32, 1).run(1, [&](const EmulatedBlock& block) {
        auto& shared = block.shared<RowBlend::Shared>();
        const auto is_whole = [&](std::int64_t row, IndexRange cells) {
            block.sync();
            for (int i = block.thread().x; i < blend.items(); i += block.threads())
                blend.put(shared, i, level, of, nodes.data(), row, cells);
            block.sync();
            return blend.is_whole(shared);
        };
        EXPECT_TRUE(is_whole(0, {10, 30}));
        EXPECT_FALSE(is_whole(0, {9, 30}));
        EXPECT_FALSE(is_whole(0, {10, 31}));
        EXPECT_FALSE(is_whole(1, {10, 30}));
    });
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
