// SPDX-License-Identifier: Apache-2.0
// Phase gradients of single points, made pulse by pulse: no image in between.
#include "pipeline/autofocus/point_echoes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "kernels/math/phasor.h"
#include "pipeline/proof/phase_error.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

const PhaseError some_radians{.quadratic_rad = 6, .sine_rad = 1, .sine_cycles = 5, .walk_rad = 1, .walk_seed = 3};

struct Pulses {
    std::int64_t lines = 500;
    int points = 12;
    double noise = 0.1;  ///< of a point's amplitude
    double lit = 1;      ///< part of the pulses that see a point
};

std::vector<double> even_directions(std::int64_t lines) {
    std::vector<double> directions;
    for (std::int64_t i = 0; i < lines; ++i) directions.push_back(-0.01 * static_cast<double>(i));
    return directions;
}

/// Points up to a cell beside their pixels.
PointEchoes echoes_with(const Pulses& wanted, const std::vector<double>& directions,
                        std::span<const double> phase_rad) {
    PointEchoes echoes;
    set_slots(directions, echoes);
    std::mt19937 random(4);
    std::uniform_real_distribution<double> even(-1, 1);
    std::normal_distribution<double> normal(0, wanted.noise / std::numbers::sqrt2);
    const double way = directions.back() - directions.front();
    for (int point = 0; point < wanted.points; ++point) {
        const double start = even(random), beside_cycles = even(random), middle = 0.5 + 0.4 * even(random);
        auto& lines = echoes.points.emplace_back();
        for (std::size_t i = 0; i < directions.size(); ++i) {
            const double part = (directions[i] - directions.front()) / way,
                         cycles = start + beside_cycles * part + phase_rad[i] / (2 * std::numbers::pi);
            const bool seen = wanted.lit == 1 || std::abs(part - middle) < 0.5 * wanted.lit;
            const Complex128 value = seen ? unit_phasor<double>(cycles) : Complex128{0, 0};
            lines.push_back(
                {static_cast<float>(value.re + normal(random)), static_cast<float>(value.im + normal(random))});
        }
    }
    return echoes;
}

/// Less the line over slots.
double left_of(const PointEchoes& echoes, const PhaseEstimate& found, std::span<const double> truth) {
    std::vector<double> left = echoes.on_slots(truth), weight(left.size());
    const std::vector<double> there = echoes.on_slots(found.phase_rad), told = echoes.on_slots(found.weight);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= there[i], weight[i] = told[i];
    remove_line(left, weight);
    return rms_rad(left, weight);
}

TEST(PointEchoes, TellThePhaseThatTheyShare) {
    const std::vector<double> truth = phases_rad(some_radians, 500);
    const PointEchoes echoes = echoes_with({}, even_directions(500), truth);
    EXPECT_EQ(echoes.slots, 500);
    const PhaseEstimate found = phase_gradient(echoes, 2);
    EXPECT_EQ(found.targets, 12);
    // Noise of twelve points, of which half turns phases, and what is too fast for it: a walk of 0.045 rad a pulse.
    EXPECT_LT(left_of(echoes, found, truth), 0.04);
    EXPECT_LT(entropy(echoes, found.phase_rad, 2), entropy(echoes, std::vector<double>(500), 2) - 1);
}

TEST(PointEchoes, ThatSomePulsesSeeAreJoined) {
    const std::vector<double> truth = phases_rad(some_radians, 500);
    const PointEchoes echoes = echoes_with({.points = 40, .noise = 0.02, .lit = 0.4}, even_directions(500), truth);
    EXPECT_LT(left_of(echoes, phase_gradient(echoes, 2), truth), 0.1);
}

TEST(PointEchoes, LieInSlotsOfDirections) {
    std::vector<double> directions = even_directions(500);
    directions.erase(directions.begin() + 200, directions.begin() + 260);
    for (std::size_t i = 0; i < directions.size(); ++i) directions[i] *= 1 + 1e-4 * static_cast<double>(i);
    const std::vector<double> truth = phases_rad(some_radians, 440);
    const PointEchoes echoes = echoes_with({}, directions, truth);
    EXPECT_GE(echoes.slots, 500);
    EXPECT_EQ(echoes.slot_of_line.front(), 0);
    EXPECT_EQ(echoes.slot_of_line.back(), echoes.slots - 1);
    EXPECT_LT(left_of(echoes, phase_gradient(echoes, 2), truth), 0.04);
}

TEST(PointEchoes, RefuseDirectionsThatTellNothing) {
    PointEchoes echoes;
    std::vector<double> there_and_back = even_directions(100);
    there_and_back.back() = 0;
    expect_refused([&] { set_slots(there_and_back, echoes); }, {"--autofocus", "turn back", "leave it out"});
    std::vector<double> apart = even_directions(100);
    for (std::size_t i = 50; i < 100; ++i) apart[i] -= 100;
    expect_refused([&] { set_slots(apart, echoes); }, {"--autofocus", "missing", "--lines"});
}

}  // namespace
}  // namespace cornerturn
