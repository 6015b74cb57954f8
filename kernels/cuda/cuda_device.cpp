// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <stdexcept>

#include "kernels/cuda/back_projection/accumulation.h"
#include "kernels/cuda/back_projection/chip.h"
#include "kernels/cuda/corner_turn/corner_turn.h"
#include "kernels/cuda/exchange/exchange.h"
#include "kernels/cuda/gpu_list.h"
#include "kernels/cuda/lowering/lowering.h"
#include "kernels/cuda/matrix_product/matrix_product.h"
#include "kernels/cuda/non_finite/non_finite.h"
#include "kernels/cuda/runtime/check.h"
#include "kernels/cuda/runtime/context.h"
#include "kernels/cuda/runtime/graph.h"
#include "kernels/cuda/runtime/staged_lines.h"
#include "kernels/cuda/runtime/transfer.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

void require_native(const Matrix& matrix, std::string_view what) {
    if (matrix.format != SampleFormat::complex64)
        throw std::logic_error(fmt::format("{}: a matrix of {} bytes a sample; this device works on complex64", what,
                                           bytes_per_sample(matrix.format)));
}

class StopwatchOnGpu final : public DeviceStopwatch {
public:
    explicit StopwatchOnGpu(SharedContext context) : context_(std::move(context)) {}
    void start() override {
        context_->use();  // its events are made when they are first wanted
        clock_.start(context_->stream);
    }
    void stop() override { clock_.stop(context_->stream); }
    double seconds() override { return clock_.seconds(); }
    std::vector<BusySpan> take_spans() override { return clock_.take_spans(); }

private:
    SharedContext context_;
    StreamClock clock_;
};

SharedContext make_context(int index, const GpuLimits& limits) {
    auto context = std::make_shared<CudaContext>(index, limits);
    require_code_for_this_gpu();
    return context;
}

/// Makes its context, which takes a tenth of a second, beside what the caller does: until it is there, the device can
/// be asked what it is and what it would do. A context that cannot be made shows when it is first needed.
class CudaDevice final : public Device, public DeviceBench {
public:
    explicit CudaDevice(int index)
        : index_(index),
          limits_(limits_of(index)),
          info_(listed(index)),
          opening_(std::async(std::launch::async, make_context, index, limits_).share()) {}

    ~CudaDevice() override {
        try {
            cudaStreamSynchronize(context()->stream.get());
        } catch (const DeviceError&) {  // there never was one
        }
    }

    DeviceInfo info() const override {
        DeviceInfo info = info_;
        info.memory_free_bytes = free_bytes();
        return info;
    }

    MemoryPlace place() const override { return {index_}; }
    std::uintptr_t stream() const override { return reinterpret_cast<std::uintptr_t>(context()->stream.get()); }

    Matrix allocate(SampleFormat format, std::int64_t rows, std::int64_t columns) override {
        context()->use();
        Matrix matrix{.storage = nullptr, .capacity_bytes = 0, .format = format, .rows = rows, .columns = columns};
        DeviceBuffer buffer(matrix.bytes(), fmt::format("matrix of {} x {} samples", rows, columns));
        matrix.capacity_bytes = buffer.bytes();
        matrix.storage = std::move(buffer).share();
        return matrix;
    }

    void upload(std::span<const std::byte> samples, Matrix& to) override {
        context()->use();
        if (samples.size() != to.bytes())
            throw std::logic_error(fmt::format("upload of {} bytes to a matrix of {}", samples.size(), to.bytes()));
        transfer_.upload(samples, to.storage.get(), context()->stream);
        uploaded_bytes_ += samples.size();
    }

    void download(const Matrix& from, std::span<std::complex<float>> to) override { download_as(from, to); }
    void download(const Matrix& from, std::span<std::complex<double>> to) override { download_as(from, to); }

    void download_as_stored(const Matrix& from, std::span<std::byte> to) override {
        context()->use();
        if (to.size() != from.bytes())
            throw std::logic_error(fmt::format("download of {} bytes into {}", from.bytes(), to.size()));
        downloaded_bytes_ += from.bytes();
        if (is_page_locked(to.data())) return transfer_.download(from.storage.get(), to, context()->stream);
        transfer_.download(from.storage.get(), from.bytes(), bytes_per_sample(from.format), context()->stream,
                           [&](std::size_t offset, std::span<const std::byte> piece) {
                               std::copy(piece.begin(), piece.end(), to.begin() + static_cast<std::ptrdiff_t>(offset));
                           });
    }

