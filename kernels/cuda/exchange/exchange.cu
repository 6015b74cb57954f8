// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/exchange/exchange.h"

#include <optional>
#include <string>
#include <utility>

#include "kernels/cuda/corner_turn/corner_turn.h"
#include "kernels/cuda/exchange/block_copies.cuh"
#include "kernels/cuda/exchange/carriers.h"
#include "kernels/cuda/exchange/exchange_turn.cuh"
#include "kernels/cuda/launch/cuda_block.cuh"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/libraries/cublas.h"
#include "kernels/cuda/libraries/nccl.h"
#include "kernels/cuda/runtime/graph.h"
#include "kernels/device/work_itself.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr const char* doing = "corner turn across GPUs";

__global__ void __launch_bounds__(ExchangeTurn::block_width* ExchangeTurn::block_height)
    exchange_kernel(const __grid_constant__ ExchangeTurn turn) {
    turn.run(CudaBlock{});
}

class GpuExchange final : public ExchangeBench {
public:
    GpuExchange(std::vector<SharedContext> gpus, Carrier carrier)
        : gpus_(std::move(gpus)), carrier_(settled(carrier, gpus_, doing)) {
        if (gpus_.size() > most_exchange_parts)
            throw InputError(std::string(doing) + ": " + std::to_string(gpus_.size()) + " GPUs; " +
                             std::to_string(most_exchange_parts) + " at most");
        for (const SharedContext& gpu : gpus_) {
            gpu->use();
            reached_.emplace_back();
            asked_.emplace_back();
            links_.emplace_back(gpus_.size());
            staging_.emplace_back();
            if (carrier_ == Carrier::nccl || !reach_each_other(gpus_)) continue;
            for (const SharedContext& other : gpus_)
                if (other->index != gpu->index) set_access(*other, carrier_ == Carrier::peer);
        }
        if (carrier_ == Carrier::nccl) nccl();
    }

    Carrier carrier() const override { return carrier_; }

