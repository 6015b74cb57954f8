// SPDX-License-Identifier: Apache-2.0
// The corner turn across CPU devices, whose slabs lie in one memory.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "kernels/device/exchange.h"
#include "kernels/device/work_itself.h"
#include "kernels/host/line_loop.h"

namespace cornerturn {

template <class Sample>
class CpuExchange final : public ExchangeBench {
public:
    CpuExchange(std::size_t devices, SampleFormat format, int threads)
        : devices_(devices), format_(format), threads_(threads) {}

    void meet() override {}
    void send(const SentBlock& block) override {
        require_block(block, devices_, format_);
        const Sample* const from = block.rows.data<Sample>() + block.columns.first;
        Sample* const to = block.out.data<Sample>() + block.first_row * block.out.columns;
        const std::int64_t in_pitch = block.rows.columns, columns = block.out.columns;
        for_each_line(block.rows.rows, threads_,
                      [=](std::int64_t row) { std::copy_n(from + row * in_pitch, columns, to + row * columns); });
    }
    std::size_t mark() override { return 0; }
    void await(std::size_t, std::size_t) override {}

    std::unique_ptr<Recording> record(const std::function<void()>& work) override {
        return std::make_unique<WorkItself>(work);
    }

    void turn(std::span<const Matrix> in, std::span<Matrix> out) override {
        const auto [rows, columns] = exchange_shape(in, out, devices_, format_);
        for (int to = 0; to < columns.parts; ++to)
            for (int from = 0; from < rows.parts; ++from)
                turn_block(in[static_cast<std::size_t>(from)].data<Sample>() + columns.first(to), columns.rows,
                           out[static_cast<std::size_t>(to)].data<Sample>() + rows.first(from), rows.rows,
                           rows.size(from), columns.size(to));
    }
    void wait() override {}

    Carrier carrier() const override { return Carrier::fastest; }
    bool has_copies() const override { return false; }
    bool has_nccl() const override { return false; }
    void packed_turn(std::span<Matrix>, std::span<Matrix>, std::span<Matrix>) override { no_copies(); }
    void copy_pieces(std::span<const Matrix>, std::span<Matrix>) override { no_copies(); }
    void nccl_pieces(std::span<const Matrix>, std::span<Matrix>) override { no_copies(); }

private:
    [[noreturn]] static void no_copies() {
        throw std::logic_error("copies between CPU devices: they share one memory");
    }

    void turn_block(const Sample* in, std::int64_t in_pitch, Sample* out, std::int64_t out_pitch, std::int64_t rows,
                    std::int64_t columns) const {
        constexpr std::int64_t side = 16;
        for_each_line((rows + side - 1) / side, threads_, [=](std::int64_t strip) {
            const std::int64_t last_row = std::min((strip + 1) * side, rows);
            for (std::int64_t first_column = 0; first_column < columns; first_column += side)
                for (std::int64_t column = first_column; column < std::min(first_column + side, columns); ++column)
                    for (std::int64_t row = strip * side; row < last_row; ++row)
                        out[column * out_pitch + row] = in[row * in_pitch + column];
        });
    }

    std::size_t devices_;
    SampleFormat format_;
    int threads_;
};

}  // namespace cornerturn
