// SPDX-License-Identifier: Apache-2.0
// The sweeps between the transforms of the plain chain, in the emulator: the very bodies that run on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/cuda/plain/complete_columns.cuh"
#include "kernels/cuda/plain/echo_rows.cuh"
#include "kernels/cuda/plain/rows.cuh"
#include "kernels/passes/phase_correction.h"
#include "kernels/passes/range_compression.h"
#include "kernels/passes/tables.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/guarded.h"

namespace cornerturn {
namespace {

/// Rows for two pieces across and one more band than is whole; a length for one lane and one for two.
constexpr std::int64_t rows = 7, odd_length = 601, even_length = 620;

Complex64 number(std::int64_t i) { return {static_cast<float>(i % 1009 + 1), static_cast<float>(-(i % 997))}; }

bool same(Complex64 a, Complex64 b) { return a.re == b.re && a.im == b.im; }

/// As SweepBlock on a GPU.
struct EmulatedSweepBlock : EmulatedBlock {
    using EmulatedBlock::put;
    void put(Complex64* to, Complex64 first, Complex64 second) const {
        if (reinterpret_cast<std::uintptr_t>(to) % (2 * sizeof first) != 0)
            throw std::logic_error("a write that is not aligned");
        to[0] = first;
        to[1] = second;
    }
};

template <class Body>
void emulate_rows(const Body& body) {
    Emulator(Body::threads, 1).run(body.blocks(), [&](const EmulatedBlock& block) {
        body.run(EmulatedSweepBlock{block});
    });
}

/// Runs a sweep and compares with expected(row, column).
template <class Op, class Expected>
void expect_swept(const Op& op, Guarded<Complex64>& out, std::int64_t row_count, std::int64_t columns,
                  std::int64_t pitch, const Expected& expected) {
    emulate_rows(RowSweep<Op>{op, row_count, columns});
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row < row_count; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            wrong += !same(out.data()[row * pitch + column], expected(row, column));
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(out.guards_untouched());
}

std::vector<Complex64> numbers(std::int64_t count) {
    std::vector<Complex64> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(number(i));
    return all;
}

TEST(PlainRows, TwoLanesWhereAllRowsAreEven) {
    with_lanes({2, 600}, [](auto lanes) { EXPECT_EQ(lanes(), 2); });
    with_lanes({2, 601}, [](auto lanes) { EXPECT_EQ(lanes(), 1); });
}

TEST(PlainRows, CopiedIntoLongerAndShorterOnes) {
    for (const auto& [from, to] :
         {std::pair{odd_length, even_length}, {even_length, odd_length}, {even_length, even_length + 8}})
        with_lanes({from, to}, [&, from = from, to = to](auto lanes) {
            SCOPED_TRACE(testing::Message() << from << " to " << to << ", " << lanes() << " lanes");
            Guarded<Complex64> in(rows * from), out(rows * to);
            for (std::int64_t i = 0; i < rows * from; ++i) in.data()[i] = number(i);
            expect_swept(CopyRows<lanes>{in.data(), from, out.data(), to}, out, rows, to, to,
                         [&](std::int64_t row, std::int64_t column) {
                             return column < from ? number(row * from + column) : Complex64{0, 0};
                         });
        });
}

TEST(PlainRows, FilteredInPlace) {
    for (const std::int64_t length : {odd_length, even_length})
        with_lanes({length}, [&](auto lanes) {
            using Hooks = RangeCompressionHooks<float>;
            const std::vector<Complex64> response = numbers(length);
            Guarded<Complex64> spectra(rows * length);
            for (std::int64_t i = 0; i < rows * length; ++i) spectra.data()[i] = number(i);
            expect_swept(FilterRows<Hooks, lanes>{{.response = response.data()}, 0, length, spectra.data()}, spectra,
                         rows, length, length,
                         [&](std::int64_t row, std::int64_t bin) { return number(row * length + bin) * number(bin); });
        });
}

TEST(PlainRows, FilteredIntoLongerSpectra) {
    for (const std::int64_t length : {odd_length, even_length, even_length + 2})
        for (const std::int64_t factor : {2, 4}) {
            const LineShape shape{
                .lines = rows, .in = length, .fft_length = length, .out = length, .inverse_length = factor * length};
            with_lanes({length, shape.inverse(), shape.bins_from_zero()}, [&](auto lanes) {
                SCOPED_TRACE(testing::Message() << length << " times " << factor << ", " << lanes() << " lanes");
                using Hooks = RangeCompressionHooks<float>;
                const std::vector<Complex64> response = numbers(length), spectra = numbers(rows * length);
                Guarded<Complex64> wide(rows * factor * length);
                expect_swept(
                    WidenRows<Hooks, lanes>{{.response = response.data()}, shape, 0, spectra.data(), wide.data()}, wide,
                    rows, factor * length, factor * length, [&](std::int64_t row, std::int64_t bin) {
                        const std::int64_t middle = (length + 1) / 2, from_end = factor * length - bin;
                        const std::int64_t from = bin < middle ? bin : length - from_end;
                        const bool inside = bin < middle || from_end <= length - middle;
                        return inside ? number(row * length + from) * number(from) : Complex64{0, 0};
                    });
            });
        }
}

template <class Component>
void expect_decoded(const std::vector<Stored<Component>>& echo, std::int64_t samples, std::int64_t length) {
    SCOPED_TRACE(testing::Message() << samples << " samples, length " << length << ", component of "
                                    << sizeof(Component) << " bytes");
    constexpr std::int64_t lines = 5, first_line = 3;  // two rows of the transform are without a line
    std::vector<float> gains;
    std::vector<Interval> valid;
    for (std::int32_t line = 0; line < first_line + lines; ++line) {
        gains.push_back(static_cast<float>(line));
        valid.push_back({line, 100 + line});
        valid.push_back({200, static_cast<std::int32_t>(samples) - line % 2});
    }
    const EchoReader<float, Component> reader{.samples = echo.data(),
                                              .first_line = first_line,
                                              .samples_per_line = samples,
                                              .line_gain = gains.data(),
                                              .valid_samples = valid.data(),
                                              .intervals_per_line = 2};
    with_lanes({samples, length}, [&](auto lanes) {
        Guarded<Complex64> out(rows * length);
        expect_swept(LoadEcho<Component, lanes>{reader, first_line, lines, samples, length, out.data()}, out, rows,
                     length, length, [&](std::int64_t row, std::int64_t sample) {
                         return row < lines && sample < samples ? reader(first_line + row, sample) : Complex64{0, 0};
                     });
    });
}

TEST(PlainRows, DecodedWithZerosBehindAndForWhatIsNoNumber) {
    for (const std::int64_t samples : {odd_length, even_length}) {
        std::vector<Stored<float>> floats;
        std::vector<Stored<std::int8_t>> bytes;
        for (std::int64_t i = 0; i < rows * samples; ++i) {
            floats.push_back({number(i).re, number(i).im});
            bytes.push_back({static_cast<std::int8_t>(i % 251 - 125), static_cast<std::int8_t>(i % 127)});
        }
        floats[static_cast<std::size_t>(samples) + 50].re = std::numeric_limits<float>::quiet_NaN();
        floats[static_cast<std::size_t>(samples) + 51].im = std::numeric_limits<float>::infinity();
        for (const std::int64_t length : {samples, samples + 20}) {
            expect_decoded(floats, samples, length);
            expect_decoded(bytes, samples, length);
        }
    }
}

struct Columns {
    AzimuthCompression pass;
    AzimuthCompressionHooks hooks;

