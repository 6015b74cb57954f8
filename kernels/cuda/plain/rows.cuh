// SPDX-License-Identifier: Apache-2.0
// Sweeps over the rows of a matrix: what the plain chain does between its transforms.
//
// Every sweep reads and writes all of memory once more, so it has to run at the rate of a copy: 16 bytes at a time
// where rows allow it, several of them on their way per thread, no division but one per block.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "kernels/math/complex.h"
#include "kernels/math/host_device.h"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

/// Neighbours in a row that are read or written at once.
template <class T, int Lanes>
struct alignas(Lanes * sizeof(T) < 16 ? Lanes * sizeof(T) : 16) SampleVector {
    T lane[Lanes];
};

template <int Lanes, class T>
CT_HOST_DEVICE SampleVector<T, Lanes> vector_at(const T* from) {
    return *reinterpret_cast<const SampleVector<T, Lanes>*>(from);
}
/// By the block's own store: an assignment is compiled to words of 8 bytes, even of two samples. `to` is aligned as the
/// piece.
template <class Block>
CT_HOST_DEVICE void put_vector(const Block& block, Complex64* to, SampleVector<Complex64, 1> piece) {
    block.put(to, piece.lane[0]);
}
template <class Block>
CT_HOST_DEVICE void put_vector(const Block& block, Complex64* to, SampleVector<Complex64, 2> piece) {
    block.put(to, piece.lane[0], piece.lane[1]);
}

/// Calls go with the lanes that rows of all these lengths have room for, as a std::integral_constant. Complex64: 2 are
/// 16 bytes.
template <class Go>
void with_lanes(std::initializer_list<std::int64_t> lengths, Go go) {
    bool even = true;
    for (const std::int64_t length : lengths) even = even && length % 2 == 0;
    even ? go(std::integral_constant<int, 2>{}) : go(std::integral_constant<int, 1>{});
}

/// Puts op.make(row, column, op.load(row, column)) at op.place(row, column), for every op.lanes-th column. A thread
/// takes the same place in a few rows: it asks for all before it waits for the first, and reads once what the rows have
/// in common.
template <class Op>
struct RowSweep {
    static constexpr int threads = 256, depth = 4;
    Op op;
    std::int64_t rows;
    std::int64_t columns;  ///< a multiple of the lanes

    CT_HOST_DEVICE std::int64_t pieces() const { return columns / Op::lanes; }
    CT_HOST_DEVICE std::int64_t blocks_across() const { return (pieces() + threads - 1) / threads; }
    std::int64_t blocks() const { return blocks_across() * ((rows + depth - 1) / depth); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const unsigned across = static_cast<unsigned>(blocks_across()), band = block.number() / across;
        const std::int64_t number =
            static_cast<std::int64_t>(block.number() - band * across) * threads + block.thread().x;
        if (number >= pieces()) return;
        const std::int64_t column = number * Op::lanes, first_row = static_cast<std::int64_t>(band) * depth;
        if (first_row + depth <= rows)
            take<depth>(block, first_row, column);
        else
            for (std::int64_t row = first_row; row < rows; ++row) take<1>(block, row, column);
    }

private:
    template <int Count, class Block>
    CT_HOST_DEVICE void take(const Block& block, std::int64_t first_row, std::int64_t column) const {
        decltype(op.load(0, 0)) loaded[Count] = {};
        for (int k = 0; k < Count; ++k) loaded[k] = op.load(first_row + k, column);
        SampleVector<Complex64, Op::lanes> made[Count] = {};
        for (int k = 0; k < Count; ++k) made[k] = op.make(first_row + k, column, loaded[k]);
        for (int k = 0; k < Count; ++k) put_vector(block, op.place(first_row + k, column), made[k]);
    }
};

/// Copies rows into longer ones, zeros behind, or into shorter ones.
template <int Lanes>
struct CopyRows {
    static constexpr int lanes = Lanes;
    const Complex64* in;
    std::int64_t in_columns;
    Complex64* out;
    std::int64_t out_columns;

    CT_HOST_DEVICE SampleVector<Complex64, Lanes> load(std::int64_t row, std::int64_t column) const {
        return column < in_columns ? vector_at<Lanes>(in + row * in_columns + column)
                                   : SampleVector<Complex64, Lanes>{};
    }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> make(std::int64_t, std::int64_t,
                                                       const SampleVector<Complex64, Lanes>& piece) const {
        return piece;
    }
    CT_HOST_DEVICE Complex64* place(std::int64_t row, std::int64_t column) const {
        return out + row * out_columns + column;
    }
};

/// The same with the factor that a pass has for what it loads.
template <class Hooks, int Lanes>
struct PrepareRows {
    static constexpr int lanes = Lanes;
    CopyRows<Lanes> rows;
    Hooks hooks;
    std::int64_t first_line;