    void meet() override {
        send_packed();
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            gpus_[i]->use();
            for (const Link& link : links_[i]) {
                link.stream.record(link.done);
                gpus_[i]->stream.wait(link.done);
            }
            gpus_[i]->stream.record(reached_[i]);
        }
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            gpus_[i]->use();
            for (std::size_t k = 0; k < gpus_.size(); ++k)
                if (k != i) gpus_[i]->stream.wait(reached_[k]);
        }
        marked_ = 0;
    }

    void send(const SentBlock& block) override {
        require_block(block, gpus_.size(), SampleFormat::complex64);
        const SharedContext& gpu = gpus_[block.from];
        gpu->use();
        if (block.from == block.to) return copy_here(block, gpu->stream);
        if (carrier_ == Carrier::nccl) {
            if (samples_of(block) > 0) packed_.push_back(block);
            return;
        }
        const Stream& stream = links_[block.from][block.to].stream;
        gpu->stream.record(asked_[block.from]);
        stream.wait(asked_[block.from]);
        if (carrier_ == Carrier::host) return copy_through_host(block, gpu->index, gpus_[block.to]->index, stream);
        copy_rows({cells_of(block), block.rows.columns}, {place_of(block), block.out.columns}, block.rows.rows,
                  block.out.columns, stream);
    }

    std::size_t mark() override {
        send_packed();
        if (marked_ == marks_.size()) add_mark();
        for (std::size_t from = 0; from < gpus_.size(); ++from) {
            gpus_[from]->use();
            for (std::size_t to = 0; to < gpus_.size(); ++to) links_[from][to].stream.record(marks_[marked_][from][to]);
        }
        return marked_++;
    }

    void await(std::size_t device, std::size_t mark) override {
        gpus_[device]->use();
        for (std::size_t from = 0; from < gpus_.size(); ++from)
            gpus_[device]->stream.wait(marks_.at(mark)[from][device]);
    }

    std::unique_ptr<Recording> record(const std::function<void()>& work) override {
        // The driver's copies through the host wait for it: no graph takes them.
        if (carrier_ == Carrier::host) return std::make_unique<WorkItself>(work);
        return std::make_unique<Graph>(gpus_, [&] {
            fork();
            work();
            join();
        });
    }

    void turn(std::span<const Matrix> in, std::span<Matrix> out) override {
        const auto [rows, columns] = shape_of(in, out);
        if (carrier_ != Carrier::peer)
            throw DeviceError(std::string(doing) + ": GPUs that exchange by " + name_of(carrier_) +
                              " do not write into each other's memory");
        meet();
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            ExchangeTurn turn{rows, columns, static_cast<int>(i), in[i].data<Complex64>(), {}};
            for (std::size_t to = 0; to < out.size(); ++to) turn.out[to] = out[to].data<Complex64>();
            if (turn.blocks() == 0) continue;
            gpus_[i]->use();
            exchange_kernel<<<grid_of(turn.blocks(), doing),
                              dim3(ExchangeTurn::block_width, ExchangeTurn::block_height), 0, gpus_[i]->stream.get()>>>(
                turn);
            check_launch(doing);
        }
        meet();
    }

    void wait() override {
        send_packed();
        for (const SharedContext& gpu : gpus_) {
            gpu->use();
            gpu->stream.synchronize();
        }
    }

    void packed_turn(std::span<Matrix> in, std::span<Matrix> spare, std::span<Matrix> out) override {
        const auto [rows, columns] = shape_of(in, out);
        const auto turn_slab = [&](std::size_t gpu, std::int64_t of_rows) {
            corner_turn_on_gpu(CornerTurnVariant::production, in[gpu].data<Complex64>(), spare[gpu].data<Complex64>(),
                               MatrixShape{of_rows, columns.rows}, gpus_[gpu]->stream, cublas_);
        };
        send(rows, columns, out, turn_slab, [&](std::size_t gpu, const Part& part) {
            copy_rows({spare[gpu].data<Complex64>() + part.first_column * part.rows, part.rows},
                      {part.out + part.first_row, rows.rows}, part.columns, part.rows, gpus_[gpu]->stream);
        });
    }

    void copy_pieces(std::span<const Matrix> in, std::span<Matrix> out) override {
        const auto [rows, columns] = shape_of(in, out);
        send(rows, columns, out, nothing_first, [&](std::size_t gpu, const Part& part) {
            if (part.to == gpu) return;
            check(cudaMemcpyPeerAsync(part.piece(), gpus_[part.to]->index, piece_of(in[gpu], part), gpus_[gpu]->index,
                                      part.samples() * sizeof(Complex64), gpus_[gpu]->stream.get()),
                  "copy between GPUs");
        });
    }

    void nccl_pieces(std::span<const Matrix> in, std::span<Matrix> out) override {
        const auto [rows, columns] = shape_of(in, out);
        std::vector<Nccl::Message> messages;
        std::vector<const Stream*> streams;
        for (std::size_t from = 0; from < gpus_.size(); ++from) {
            streams.push_back(&gpus_[from]->stream);
            for_each_part(from, rows, columns, out, [&](const Part& part) {
                if (part.to != from)
                    messages.push_back({from, piece_of(in[from], part), part.to, part.piece(), part.samples()});
            });
        }
        meet();
        nccl().exchange(messages, streams);
        meet();
    }
    bool has_nccl() const override { return Nccl::is_there() && all_different(gpus_); }

    bool has_copies() const override { return true; }

