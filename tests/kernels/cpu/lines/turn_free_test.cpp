// SPDX-License-Identifier: Apache-2.0
// Azimuth processing of strips of columns, in place and apart, gives the bits of corner turns with lines between them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "kernels/cpu/lines/gather_strips.h"
#include "kernels/device/device.h"
#include "kernels/device/resident_matrices.h"
#include "kernels/errors.h"
#include "kernels/steps/steps.h"
#include "tests/kernels/migration_passes.h"

namespace cornerturn {
namespace {

std::vector<Complex64> echo_of(std::int64_t count) {
    std::vector<Complex64> samples(static_cast<std::size_t>(count));
    std::uint32_t state = 1;
    for (Complex64& s : samples) {
        const auto next = [&] { return static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) - 8e6f; };
        s = {next(), next()};
    }
    return samples;
}

Algorithm alone(const Steps& steps) {
    return {.least = {}, .steps = [steps](const FftLengths&) { return steps; }};
}

/// Step by step, each into the place that it asks for, from memory in which nothing may be taken for a sample.
std::vector<Complex64> run_by(Device& device, const Steps& steps, Chain chain, const std::vector<Complex64>& in,
                              bool apart = false) {
    const Lowered lowered = device.lower(alone(steps), {.chain = chain, .fft_lengths = FftLengths{1, 1}});
    const WorkShape shape = shape_of(steps.front().work);
    const auto unused = [&](std::int64_t samples) {
        Matrix matrix = device.allocate(SampleFormat::complex64, 1, samples);
        std::memset(matrix.storage.get(), 0xff, matrix.bytes());  // not a number
        return matrix;
    };
    Matrix at = unused(std::max(shape.in_samples(), lowered.steps.front().room_samples));
    at = at.reshaped(shape.in_rows, shape.in_columns);
    std::memcpy(at.storage.get(), in.data(), at.bytes());
    for (const LoweredStep& step : lowered.steps) {
        Matrix out = step.in_place && !apart ? at : unused(step.result_rows * step.result_columns);
        out = out.reshaped(step.result_rows, step.result_columns);
        step.plan->run(at, out);
        at = out;
    }
    const auto* samples = at.data<Complex64>();
    return {samples, samples + at.rows * at.columns};
}

bool same_bits(const std::vector<Complex64>& a, const std::vector<Complex64>& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](auto x, auto y) { return x.re == y.re && x.im == y.im; });
}

enum class Between { compression, spectrum_and_compression };

Steps compression_of(const HyperbolicGather& gather, std::int64_t lines, Between between) {
    const bool spectrum = between == Between::spectrum_and_compression;
    Steps steps{{"corner_turn", "", "", CornerTurn{spectrum ? lines : gather.fft_length, gather.input_cells}}};
    if (spectrum)
        steps.push_back({"azimuth_spectrum", "", "", AzimuthSpectrum{gather.input_cells, lines, gather.fft_length}});
    steps.push_back({"azimuth_compression", "", "", gather.pass()});
    steps.push_back({"image", "", "", CornerTurn{gather.columns, gather.image_rows}});
    return steps;
}

void expect_same(const Steps& steps, std::int64_t samples) {
    const std::vector<Complex64> in = echo_of(samples);
    for (const int threads : {1, 3}) {
        const auto device = open_device("cpu", threads);
        const std::vector<Complex64> plain = run_by(*device, steps, Chain::plain, in);
        EXPECT_TRUE(same_bits(run_by(*device, steps, Chain::turn_free, in), plain)) << threads << " threads";
        EXPECT_TRUE(same_bits(run_by(*device, steps, Chain::turn_free, in, true), plain)) << threads << ", apart";
    }
}

/// Several strips and less than one, a window that goes around, rows beyond the transform, cells beside the swath.
TEST(TurnFreeOnCpu, CompressionGivesTheBitsOfCornerTurns) {
    for (const std::int64_t cells : {20, 33, 500, 901})
        for (const double centroid_hz : {0.0, -2300.0})
            for (const Between between : {Between::compression, Between::spectrum_and_compression}) {
                SCOPED_TRACE(testing::Message() << cells << " cells, " << centroid_hz << " Hz");
                constexpr std::int64_t length = 330, lines = 257;
                const HyperbolicGather gather = azimuth_pass(16, length, cells, centroid_hz);
                expect_same(compression_of(gather, lines, between),
                            (between == Between::compression ? length : lines) * cells);
            }
}

TEST(TurnFreeOnCpu, AnImageWiderThanTheEchoLiesApart) {
    HyperbolicGather gather = azimuth_pass(8, 330, 400, 0);
    gather.input_cells = 301;
    const Steps steps = compression_of(gather, 257, Between::spectrum_and_compression);
    const auto device = open_device("cpu", 2);
    EXPECT_FALSE(device->lower(alone(steps), {.chain = Chain::turn_free, .fft_lengths = FftLengths{1, 1}})
                     .steps.front()
                     .in_place);
    expect_same(steps, 257 * 301);
}

