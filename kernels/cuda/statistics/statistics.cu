// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "kernels/cuda/fft/butterfly.h"
#include "kernels/cuda/launch/cuda_block.cuh"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/runtime/check.h"
#include "kernels/cuda/runtime/decoding_tables.h"
#include "kernels/cuda/statistics/line_statistics.cuh"
#include "kernels/cuda/statistics/statistics.h"

namespace cornerturn {
namespace {

template <class Statistics>
__global__ void __launch_bounds__(Statistics::block_width) statistics_kernel(const Statistics statistics) {
    statistics.run(CudaBlock{});
}

struct CopyAndMark {
    const Complex64* from;
    Complex64* to;
    std::int64_t columns;
    int* mark;  ///< set where a sample is not finite

    __device__ void operator()(std::int64_t row, std::int64_t column) const {
        const Complex64 sample = from[row * columns + column];
        to[row * columns + column] = sample;
        if (!is_finite(sample)) *mark = 1;
    }
};

class ReductionOnGpu final : public EchoReduction {
public:
    ReductionOnGpu(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding, SharedContext context,
                   std::shared_ptr<ReductionMemory> kept)
        : lines_(lines),
          samples_(samples),
          tables_(decoding),
          memory_(std::exchange(*kept, {})),
          kept_(std::move(kept)),
          context_(std::move(context)) {
        if (lines_ == 0) return;
        if (memory_.sums.bytes() < bytes()) memory_ = {DeviceBuffer(bytes(), "sums of the echo statistics"), {}};
        check(cudaMemsetAsync(memory_.sums.data<void>(), 0, bytes(), context_->stream.get()),
              "clear the echo statistics");
    }
    /// What still goes on in the stream comes before what the next one does there.
    ~ReductionOnGpu() override { *kept_ = std::move(memory_); }
    ReductionOnGpu(const ReductionOnGpu&) = delete;
    ReductionOnGpu& operator=(const ReductionOnGpu&) = delete;

    void add(const Matrix& lines, std::int64_t first_line, std::int64_t count) override {
        context_->use();
        require_rows(lines, first_line, lines.format, lines_, samples_, "echo statistics: the echo");
        if (lines.rows_from(0, count).rows == 0) return;
        with_component(lines.format, [&]<class Component>(std::type_identity<Component>) {
            using Statistics = LineStatistics<Component>;
            const Statistics statistics{tables_.reader<double, Component>(lines, first_line), first_line, lines.rows,
                                        samples_, memory_.sums.data<LineSums>()};
            statistics_kernel<<<grid_of(count, "echo statistics"), Statistics::block_width, 0,
                                context_->stream.get()>>>(statistics);
        });
        check_launch("echo statistics");
    }

    EchoStatistics result() override {
        context_->use();
        if (memory_.on_host.bytes() < bytes()) memory_.on_host = PinnedBuffer(bytes());
        check(cudaMemcpyAsync(memory_.on_host.data(), memory_.sums.data<void>(), bytes(), cudaMemcpyDeviceToHost,
                              context_->stream.get()),
              "copy the echo statistics");
        context_->stream.synchronize();
        return total({reinterpret_cast<const LineSums*>(memory_.on_host.data()), static_cast<std::size_t>(lines_)},
                     samples_);
    }

private:
    std::size_t bytes() const { return static_cast<std::size_t>(lines_) * sizeof(LineSums); }

    std::int64_t lines_, samples_;
    DecodingTables tables_;
    ReductionMemory memory_;
    std::shared_ptr<ReductionMemory> kept_;
    SharedContext context_;
};

}  // namespace

bool FiniteCopy::run(const Matrix& from, Matrix& to, const CudaContext& context) {
    if (mark_.bytes() == 0) {
        mark_ = DeviceBuffer(sizeof(int), "a mark");
        seen_ = PinnedBuffer(sizeof(int));
    }
    const cudaStream_t stream = context.stream.get();
    check(cudaMemsetAsync(mark_.data<void>(), 0, sizeof(int), stream), "clear a mark");
    for_each(CopyAndMark{from.data<Complex64>(), to.data<Complex64>(), from.columns, mark_.data<int>()}, from.rows,
             from.columns, context.stream, "copy of an image");
    check(cudaMemcpyAsync(seen_.data(), mark_.data<void>(), sizeof(int), cudaMemcpyDeviceToHost, stream),
          "copy a mark");
    context.stream.synchronize();
    return *reinterpret_cast<const int*>(seen_.data()) == 0;
}

std::unique_ptr<EchoReduction> reduction_on_gpu(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding,
                                                SharedContext context, std::shared_ptr<ReductionMemory> memory) {
    return std::make_unique<ReductionOnGpu>(lines, samples, decoding, std::move(context), std::move(memory));
}

}  // namespace cornerturn