    Columns(std::int64_t length, std::int64_t image_rows) {
        pass.fft_length = length;
        pass.image_rows = image_rows;
        pass.columns = rows;
        const auto end = static_cast<std::int32_t>(image_rows);
        pass.covered_rows = {{0, end}, {3, end}, {0, end - 5}, {7, 301}, {10, 10}, {0, 0}, {end, end}};
        hooks = pass.hooks(HostTables{});
    }
    Complex64 expected(std::int64_t column, std::int64_t image_row) const {
        if (!hooks.store(column).covers(image_row)) return {0, 0};
        return number(column * pass.fft_length + image_row % pass.fft_length);
    }
};

TEST(PlainRows, ImageRowsTakenFromABuffer) {
    for (const auto& [length, image_rows] :
         {std::pair{odd_length, 500}, {even_length, 500}, {even_length, 513}, {300, 620}})
        with_lanes({length, image_rows}, [&, length = length, image_rows = image_rows](auto lanes) {
            const Columns columns(length, image_rows);
            const std::vector<Complex64> buffer = numbers(rows * length);
            Guarded<Complex64> out(rows * image_rows);
            expect_swept(StoreLines<AzimuthCompressionHooks, lanes>{columns.hooks, columns.pass.shape(), buffer.data(),
                                                                    0, out.data()},
                         out, rows, image_rows, image_rows,
                         [&](std::int64_t column, std::int64_t row) { return columns.expected(column, row); });
        });
}

/// By quarters of a cycle, so that nothing is rounded.
TEST(PlainRows, PhaseCorrectedOnTheirWayAndInPlace) {
    constexpr std::int64_t first_line = 33;
    PhaseCorrection pass{
        .lines = 100, .samples = 0, .cycles = {40, 64, 256, 256, {{0.25, 64, 16384}, {16, 4096}, {1024}}}};
    for (int line = 0; line < pass.lines; ++line) pass.line_cycles.push_back(0.25 * (line % 7));
    const auto turned = [&](std::int64_t row, std::int64_t sample) {
        const std::int64_t x = first_line + row - 40, y = sample - 256,
                           quarters = 1 + y + y * y + x + x * y + x * x + (first_line + row) % 7;
        const Complex64 turn[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        return number(row * pass.samples + sample) * turn[((quarters % 4) + 4) % 4];
    };
    for (const std::int64_t length : {odd_length, even_length, std::int64_t{1}})
        with_lanes({length}, [&](auto lanes) {
            pass.samples = length;
            using Hooks = PhaseCorrectionHooks<float>;
            const Hooks hooks = pass.hooks<float>(HostTables{});
            const std::vector<Complex64> in = numbers(rows * length);
            Guarded<Complex64> out(rows * length), place(rows * length);
            expect_swept(StoreLines<Hooks, lanes>{hooks, pass.shape(), in.data(), first_line, out.data()}, out, rows,
                         length, length, turned);
            std::copy(in.begin(), in.end(), place.data());
            expect_swept(StoreLines<Hooks, lanes>{hooks, pass.shape(), place.data(), first_line, place.data()}, place,
                         rows, length, length, turned);
        });
}

TEST(PlainRows, ColumnsCompletedWhereTheyLie) {
    for (const auto& [length, image_rows] : {std::pair{600, 600}, {600, 601}, {300, 620}, {250, 920}}) {
        SCOPED_TRACE(testing::Message() << length << " of " << image_rows);
        const Columns columns(length, image_rows);
        Guarded<Complex64> out(rows * image_rows);
        for (std::int64_t column = 0; column < rows; ++column)
            for (std::int64_t n = 0; n < length; ++n) out.data()[column * image_rows + n] = number(column * length + n);
        emulate_rows(CompleteColumns{columns.hooks, rows, out.data()});
        std::int64_t wrong = 0;
        for (std::int64_t column = 0; column < rows; ++column)
            for (std::int64_t row = 0; row < image_rows; ++row)
                wrong += !same(out.data()[column * image_rows + row], columns.expected(column, row));
        EXPECT_EQ(wrong, 0);
        EXPECT_TRUE(out.guards_untouched());
    }
}

TEST(PlainRows, NothingToCompleteWhereAllIsCovered) {
    Columns columns(600, 600);
    EXPECT_FALSE(complete(columns.pass));
    columns.pass.covered_rows.assign(7, {0, 600});
    EXPECT_TRUE(complete(columns.pass));
    columns.pass.covered_rows[3].last = 599;
    EXPECT_FALSE(complete(columns.pass));
    columns.pass.covered_rows[3].last = 600;
    columns.pass.fft_length = 599;
    EXPECT_FALSE(complete(columns.pass)) << "wraps around";
}

}  // namespace
}  // namespace cornerturn