TEST(TurnFreeOnCpu, TransformsGiveTheBitsOfCornerTurns) {
    constexpr std::int64_t lines = 257, length = 330, rows = 341;
    for (const std::int64_t columns : {1, 31, 33, 200}) {
        SCOPED_TRACE(columns);
        std::vector<Interval> covered;
        for (std::int32_t i = 0; i < columns; ++i) covered.push_back({i % 5, static_cast<std::int32_t>(rows) - i % 3});
        expect_same({{"corner_turn", "", "", CornerTurn{lines, columns}},
                     {"azimuth_spectrum", "", "", AzimuthSpectrum{columns, lines, length}},
                     {"turn", "", "", CornerTurn{columns, length}}},
                    lines * columns);
        expect_same({{"corner_turn", "", "", CornerTurn{length, columns}},
                     {"azimuth_image", "", "", AzimuthImage{columns, length, rows, covered}},
                     {"image", "", "", CornerTurn{columns, rows}}},
                    length * columns);
    }
}

/// One matrix instead of two, with the strips: of an echo that comes in few lines at a time.
TEST(TurnFreeOnCpu, TakesHalfTheMemory) {
    constexpr std::int64_t lines = 3000, length = 3240;
    const HyperbolicGather gather = azimuth_pass(8, length, 3000, 0);
    const Algorithm algorithm = alone(compression_of(gather, lines, Between::spectrum_and_compression));
    const auto device = open_device("cpu", 2);
    const auto bytes = [&](std::optional<Chain> chain) {
        return static_cast<double>(
            device->probe(algorithm, {.chain = chain, .fft_lengths = FftLengths{1, 1}, .block_lines = 10})
                .memory_bytes);
    };
    EXPECT_EQ(bytes({}), bytes(Chain::plain)) << "as it is small";
    EXPECT_LT(bytes(Chain::turn_free), 0.65 * bytes(Chain::plain));
    const Lowered lowered = device->lower(algorithm, {.chain = Chain::turn_free, .fft_lengths = FftLengths{1, 1}});
    EXPECT_EQ(storage_bytes(lowered.steps)[1], 0u);
}

/// Cells are read over nearly the whole swath: a window over them would be no smaller than a matrix.
TEST(TurnFreeOnCpu, IsLeftAloneWhereMigrationIsSteep) {
    const auto plan = [](std::int64_t length) {
        HyperbolicGather gather = near_pass(8, length, 600, 20e3, 1.5);
        gather.carrier_hz = 1e9;
        return gather;
    };
    const HyperbolicGather large = plan(1 << 17);
    const GatherStrips strips = gather_strips(large.pass(), strip_columns(1));
    ASSERT_GT(2 * strips.window, large.input_cells + 2 * strip_columns(1)) << "or this tests nothing";
    const Algorithm algorithm = alone(compression_of(large, 1 << 17, Between::spectrum_and_compression));
    const auto device = open_device("cpu", 1);
    EXPECT_EQ(device->probe(algorithm, {.fft_lengths = FftLengths{1, 1}}).chain, Chain::plain);
    expect_same(compression_of(plan(256), 200, Between::spectrum_and_compression), 200 * 600);
}

TEST(TurnFreeOnCpu, IsNotWhatAReferenceDoesByItself) {
    const Algorithm algorithm =
        alone(compression_of(azimuth_pass(8, 4096, 33000, 0), 4080, Between::spectrum_and_compression));
    EXPECT_EQ(open_device("cpu-double")->probe(algorithm, {.fft_lengths = FftLengths{1, 1}}).chain, Chain::plain);
    EXPECT_EQ(open_device("cpu")->probe(algorithm, {.fft_lengths = FftLengths{1, 1}}).chain, Chain::turn_free);
    EXPECT_EQ(open_device("cpu")
                  ->probe(algorithm, {.fft_lengths = FftLengths{1, 1}, .corner_turn = CornerTurnVariant::naive})
                  .chain,
              Chain::plain)
        << "a corner turn was asked for";
    EXPECT_THROW(open_device("cpu")->probe(alone({{"corner_turn", "", "", CornerTurn{5, 7}}}),
                                           {.chain = Chain::turn_free, .fft_lengths = FftLengths{1, 1}}),
                 Unsupported);
}

/// What a strip leaves may lie where cells were that nobody reads any more.
TEST(GatherStrips, RunBehindTheCellsThatTheyRead) {
    for (const double centroid_hz : {0.0, -2300.0}) {
        const AzimuthCompression pass = azimuth_pass(16, 330, 901, centroid_hz).pass();
        const GatherStrips made = gather_strips(pass, 64);
        const AzimuthCompressionHooks hooks = pass.hooks(HostTables{});
        std::int64_t column = 0, first_cell = 0, last_cell = 0;
        for (const GatherStrips::Strip& strip : made.strips) {
            EXPECT_EQ(strip.first_column, column);
            EXPECT_GE(strip.first_cell, first_cell);
            EXPECT_GE(strip.last_cell, std::max(last_cell, std::min(strip.last_column, pass.input_cells)));
            EXPECT_LE(strip.last_cell, pass.input_cells);
            EXPECT_LE(strip.last_cell - strip.first_cell, made.window);
            for (; column < strip.last_column; ++column)
                for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) {
                    if (!(hooks.weight_at(column, bin) > 0)) continue;
                    const auto cell = static_cast<std::int64_t>(
                        std::floor(hooks.law(column, hooks.frequency_hz(column, bin)).position_cells));
                    ASSERT_TRUE(cell + 8 < 0 || strip.first_cell <= std::max<std::int64_t>(cell - 7, 0)) << column;
                    ASSERT_TRUE(cell - 7 >= pass.input_cells || strip.last_cell >= std::min(cell + 9, pass.input_cells))
                        << column;
                }
            first_cell = strip.first_cell;
            last_cell = strip.last_cell;
        }
        EXPECT_EQ(column, pass.columns);
    }
}

}  // namespace
}  // namespace cornerturn