    void download_rows(const Matrix& from, const TakeRows& take) override {
        context()->use();
        require_native(from, "download");
        const std::size_t row_bytes = static_cast<std::size_t>(from.columns) * sizeof(Complex64);
        if (row_bytes == 0) return;
        transfer_.download(
            from.storage.get(), from.bytes(), row_bytes, context()->stream,
            [&](std::size_t offset, std::span<const std::byte> piece) {
                take(static_cast<std::int64_t>(offset / row_bytes),
                     {reinterpret_cast<const std::complex<float>*>(piece.data()), piece.size() / sizeof(Complex64)});
            });
        downloaded_bytes_ += from.bytes();
    }

    bool copy_finite(const Matrix& from, Matrix& to) override {
        context()->use();
        require_native(from, "copy of what is finite");
        require_matrix(to, SampleFormat::complex64, from.rows, from.columns, "copy of what is finite: its place");
        return copy_finite_on_gpu(from, to, context()->stream, count_of_image_);
    }

    std::unique_ptr<StagedLines> stage(SampleFormat format, std::int64_t rows, std::int64_t columns) override {
        context()->use();
        return std::make_unique<StagedLinesOnGpu>(context(), staged_, format, rows, columns);
    }

    std::shared_ptr<std::byte> host_memory(std::size_t bytes) override {
        context()->use();
        return PinnedBuffer(bytes).share();
    }

    BusRate bus_rate(std::size_t bytes) override {
        context()->use();
        const PinnedBuffer host(bytes);
        const DeviceBuffer device(bytes, "memory to measure the bus with");
        const auto rate = [&](const void* from, void* to, cudaMemcpyKind kind) {
            double best_ms = HUGE_VAL;
            for (int i = 0; i < 5; ++i) {
                const TimingEvent start, end;
                start.record(context()->stream);
                check(cudaMemcpyAsync(to, from, bytes, kind, context()->stream.get()), "measure the bus");
                end.record(context()->stream);
                best_ms = std::min(best_ms, end.ms_since(start));
            }
            return 1e3 * static_cast<double>(bytes) / best_ms;
        };
        return {rate(host.data(), device.data<void>(), cudaMemcpyHostToDevice),
                rate(device.data<void>(), host.data(), cudaMemcpyDeviceToHost)};
    }

    std::unique_ptr<DeviceStopwatch> stopwatch() override {
        context()->use();
        return std::make_unique<StopwatchOnGpu>(context());
    }

    void corner_turn(const Matrix& in, Matrix& out, CornerTurnVariant variant, std::int64_t columns) override {
        const MatrixShape shape{in.rows, columns_to_turn(in, columns), in.columns};
        require_corner_turn("the GPU", corner_turn_variants(), variant, shape.rows, shape.columns, shape.pitch);
        context()->use();
        if (out.format != in.format) throw std::logic_error("corner turn: input and output have different formats");
        out = out.reshaped(shape.columns, shape.rows);
        if (variant == CornerTurnVariant::inplace && in.storage != out.storage) copy(in, out, CopyMethod::kernel);
        if (bytes_per_sample(in.format) == sizeof(Complex64)) return turn<Complex64>(in, out, shape, variant);
        if (bytes_per_sample(in.format) == sizeof(float)) return turn<float>(in, out, shape, variant);
        throw std::logic_error(fmt::format("corner turn of samples of {} bytes", bytes_per_sample(in.format)));
    }

    std::vector<CornerTurnVariant> corner_turn_variants() const override {
        return {cornerturn::corner_turn_variants.begin(), cornerturn::corner_turn_variants.end()};
    }

    void copy(const Matrix& from, Matrix& to, CopyMethod method) override {
        context()->use();
        if (from.bytes() != to.bytes())
            throw std::logic_error(fmt::format("copy of {} bytes to a matrix of {}", from.bytes(), to.bytes()));
        if (method == CopyMethod::kernel)
            return copy_by_kernel(from.storage.get(), to.storage.get(), from.bytes(), context()->stream);
        check(cudaMemcpyAsync(to.storage.get(), from.storage.get(), from.bytes(), cudaMemcpyDeviceToDevice,
                              context()->stream.get()),
              "copy a matrix");
    }

