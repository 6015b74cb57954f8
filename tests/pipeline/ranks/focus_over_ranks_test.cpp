// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/focus_over_ranks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <limits>

#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/ranks/settled_plan.h"
#include "tests/pipeline/kept_frames.h"
#include "tests/pipeline/ranks/thread_ranks.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

FocusSetup setup_of(std::int64_t rows, std::int64_t overlap, std::int64_t block_rows) {
    FocusSetup setup;
    setup.image.grid.rows = rows;
    setup.image.lines = {.before = overlap / 2, .behind = overlap - overlap / 2};
    for (std::int64_t row = 0; row < rows; row += block_rows)
        setup.memory.blocks.push_back({.first_row = row,
                                       .rows = std::min(block_rows, rows - row),
                                       .first_line = 0,
                                       .lines = rows,
                                       .at_edge = true});
    return setup;
}

TEST(SettledPlan, IsCutSoThatAllRanksAreBusyAndOverlapsStaySmall) {
    const std::vector<FocusSetup> whole{setup_of(4000, 800, 4000)};
    EXPECT_EQ(shared_block_rows(whole, 1), std::vector<std::int64_t>{4000});
    EXPECT_EQ(shared_block_rows(whole, 2), std::vector<std::int64_t>{2000}) << "four blocks of 1000 would read more";
    EXPECT_EQ(shared_block_rows(whole, 3), std::vector<std::int64_t>{1334});
    EXPECT_EQ(shared_block_rows(whole, 1000), std::vector<std::int64_t>{200}) << "a quarter of the overlap";
    const std::vector<FocusSetup> two{setup_of(4000, 800, 4000), setup_of(4000, 800, 4000)};
    EXPECT_EQ(shared_block_rows(two, 2), (std::vector<std::int64_t>{4000, 4000})) << "a frame each";
    const std::vector<FocusSetup> short_of_memory{setup_of(4000, 100, 300)};
    EXPECT_EQ(shared_block_rows(short_of_memory, 2), std::vector<std::int64_t>{286})
        << "fourteen blocks, not thirteen and a rest";
}

TEST(SettledPlan, PassesOnAsBytes) {
    SettledPlan plan;
    plan.block_rows = {7, 9};
    plan.part_pulses = {0, 11};
    plan.rows_there = {7, 0};
    plan.chain = Chain::fused;
    plan.devices = "cuda";
    plan.digest = 0x123456789abcdef0;
    const SettledPlan same = settled_plan(as_bytes(plan));
    EXPECT_EQ(as_bytes(same), as_bytes(plan));
    EXPECT_EQ(same.rows_there, plan.rows_there);
    EXPECT_EQ(same.part_pulses, plan.part_pulses);
    EXPECT_EQ(same.digest, plan.digest);
    DataEstimates estimates;
    estimates.doppler = {
        .baseband_hz = -12.5, .absolute_hz = 1e4 / 3, .cells = {{.time_s = 1, .lag1 = {2, 3}}}, .walk_hz = {}};
    estimates.velocity = {.velocity_m_s = 7123.4, .orbit_velocity_m_s = 7000.1};
    const DataEstimates same_estimates = data_estimates(as_bytes(estimates));
    EXPECT_EQ(as_bytes(same_estimates), as_bytes(estimates));
    EXPECT_EQ(same_estimates.doppler->absolute_hz, 1e4 / 3);
    EXPECT_EQ(same_estimates.doppler->cells.at(0).lag1, std::complex<double>(2, 3));
    EXPECT_EQ(same_estimates.velocity->orbit_velocity_m_s, 7000.1);
}

/// Two frames of an odd size, without a Doppler centroid: it comes from the data of the first.
class FocusOverRanks : public testing::Test {
protected:
    FocusOverRanks() {
        for (const char* polarization : {"HH", "HV"}) echoes.push_back(echo_of(731, polarization));
    }

    static Echo echo_of(std::int64_t lines, const char* polarization) {
        Scene scene = small_scene(lines, 203);
        scene.sample_type = SampleFormat::complex64;
        scene.targets = {{SceneTarget{BeamCentrePosition{350.3, 100.4}, 2.0, 40.0},
                          SceneTarget{BeamCentrePosition{200.1, 60.2}, 1.0, 0.0}}};
        Echo echo = simulate(scene);
        echo.acquisition.polarization = polarization;
        echo.acquisition.doppler_centroid_hz.reset();
        return echo;
    }

    SharedReports focus(int ranks, const FocusOptions& options, KeptFrames& images) {
        SharedReports of_first;
        on_ranks(ranks, [&](Ranks& own) {
            const auto device = open_device("cpu", 1);
            std::vector<EchoInMemory> sources(echoes.begin(), echoes.end());
            std::vector<EchoSource*> frames;
            for (EchoInMemory& source : sources) frames.push_back(&source);
            const GatheredJob gathered{.file = images, .planned = [](std::span<const FocusSetup> setups) {
                                           return std::vector<std::int64_t>(setups.size());
                                       }};
            SharedReports reports = focus_over_ranks(own, *device, frames, options, own.leads() ? &gathered : nullptr);
            if (own.leads()) of_first = std::move(reports);
        });
        return of_first;
    }

    std::vector<Echo> echoes;
};