    CT_HOST_DEVICE SampleVector<Complex64, Lanes> load(std::int64_t row, std::int64_t column) const {
        return rows.load(row, column);
    }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> make(std::int64_t row, std::int64_t column,
                                                       const SampleVector<Complex64, Lanes>& values) const {
        const auto law = of_line(hooks, first_line + row);
        SampleVector<Complex64, Lanes> prepared;
        for (int i = 0; i < Lanes; ++i) prepared.lane[i] = values.lane[i] * law.before(column + i);
        return prepared;
    }
    CT_HOST_DEVICE Complex64* place(std::int64_t row, std::int64_t column) const { return rows.place(row, column); }
};

/// Multiplies spectra by the filter of a pass.
template <class Hooks, int Lanes>
struct FilterRows {
    static constexpr int lanes = Lanes;
    Hooks hooks;
    std::int64_t first_line;
    std::int64_t bins;
    Complex64* spectra;

    CT_HOST_DEVICE SampleVector<Complex64, Lanes> load(std::int64_t row, std::int64_t bin) const {
        return vector_at<Lanes>(place(row, bin));
    }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> make(std::int64_t row, std::int64_t bin,
                                                       const SampleVector<Complex64, Lanes>& values) const {
        const auto law = of_line(hooks, first_line + row);
        SampleVector<Complex64, Lanes> filtered;
        for (int i = 0; i < Lanes; ++i) filtered.lane[i] = values.lane[i] * law.filter(bin + i);
        return filtered;
    }
    CT_HOST_DEVICE Complex64* place(std::int64_t row, std::int64_t bin) const { return spectra + row * bins + bin; }
};

/// Multiplies spectra by the filter of a pass into longer ones: zeros between the positive and the negative
/// frequencies.
template <class Hooks, int Lanes>
struct WidenRows {
    static constexpr int lanes = Lanes;
    Hooks hooks;
    LineShape shape;  ///< both transforms, and the positive frequencies of the shorter, have multiples of the lanes
    std::int64_t first_line;
    const Complex64* spectra;
    Complex64* wide;

    /// Of the shorter spectrum; none where that ends.
    CT_HOST_DEVICE std::int64_t source(std::int64_t bin) const {
        if (bin < shape.bins_from_zero()) return bin;
        const std::int64_t from_end = shape.inverse() - bin;
        return from_end <= shape.fft_length - shape.bins_from_zero() ? shape.fft_length - from_end : -1;
    }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> load(std::int64_t row, std::int64_t bin) const {
        const std::int64_t from = source(bin);
        return from >= 0 ? vector_at<Lanes>(spectra + row * shape.fft_length + from) : SampleVector<Complex64, Lanes>{};
    }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> make(std::int64_t row, std::int64_t bin,
                                                       const SampleVector<Complex64, Lanes>& values) const {
        const std::int64_t from = source(bin);
        if (from < 0) return {};
        const auto law = of_line(hooks, first_line + row);
        SampleVector<Complex64, Lanes> filtered;
        for (int i = 0; i < Lanes; ++i) filtered.lane[i] = values.lane[i] * law.filter(from + i);
        return filtered;
    }
    CT_HOST_DEVICE Complex64* place(std::int64_t row, std::int64_t bin) const {
        return wide + row * shape.inverse() + bin;
    }
};

/// Takes the samples of transformed lines that are stored, scaled, zeros where they are not covered. Of those it does
/// not read anything.
template <class Hooks, int Lanes>
struct StoreLines {
    static constexpr int lanes = Lanes;
    Hooks hooks;
    LineShape shape;
    const Complex64* in;  ///< packed rows of the transform's length
    std::int64_t first_line;
    Complex64* out;  ///< packed rows of the pass's output

    CT_HOST_DEVICE StoreRule rule(std::int64_t row) const { return store_rule(hooks, shape, first_line + row); }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> load(std::int64_t row, std::int64_t index) const {
        const StoreRule stored = rule(row);
        bool any = false;
        for (int i = 0; i < Lanes; ++i) any = any || stored.covers(index + i);
        return any ? vector_at<Lanes>(in + row * stored.period + stored.source(index))
                   : SampleVector<Complex64, Lanes>{};
    }
    CT_HOST_DEVICE SampleVector<Complex64, Lanes> make(std::int64_t row, std::int64_t index,
                                                       const SampleVector<Complex64, Lanes>& values) const {
        const StoreRule stored = rule(row);
        [[maybe_unused]] const auto law = of_line(hooks, first_line + row);
        SampleVector<Complex64, Lanes> covered = values;
        for (int i = 0; i < Lanes; ++i) {
            if constexpr (has_scale<Hooks>) covered.lane[i] = covered.lane[i] * law.scale(stored.source(index + i));
            if (!stored.covers(index + i)) covered.lane[i] = {0, 0};
        }
        return covered;
    }
    CT_HOST_DEVICE Complex64* place(std::int64_t row, std::int64_t index) const {
        return out + row * shape.out + index;
    }
};

}  // namespace cornerturn