    std::int64_t count_differences(const Matrix& expected, const Matrix& got, bool turned) override {
        context()->use();
        require_comparable(expected, got, turned);
        if (bytes_per_sample(expected.format) == sizeof(std::uint64_t))
            return differences<std::uint64_t>(expected, got, turned);
        if (bytes_per_sample(expected.format) == sizeof(std::uint32_t))
            return differences<std::uint32_t>(expected, got, turned);
        throw std::logic_error(fmt::format("difference of samples of {} bytes", bytes_per_sample(expected.format)));
    }

    LoweringReport probe(const Algorithm& algorithm, const LoweringHints& hints) override {
        return probe_on_gpu(algorithm, hints, free_bytes(), *this, limits_);
    }
    double pixel_pulses_per_s(const Accumulation& pass) override {
        return info_.rates.pixel_pulses_per_s * accumulation_rate(pass, static_cast<std::size_t>(limits_.shared_bytes));
    }
    Lowered lower(const Algorithm& algorithm, const LoweringHints& hints) override {
        return lower_on_gpu(algorithm, hints, free_bytes(), *this, context());
    }
    DeviceBench& bench() override { return *this; }
    std::vector<Chain> chains() const override { return {Chain::plain, Chain::fused, Chain::turn_free}; }

    std::unique_ptr<NonFiniteCounter> non_finite_counter(const EchoDecoding& decoding) override {
        context()->use();
        return non_finite_counter_on_gpu(decoding, context(), count_of_echo_);
    }

    std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding,
                                                  const BackprojectionChip& chip) override {
        context()->use();
        return backproject_on_gpu(echo, decoding, chip, *context());
    }

    void matrix_product(const Matrix& a, const Matrix& b, Matrix& c, MatrixProductVariant variant) override {
        const ProductShape shape = product_shape(a, b, c);
        require_matrix_product("the GPU", matrix_product_variants(), variant);
        context()->use();
        if (a.format == SampleFormat::float32) return multiply<float>(variant, a, b, c, shape);
        if (a.format == SampleFormat::complex64) return multiply<Complex64>(variant, a, b, c, shape);
        multiply<Complex128>(variant, a, b, c, shape);
    }

    std::vector<MatrixProductVariant> matrix_product_variants() const override {
        return {cornerturn::matrix_product_variants.begin(), cornerturn::matrix_product_variants.end()};
    }

    std::unique_ptr<Recording> record(const std::function<void()>& work) override {
        return std::make_unique<Graph>(std::vector{context()}, work);
    }

    std::unique_ptr<ExchangeBench> exchange_among(std::span<Device* const> devices, Carrier carrier) override {
        std::vector<SharedContext> gpus;
        for (const Device* device : devices) {
            const auto* const gpu = dynamic_cast<const CudaDevice*>(device);
            if (gpu == nullptr)
                throw InputError(fmt::format("exchange between {} and {}: all devices must be of one kind", info().name,
                                             device->info().name));
            gpus.push_back(gpu->context());
        }
        return exchange_between_gpus(std::move(gpus), carrier);
    }

    void synchronize() override { opening_.get()->stream.synchronize(); }
    void synchronize_with_others() override {
        context()->use();
        check(cudaDeviceSynchronize(), "wait for all that the GPU does");
    }
    TransferCount transferred() const override {
        return {.uploaded_bytes = uploaded_bytes_ + staged_->bytes,
                .downloaded_bytes = downloaded_bytes_,
                .upload_s = transfer_.upload_s() + staged_->clock.seconds(),
                .download_s = transfer_.download_s()};
    }
    BusSpans take_bus_spans() override {
        BusSpans spans = transfer_.take_spans();
        const std::vector<BusySpan> staged = staged_->clock.take_spans();
        spans.uploads.insert(spans.uploads.end(), staged.begin(), staged.end());
        std::sort(spans.uploads.begin(), spans.uploads.end(),
                  [](const BusySpan& a, const BusySpan& b) { return a.begin < b.begin; });
        return spans;
    }

    double time_ms(const std::function<void()>& work, int count) override {
        context()->use();
        const TimingEvent start, end;
        work();  // keeps the GPU busy while the host asks for the rest: launches then cost no measured time
        start.record(context()->stream);
        for (int i = 0; i < count; ++i) work();
        end.record(context()->stream);
        return end.ms_since(start);
    }