TEST_F(FocusOverRanks, AnyNumberMakesTheSameImageOfTheSameBlocks) {
    // Not finite where blocks overlap: counted once.
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t line : {10, 300, 301, 500, 730})
        std::memcpy(echoes[1].samples.data() + (line * 203 + 7) * 8, &nan, 4);
    FocusOptions options;
    options.memory.block_rows = 100;
    KeptFrames alone;
    const SharedReports of_one = focus(1, options, alone);
    ASSERT_EQ(of_one.frames.size(), 2u);
    EXPECT_EQ(of_one.frames[1].setup.memory.blocks.front().rows, 100);
    EXPECT_EQ(of_one.frames[1].non_finite_samples, 5);
    for (const int ranks : {3, 7}) {
        KeptFrames images;
        const SharedReports reports = focus(ranks, options, images);
        ASSERT_EQ(images.frames.size(), 2u);
        for (std::size_t f = 0; f < 2; ++f) {
            const auto &one = alone.frames[f].image.samples, &many = images.frames[f].image.samples;
            ASSERT_EQ(one.size(), many.size());
            EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof one[0]), 0)
                << "image " << f << " of " << ranks << " ranks";
            EXPECT_EQ(reports.frames[f].setup.doppler.source, of_one.frames[f].setup.doppler.source);
        }
        EXPECT_EQ(reports.frames[1].non_finite_samples, 5) << ranks;
        EXPECT_EQ(reports.frames[1].warnings, of_one.frames[1].warnings);
        ASSERT_EQ(reports.ranks.size(), static_cast<std::size_t>(ranks));
        std::int64_t blocks = 0;
        for (const RankWork& rank : reports.ranks) blocks += rank.blocks;
        EXPECT_EQ(blocks, static_cast<std::int64_t>(2 * of_one.frames[0].setup.memory.blocks.size()));
    }
}

/// So long that blocks overlap by little of it.
TEST_F(FocusOverRanks, OneBlockIsCutAndStaysTheImage) {
    echoes = {echo_of(5331, "HH")};
    KeptFrames alone, shared;
    focus(1, {}, alone);
    const SharedReports reports = focus(3, {}, shared);
    EXPECT_GE(reports.frames[0].setup.memory.blocks.size(), 3u);
    const auto &one = alone.frames[0].image.samples, &many = shared.frames[0].image.samples;
    ASSERT_EQ(one.size(), many.size());
    double error = 0, energy = 0;
    for (std::size_t i = 0; i < one.size(); ++i) error += std::norm(one[i] - many[i]), energy += std::norm(one[i]);
    EXPECT_LT(10 * std::log10(error / energy), -100) << "dB: other lengths of transforms round otherwise";
}

/// One rank's echo is another file.
TEST_F(FocusOverRanks, RanksThatPlanOtherwiseAreRefused) {
    std::atomic<int> refused{0};
    KeptFrames images;
    on_ranks(3, [&](Ranks& own) {
        const auto device = open_device("cpu", 1);
        Echo echo = echoes[0];
        if (own.rank() == 1) echo.acquisition.near_range_m += 1;
        EchoInMemory source(echo);
        EchoSource* const frame = &source;
        const GatheredJob gathered{.file = images,
                                   .planned = [](auto setups) { return std::vector<std::int64_t>(setups.size()); }};
        try {
            focus_over_ranks(own, *device, std::span(&frame, 1), {}, own.leads() ? &gathered : nullptr);
        } catch (const InputError& error) {
            expect_in(error.what(), "rank 1 (here): plans this job otherwise");
            ++refused;
        }
    });
    EXPECT_EQ(refused, 3);
    EXPECT_TRUE(images.frames.empty());
}

/// Of which lines cannot be read on one rank.
class BrokenEcho final : public EchoSource {
public:
    explicit BrokenEcho(const Echo& echo) : echo_(echo) {}
    const Acquisition& acquisition() const override { return echo_.acquisition(); }
    void read(std::int64_t, std::int64_t, std::span<std::byte>) override {
        throw DeviceError("raw.h5: cannot be read");
    }

private:
    EchoInMemory echo_;
};

TEST_F(FocusOverRanks, AFailureOnOneRankIsThatOfAll) {
    std::atomic<int> failed{0};
    KeptFrames images;
    on_ranks(3, [&](Ranks& own) {
        const auto device = open_device("cpu", 1);
        EchoInMemory good(echoes[0]);
        BrokenEcho broken(echoes[0]);
        EchoSource* const frame = own.rank() == 2 ? static_cast<EchoSource*>(&broken) : &good;
        const GatheredJob gathered{.file = images,
                                   .planned = [](auto setups) { return std::vector<std::int64_t>(setups.size()); }};
        try {
            focus_over_ranks(own, *device, std::span(&frame, 1), {}, own.leads() ? &gathered : nullptr);
        } catch (const DeviceError& error) {
            EXPECT_STREQ(error.what(), "rank 2 (here): raw.h5: cannot be read");
            ++failed;
        }
    });
    EXPECT_EQ(failed, 3);
    EXPECT_FALSE(stop_requested()) << "the job is over";
    KeptFrames next;
    focus(2, {}, next);
    EXPECT_EQ(next.frames.size(), 2u);
}

}  // namespace
}  // namespace cornerturn
