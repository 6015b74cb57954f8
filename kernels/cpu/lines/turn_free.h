// SPDX-License-Identifier: Apache-2.0
// What lies between two corner turns, on the CPU without these: columns of the matrix become lines strip by strip, and
// those of the result take their place.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/lines/corner_turn.h"
#include "kernels/cpu/lines/gather_walker.h"
#include "kernels/passes/azimuth_image.h"
#include "kernels/passes/azimuth_spectrum.h"

namespace cornerturn {

/// Columns whose azimuth transforms a thread takes at a time: of each row a few cache lines.
inline constexpr std::int64_t transformed_columns = 32;

/// Bytes of the lines that turn-free plans of `threads` work in.
struct StripBytes {
    std::size_t sample;
    int threads;

    std::size_t of_transform(const LineShape& shape) const {
        return of_lines(threads * transformed_columns, shape.in) + of_lines(threads * transformed_columns, shape.out);
    }
    std::size_t of_compression(const AzimuthCompression& pass, const GatherStrips& strips) const {
        return of_lines(threads * gathered_at_a_time, pass.fft_length + pass.image_rows) +
               of_lines(strips.window, pass.fft_length);
    }

private:
    std::size_t of_lines(std::int64_t lines, std::int64_t length) const {
        return static_cast<std::size_t>(lines * aligned_pitch(length)) * sample;
    }
};

/// Moves the rows of a packed matrix closer together, so many at a time as leave those behind them alone.
template <class T>
void pack_rows(T* matrix, std::int64_t rows, std::int64_t from_pitch, std::int64_t to_pitch, int threads) {
    for (std::int64_t first = 1, last = 1; first < rows; first = last) {
        last = std::clamp(first * from_pitch / to_pitch, first + 1, rows);
        for_each_line(last - first, threads, [=](std::int64_t i) {
            const T* row = matrix + (first + i) * from_pitch;
            std::memmove(matrix + (first + i) * to_pitch, row, static_cast<std::size_t>(to_pitch) * sizeof(T));
        });
    }
}

/// An azimuth transform between two corner turns, of which each thread takes some columns. in: rows x columns; out,
/// which may be in the same place: as many columns.
template <class Real, class Pass>
class StripTransform final : public StepPlan {
public:
    StripTransform(const Pass& pass, int threads)
        : shape_(pass.shape()),
          walker_(pass, threads),
          in_(threads, transformed_columns * aligned_pitch(shape_.in)),
          out_(threads, transformed_columns * aligned_pitch(shape_.out)) {}

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, native_format<Real>, shape_.in, shape_.lines, std::string(Pass::title) + ": the input");
        require_matrix(out, native_format<Real>, shape_.out, shape_.lines, std::string(Pass::title) + ": the output");
        const std::int64_t in_pitch = aligned_pitch(shape_.in), out_pitch = aligned_pitch(shape_.out);
        for_each_line((shape_.lines + transformed_columns - 1) / transformed_columns, in_.threads(),
                      [&](std::int64_t strip) {
                          const std::int64_t first = strip * transformed_columns,
                                             count = std::min(transformed_columns, shape_.lines - first);
                          columns_to_lines(in.data<Complex<Real>>() + first, shape_.lines, shape_.in, count, in_.mine(),
                                           in_pitch);
                          for (std::int64_t i = 0; i < count; ++i)
                              walker_.one_line(first + i, in_.mine() + i * in_pitch, out_.mine() + i * out_pitch);
                          lines_to_columns(out_.mine(), out_pitch, shape_.out, count, out.data<Complex<Real>>() + first,
                                           shape_.lines);
                      },
                      1);
    }

private:
    LineShape shape_;
    LineWalker<Real, Pass> walker_;
    LineBuffers<Real> in_, out_;
};