private:
    const SharedContext& context() const {
        const SharedContext& there = opening_.get();
        used_ = true;
        return there;
    }

    /// Before the context was first needed, without what it will take: the same whether it is there yet or not.
    std::size_t free_bytes() const {
        constexpr std::size_t of_context = std::size_t{640} << 20;
        if (const std::size_t before = info_.memory_free_bytes; !used_ && before > of_context)
            return before - of_context;
        context()->use();
        std::size_t free = 0, all = 0;
        check(cudaMemGetInfo(&free, &all), "ask for the free memory");
        return free;
    }

    template <class T>
    void turn(const Matrix& in, Matrix& out, MatrixShape shape, CornerTurnVariant variant) {
        corner_turn_on_gpu(variant, in.data<T>(), out.data<T>(), shape, context()->stream, cublas_);
    }

    template <class T>
    void multiply(MatrixProductVariant variant, const Matrix& a, const Matrix& b, Matrix& c,
                  const ProductShape& shape) {
        matrix_product_on_gpu(variant, a.data<T>(), b.data<T>(), c.data<T>(), shape, limits_.multiprocessors,
                              context()->stream, cublas_);
    }

    template <class Word>
    std::int64_t differences(const Matrix& expected, const Matrix& got, bool turned) {
        const MatrixShape shape{expected.rows, turned ? got.rows : expected.columns, expected.columns};
        return count_differences_on_gpu(expected.data<Word>(), got.data<Word>(), shape, turned, context()->stream);
    }

    template <class To>
    void download_as(const Matrix& from, std::span<std::complex<To>> to) {
        context()->use();
        require_native(from, "download");
        if (to.size() * sizeof(Complex64) != from.bytes())
            throw std::logic_error(
                fmt::format("download of {} x {} samples into {}", from.rows, from.columns, to.size()));
        downloaded_bytes_ += from.bytes();
        if (sizeof(To) == sizeof(float) && is_page_locked(to.data()))
            return transfer_.download(from.storage.get(), std::as_writable_bytes(to), context()->stream);
        transfer_.download(from.storage.get(), from.bytes(), sizeof(Complex64), context()->stream,
                           [&](std::size_t offset, std::span<const std::byte> piece) {
                               const auto* samples = reinterpret_cast<const Complex64*>(piece.data());
                               std::complex<To>* target = to.data() + offset / sizeof(Complex64);
                               for (std::size_t i = 0; i < piece.size() / sizeof(Complex64); ++i)
                                   target[i] = {samples[i].re, samples[i].im};
                           });
    }

    int index_;
    GpuLimits limits_;
    DeviceInfo info_;  ///< with the memory that was free before
    std::shared_future<SharedContext> opening_;
    mutable std::atomic<bool> used_{false};
    Cublas cublas_;
    CountOnGpu count_of_image_;
    std::shared_ptr<CountOnGpu> count_of_echo_ = std::make_shared<CountOnGpu>();
    mutable Transfer transfer_;  // its clocks wait when asked
    std::shared_ptr<UploadCount> staged_ = std::make_shared<UploadCount>();
    std::uint64_t uploaded_bytes_ = 0, downloaded_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Device> open_cuda_device(int index) {
    const GpuCount gpus = count_gpus();
    if (gpus.count == 0) throw DeviceError(fmt::format("cuda:{}: {}; use --device cpu", index, gpus.reason));
    if (index < 0 || index >= gpus.count)
        throw DeviceError(
            fmt::format("cuda:{}: there is no such GPU, the last one here is cuda:{}", index, gpus.count - 1));
    const bool surely = opens_surely(index);  // while a context is made, the driver answers nobody
    auto device = std::make_unique<CudaDevice>(index);
    if (!surely) device->synchronize();
    return device;
}

}  // namespace cornerturn
