// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/exchange.h"

#include <string>

#include "kernels/cuda/corner_turn.h"
#include "kernels/cuda/cublas.h"
#include "kernels/cuda/cuda_block.cuh"
#include "kernels/cuda/exchange/exchange_turn.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr const char* doing = "corner turn across GPUs";

__global__ void __launch_bounds__(ExchangeTurn::block_width* ExchangeTurn::block_height)
    exchange_kernel(const __grid_constant__ ExchangeTurn turn) {
    turn.run(CudaBlock{});
}

void open_peer(int from, int to) {
    int can = 0;
    check(cudaDeviceCanAccessPeer(&can, from, to), "ask whether GPUs reach each other's memory");
    const std::string pair = "cuda:" + std::to_string(from) + " and cuda:" + std::to_string(to);
    if (can == 0) throw DeviceError(pair + ": no access to each other's memory; choose GPUs that a link connects (nvidia-smi topo -m)");
    const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError();
    else
        check(status, "open the memory of " + pair + " to each other");
}

class PeerExchange final : public ExchangeBench {
public:
    explicit PeerExchange(std::vector<SharedContext> gpus) : gpus_(std::move(gpus)) {
        if (gpus_.size() > most_exchange_parts)
            throw InputError(std::string(doing) + ": " + std::to_string(gpus_.size()) + " GPUs; " + std::to_string(most_exchange_parts) +
                             " at most");
        for (const SharedContext& gpu : gpus_) {
            gpu->use();
            reached_.emplace_back();
            for (const SharedContext& other : gpus_)
                if (other->index != gpu->index) open_peer(gpu->index, other->index);
        }
    }

    void turn(std::span<const Matrix> in, std::span<Matrix> out) override {
        const auto [rows, columns] = shape_of(in, out);
        meet();
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            ExchangeTurn turn{rows, columns, static_cast<int>(i), in[i].data<Complex64>(), {}};
            for (std::size_t to = 0; to < out.size(); ++to) turn.out[to] = out[to].data<Complex64>();
            if (turn.blocks() == 0) continue;
            gpus_[i]->use();
            exchange_kernel<<<grid_of(turn.blocks(), doing), dim3(ExchangeTurn::block_width, ExchangeTurn::block_height), 0,
                              gpus_[i]->stream.get()>>>(turn);
            check_launch(doing);
        }
        meet();
    }

    void wait() override {
        for (const SharedContext& gpu : gpus_) {
            gpu->use();
            gpu->stream.synchronize();
        }
    }

    void packed_turn(std::span<Matrix> in, std::span<Matrix> spare, std::span<Matrix> out) override {
        const auto [rows, columns] = shape_of(in, out);
        meet();
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            const int self = static_cast<int>(i);
            gpus_[i]->use();
            corner_turn_on_gpu(CornerTurnVariant::production, in[i].data<Complex64>(), spare[i].data<Complex64>(),
                               MatrixShape{rows.size(self), columns.rows}, gpus_[i]->stream, cublas_);
            for_others_first_next(self, [&](int to) {
                copy_rows({spare[i].data<Complex64>() + columns.first(to) * rows.size(self), rows.size(self)},
                          {out[static_cast<std::size_t>(to)].data<Complex64>() + rows.first(self), rows.rows}, columns.size(to),
                          rows.size(self), i);
            });
        }
        meet();
    }

    void copy_blocks(std::span<const Matrix> in, std::span<Matrix> out) override {
        const auto [rows, columns] = shape_of(in, out);
        meet();
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            const int self = static_cast<int>(i);
            gpus_[i]->use();
            for_others_first_next(self, [&](int to) {
                copy_rows({in[i].data<Complex64>() + columns.first(to), columns.rows},
                          {out[static_cast<std::size_t>(to)].data<Complex64>() + rows.first(self) * columns.size(to), columns.size(to)},
                          rows.size(self), columns.size(to), i);
            });
        }
        meet();
    }

    void copy_pieces(std::span<const Matrix> in, std::span<Matrix> out) override {
        const auto [rows, columns] = shape_of(in, out);
        meet();
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            const int self = static_cast<int>(i);
            gpus_[i]->use();
            for_others_first_next(self, [&](int to) {
                if (to == self) return;
                const std::int64_t samples = rows.size(self) * columns.size(to);
                check(cudaMemcpyPeerAsync(out[static_cast<std::size_t>(to)].data<Complex64>() + rows.first(self) * columns.size(to),
                                          gpus_[static_cast<std::size_t>(to)]->index,
                                          in[i].data<Complex64>() + rows.size(self) * columns.first(to), gpus_[i]->index,
                                          static_cast<std::size_t>(samples) * sizeof(Complex64), gpus_[i]->stream.get()),
                      "copy between GPUs");
            });
        }
        meet();
    }

    bool has_copies() const override { return true; }

private:
    struct Rows {
        Complex64* first;
        std::int64_t pitch;
    };
    void copy_rows(Rows from, Rows to, std::int64_t rows, std::int64_t columns, std::size_t gpu) const {
        if (rows == 0 || columns == 0) return;
        constexpr std::size_t sample = sizeof(Complex64);
        check(cudaMemcpy2DAsync(to.first, static_cast<std::size_t>(to.pitch) * sample, from.first,
                                static_cast<std::size_t>(from.pitch) * sample, static_cast<std::size_t>(columns) * sample,
                                static_cast<std::size_t>(rows), cudaMemcpyDefault, gpus_[gpu]->stream.get()),
              "copy between GPUs");
    }

    /// Each begins with the next one, so that no two write to the same, and ends with itself.
    template <class F>
    void for_others_first_next(int self, const F& f) const {
        const int parts = static_cast<int>(gpus_.size());
        for (int k = 1; k <= parts; ++k) f((self + k) % parts);
    }

    /// What is asked of any of the GPUs from now on waits for what was asked of all.
    void meet() const {
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            gpus_[i]->use();
            gpus_[i]->stream.record(reached_[i]);
        }
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            gpus_[i]->use();
            for (std::size_t k = 0; k < gpus_.size(); ++k)
                if (k != i) gpus_[i]->stream.wait(reached_[k]);
        }
    }

    ExchangeShape shape_of(std::span<const Matrix> in, std::span<const Matrix> out) const {
        return exchange_shape(in, out, gpus_.size(), SampleFormat::complex64);
    }

    std::vector<SharedContext> gpus_;
    std::vector<Event> reached_;
    Cublas cublas_;
};

}  // namespace

std::unique_ptr<ExchangeBench> exchange_by_peers(std::vector<SharedContext> gpus) {
    return std::make_unique<PeerExchange>(std::move(gpus));
}

}  // namespace cornerturn
