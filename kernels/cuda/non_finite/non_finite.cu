// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/non_finite/non_finite.h"

#include <utility>

#include "kernels/cuda/fft/butterfly.h"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/runtime/check.h"
#include "kernels/cuda/runtime/decoding_tables.h"

namespace cornerturn {
namespace {

/// There are hardly any.
template <class Component>
struct CountNonFinite {
    EchoReader<float, Component> echo;
    unsigned long long* count;

    __device__ void operator()(std::int64_t row, std::int64_t column) const {
        if (!echo.finite(echo.stored(row, column))) atomicAdd(count, 1ull);
    }
};

struct CopyAndCount {
    const Complex64* from;
    Complex64* to;
    std::int64_t columns;
    unsigned long long* count;

    __device__ void operator()(std::int64_t row, std::int64_t column) const {
        const Complex64 sample = from[row * columns + column];
        if (to != from) to[row * columns + column] = sample;
        if (!is_finite(sample)) atomicAdd(count, 1ull);
    }
};

class NonFiniteCounterOnGpu final : public NonFiniteCounter {
public:
    NonFiniteCounterOnGpu(const EchoDecoding& decoding, SharedContext context, std::shared_ptr<CountOnGpu> kept)
        : levels_(table_on_device(decoding.levels, "the levels")),
          count_(std::exchange(*kept, {})),
          kept_(std::move(kept)),
          context_(std::move(context)) {
        count_.clear(context_->stream);
    }
    /// What still goes on in the stream comes before what the next one does there.
    ~NonFiniteCounterOnGpu() override { *kept_ = std::move(count_); }
    NonFiniteCounterOnGpu(const NonFiniteCounterOnGpu&) = delete;
    NonFiniteCounterOnGpu& operator=(const NonFiniteCounterOnGpu&) = delete;

    void add(const Matrix& lines) override {
        context_->use();
        if (lines.rows * lines.columns == 0) return;
        with_component(lines.format, [&]<class Component>(std::type_identity<Component>) {
            const EchoReader<float, Component> echo{.samples = lines.data<Stored<Component>>(),
                                                    .samples_per_line = lines.columns,
                                                    .levels = levels_.data<float>()};
            for_each(CountNonFinite<Component>{echo, count_.on_gpu()}, lines.rows, lines.columns, context_->stream,
                     "samples that are not finite");
        });
    }

    std::int64_t result() override {
        context_->use();
        return count_.value(context_->stream);
    }

private:
    DeviceBuffer levels_;
    CountOnGpu count_;
    std::shared_ptr<CountOnGpu> kept_;
    SharedContext context_;
};

}  // namespace

void CountOnGpu::clear(const Stream& stream) {
    if (on_gpu_.bytes() == 0) {
        on_gpu_ = DeviceBuffer(sizeof(unsigned long long), "a count");
        on_host_ = PinnedBuffer(sizeof(unsigned long long));
    }
    check(cudaMemsetAsync(on_gpu_.data<void>(), 0, on_gpu_.bytes(), stream.get()), "clear a count");
}

std::int64_t CountOnGpu::value(const Stream& stream) {
    check(cudaMemcpyAsync(on_host_.data(), on_gpu_.data<void>(), on_gpu_.bytes(), cudaMemcpyDeviceToHost, stream.get()),
          "copy a count");
    stream.synchronize();
    return static_cast<std::int64_t>(*reinterpret_cast<const unsigned long long*>(on_host_.data()));
}

std::unique_ptr<NonFiniteCounter> non_finite_counter_on_gpu(const EchoDecoding& decoding, SharedContext context,
                                                            std::shared_ptr<CountOnGpu> count) {
    return std::make_unique<NonFiniteCounterOnGpu>(decoding, std::move(context), std::move(count));
}

bool copy_finite_on_gpu(const Matrix& from, Matrix& to, const Stream& stream, CountOnGpu& count) {
    count.clear(stream);
    for_each(CopyAndCount{from.data<Complex64>(), to.data<Complex64>(), from.columns, count.on_gpu()}, from.rows,
             from.columns, stream, "copy of an image");
    return count.value(stream) == 0;
}

}  // namespace cornerturn