private:
    /// Takes a second and memory of the GPUs: only where it is asked for.
    Nccl& nccl() {
        if (!nccl_) nccl_.emplace(gpus_);
        return *nccl_;
    }

    /// NCCL sends what lies in one piece, and all that waits at once, so that the links are busy in both directions.
    struct Staging {
        DeviceBuffer sent, received;
    };
    static Complex64* staged(DeviceBuffer& buffer, std::size_t count) {
        if (buffer.bytes() < count * sizeof(Complex64)) {
            buffer = {};  // first, so that old and new need not fit together
            buffer = DeviceBuffer(count * sizeof(Complex64), "parts of a frame on their way");
        }
        return buffer.data<Complex64>();
    }
    void send_packed() {
        if (packed_.empty()) return;
        std::vector<const Stream*> streams;
        std::vector<std::size_t> to_send(gpus_.size()), to_receive(gpus_.size());
        for (const SentBlock& block : packed_) {
            to_send[block.from] += samples_of(block);
            to_receive[block.to] += samples_of(block);
        }
        std::vector<Complex64*> sent, received;
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            gpus_[i]->use();
            const Stream& stream = *streams.emplace_back(&links_[i][i].stream);
            sent.push_back(staged(staging_[i].sent, to_send[i]));
            received.push_back(staged(staging_[i].received, to_receive[i]));
            gpus_[i]->stream.record(asked_[i]);
            stream.wait(asked_[i]);
        }
        std::vector<Nccl::Message> messages;
        for (const SentBlock& block : packed_) {
            gpus_[block.from]->use();
            copy_columns({cells_of(block), block.rows.columns, sent[block.from], block.out.columns}, block,
                         *streams[block.from]);
            messages.push_back({block.from, sent[block.from], block.to, received[block.to], samples_of(block)});
            sent[block.from] += samples_of(block);
            received[block.to] += samples_of(block);
        }
        nccl().exchange(messages, streams);
        for (std::size_t i = 0; i < packed_.size(); ++i) {
            const SentBlock& block = packed_[i];
            gpus_[block.to]->use();
            copy_columns({messages[i].out, block.out.columns, place_of(block), block.out.columns}, block,
                         *streams[block.to]);
        }
        packed_.clear();
    }
    /// What goes from one GPU to another.
    struct Part {
        std::size_t to;
        Complex64* out;  ///< the slab of `to`
        std::int64_t first_row, rows, first_column, columns;

        std::size_t samples() const { return static_cast<std::size_t>(rows * columns); }
        /// Where as many samples go in one piece.
        Complex64* piece() const { return out + first_row * columns; }
    };
    static const Complex64* piece_of(const Matrix& in, const Part& part) {
        return in.data<Complex64>() + part.rows * part.first_column;
    }
    /// Calls what(part) for each part that a GPU sends. It begins with the next GPU's, so that no two write to the
    /// same, and ends with its own.
    template <class What>
    void for_each_part(std::size_t gpu, const Slabs& rows, const Slabs& columns, std::span<Matrix> out,
                       const What& what) const {
        const int self = static_cast<int>(gpu), parts = static_cast<int>(gpus_.size());
        for (int k = 1; k <= parts; ++k) {
            const int to = (self + k) % parts;
            const auto taker = static_cast<std::size_t>(to);
            what(Part{taker, out[taker].data<Complex64>(), rows.first(self), rows.size(self), columns.first(to),
                      columns.size(to)});
        }
    }
    static void nothing_first(std::size_t, std::int64_t) {}
    /// Calls first(gpu, its rows) and copy(gpu, part) for each part that it sends.
    template <class First, class Copy>
    void send(const Slabs& rows, const Slabs& columns, std::span<Matrix> out, const First& first, const Copy& copy) {
        meet();
        for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
            gpus_[gpu]->use();
            first(gpu, rows.size(static_cast<int>(gpu)));
            for_each_part(gpu, rows, columns, out, [&](const Part& part) { copy(gpu, part); });
        }
        meet();
    }

    /// From one GPU to another, or itself.
    struct Link {
        Stream stream;
        Event done;
    };
    /// Every stream waits for that of the first GPU.
    void fork() {
        gpus_[0]->use();
        gpus_[0]->stream.record(asked_[0]);
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            gpus_[i]->use();
            if (i > 0) gpus_[i]->stream.wait(asked_[0]);
            for (const Link& link : links_[i]) link.stream.wait(asked_[0]);
        }
    }
    /// The stream of the first GPU waits for every other.
    void join() {
        const auto wait_for = [&](std::size_t gpu, const Stream& stream, const Event& event) {
            gpus_[gpu]->use();
            stream.record(event);
            gpus_[0]->use();
            gpus_[0]->stream.wait(event);
        };
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            for (const Link& link : links_[i]) wait_for(i, link.stream, link.done);
            if (i > 0) wait_for(i, gpus_[i]->stream, reached_[i]);
        }
    }
    void add_mark() {
        marks_.emplace_back();
        for (const SharedContext& gpu : gpus_) {
            gpu->use();
            marks_.back().emplace_back(gpus_.size());
        }
    }

    ExchangeShape shape_of(std::span<const Matrix> in, std::span<const Matrix> out) const {
        return exchange_shape(in, out, gpus_.size(), SampleFormat::complex64);
    }

    std::vector<SharedContext> gpus_;
    Carrier carrier_;
    std::optional<Nccl> nccl_;
    std::vector<SentBlock> packed_;  // what waits for NCCL
    std::vector<Staging> staging_;
    std::vector<Event> reached_, asked_;
    std::vector<std::vector<Link>> links_;                // [from][to]
    std::vector<std::vector<std::vector<Event>>> marks_;  // [mark][from][to]
    std::size_t marked_ = 0;
    Cublas cublas_;
};

}  // namespace

std::unique_ptr<ExchangeBench> exchange_between_gpus(std::vector<SharedContext> gpus, Carrier carrier) {
    return std::make_unique<GpuExchange>(std::move(gpus), carrier);
}

}  // namespace cornerturn