/// Azimuth compression between two corner turns, of lines x cells or of their spectra. in: lines x cells; out, which
/// may be in the same place if that holds as many rows of `cells`: rows x columns.
template <class Real>
class StripCompression final : public StepPlan {
public:
    /// `lines`: of the echo, whose spectra are made here; none: in has these.
    StripCompression(const AzimuthCompression& pass, std::optional<std::int64_t> lines, GatherStrips strips,
                     int threads)
        : columns_(pass, threads),
          strips_(std::move(strips)),
          lines_(lines.value_or(pass.fft_length)),
          cells_(threads, gathered_at_a_time * aligned_pitch(lines_)),
          image_(threads, gathered_at_a_time * aligned_pitch(pass.image_rows)),
          window_(strips_.window * columns_.pitch()),
          line_(threads, pass.fft_length) {
        if (lines) forward_.emplace(pass.fft_length, FftDirection::forward, pass.input_cells);
    }

    void run(const Matrix& in, Matrix& out) override {
        const AzimuthCompression& pass = columns_.pass();
        require_matrix(in, native_format<Real>, lines_, pass.input_cells, "azimuth compression: the input");
        require_matrix(out, native_format<Real>, pass.image_rows, pass.columns, "azimuth compression: the output");
        const bool in_place = in.storage == out.storage;
        const std::int64_t pitch = in_place ? pass.input_cells : pass.columns,
                           row_pitch = aligned_pitch(pass.image_rows);
        auto* const image = out.data<Sample>();
        std::int64_t there = 0;
        for (const GatherStrips::Strip& strip : strips_.strips) {
            take(in.data<Sample>(), std::max(there, strip.first_cell), strip.last_cell);
            there = strip.last_cell;
            columns_.make(
                window(strip), strip.first_column, strip.last_column,
                [&](std::int64_t column, const StoreRule& rule, const Sample* line) {
                    keep_line(rule, line, pass.image_rows, image_.mine() + column % gathered_at_a_time * row_pitch);
                },
                [&](std::int64_t begin, std::int64_t end) {
                    lines_to_columns(image_.mine(), row_pitch, pass.image_rows, end - begin, image + begin, pitch);
                });
        }
        if (pitch > pass.columns) pack_rows(image, pass.image_rows, pitch, pass.columns, columns_.threads());
    }

private:
    using Sample = Complex<Real>;

    CellSpectra<Real> window(const GatherStrips::Strip& strip) const {
        return {.lines = window_.data(),
                .pitch = columns_.pitch(),
                .first = strip.first_cell,
                .last = strip.last_cell,
                .around = static_cast<std::uint64_t>(strips_.window) - 1};
    }

    /// Cells into the window.
    void take(const Sample* in, std::int64_t first, std::int64_t last) {
        const std::int64_t pitch = aligned_pitch(lines_), length = columns_.shape().fft_length;
        for_each_line(
            (last - first + gathered_at_a_time - 1) / gathered_at_a_time, columns_.threads(),
            [&](std::int64_t group) {
                const std::int64_t begin = first + group * gathered_at_a_time,
                                   count = std::min(gathered_at_a_time, last - begin);
                columns_to_lines(in + begin, columns_.pass().input_cells, lines_, count, cells_.mine(), pitch);
                for (std::int64_t i = 0; i < count; ++i) {
                    const Sample* cell = cells_.mine() + i * pitch;
                    Sample* const to = window_.data() + ((begin + i) & (strips_.window - 1)) * columns_.pitch();
                    if (!forward_) {
                        std::copy_n(cell, length, to);
                        continue;
                    }
                    std::fill(std::copy_n(cell, lines_, line_.mine()), line_.mine() + length, Sample{});
                    (*forward_)(line_.mine(), to);
                }
            },
            1);
    }

    ColumnsOfCells<Real> columns_;
    GatherStrips strips_;
    std::int64_t lines_;
    LineBuffers<Real> cells_, image_;  // of a group
    LineBuffer<Real> window_;
    LineBuffers<Real> line_;
    std::optional<PassFft<Real>> forward_;
};

}  // namespace cornerturn
