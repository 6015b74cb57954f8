// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <variant>

#include "kernels/cuda/back_projection/accumulation.h"
#include "kernels/cuda/back_projection/chip.h"
#include "kernels/cuda/corner_turn/corner_turn.h"
#include "kernels/cuda/exchange/exchange.h"
#include "kernels/cuda/libraries/free_memory.h"
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

/// "580.65.06, CUDA 13.0"; the driver's own number where the system tells it.
std::string driver_version() {
    int cuda = 0;  // 1000 major + 10 minor
    check(cudaDriverGetVersion(&cuda), "ask for the version of the driver");
    std::string version = fmt::format("CUDA {}.{}", cuda / 1000, cuda % 1000 / 10);
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;)
        if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos)
            return word + ", " + version;
    return version;
}

/// 0 where the driver does not tell.
double attribute_khz(cudaDeviceAttr attribute, int index) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, index) == cudaSuccess) return value;
    cudaGetLastError();
    return 0;
}

/// Of memory by bus and clock (two transfers a clock), of sums and passes as multiprocessors of an H200 do them.
/// Factorised sums wait for the host, which finds the laws of a strip while the one before is summed.
WorkRates rates_of(const cudaDeviceProp& properties, const DeviceInfo& info) {
    constexpr double pixel_pulses_per_clock = 7.7, factorised_pulses_per_clock = 0.55, operations_per_clock = 80;
    const double clocks_per_s = 1e6 * info.clock_mhz * properties.multiProcessorCount;
    return {.bytes_per_s = 1e6 * info.memory_clock_mhz * 2 * properties.memoryBusWidth / 8,
            .operations_per_s = operations_per_clock * clocks_per_s,
            .pixel_pulses_per_s = pixel_pulses_per_clock * clocks_per_s,
            .factorised_pulses_per_s = factorised_pulses_per_clock * clocks_per_s};
}

/// What does not change while the program runs.
DeviceInfo lasting_info(int index) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), "ask for the properties of the GPU");
    DeviceInfo info{.name = fmt::format("cuda:{}", index),
                    .description = fmt::format("{}, {} multiprocessors, compute capability {}.{}", properties.name,
                                               properties.multiProcessorCount, properties.major, properties.minor),
                    .memory_bytes = properties.totalGlobalMem,
                    .native = SampleFormat::complex64,
                    .driver = driver_version(),
                    .clock_mhz = attribute_khz(cudaDevAttrClockRate, index) / 1e3,
                    .memory_clock_mhz = attribute_khz(cudaDevAttrMemoryClockRate, index) / 1e3};
    info.rates = rates_of(properties, info);
    return info;
}

/// All that can be told without a context on the GPU.
DeviceInfo listed(int index) {
    DeviceInfo info = lasting_info(index);
    info.memory_free_bytes = std::min<std::size_t>(info.memory_bytes, free_memory_bytes(index));
    return info;
}

/// The number of GPUs, or why there is none.
struct GpuCount {
    int count = 0;
    std::string reason;
};
GpuCount count_gpus() {
    int driver = 0, count = 0;  // versions are 1000 major + 10 minor
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return {.reason = "no NVIDIA driver is installed"};
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return {.count = count, .reason = ""};
    cudaGetLastError();
    if (status == cudaErrorInsufficientDriver)
        return {.reason =
                    fmt::format("the NVIDIA driver (CUDA {}.{}) is too old for this program (CUDA {}.{})",
                                driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10)};
    return {.reason = fmt::format("the NVIDIA driver offers no GPU ({})", describe(status))};
}

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

class CudaDevice final : public Device, public DeviceBench {
public:
    explicit CudaDevice(int index) : context_(std::make_shared<CudaContext>(index)), info_(lasting_info(index)) {}

    ~CudaDevice() override { cudaStreamSynchronize(context_->stream.get()); }

    DeviceInfo info() const override {
        DeviceInfo info = info_;
        context_->use();
        check(cudaMemGetInfo(&info.memory_free_bytes, &info.memory_bytes), "ask for the free memory");
        return info;
    }

    MemoryPlace place() const override { return {context_->index}; }
    std::uintptr_t stream() const override { return reinterpret_cast<std::uintptr_t>(context_->stream.get()); }

    Matrix allocate(SampleFormat format, std::int64_t rows, std::int64_t columns) override {
        context_->use();
        Matrix matrix{.storage = nullptr, .capacity_bytes = 0, .format = format, .rows = rows, .columns = columns};
        DeviceBuffer buffer(matrix.bytes(), fmt::format("matrix of {} x {} samples", rows, columns));
        matrix.capacity_bytes = buffer.bytes();
        matrix.storage = std::move(buffer).share();
        return matrix;
    }

    void upload(std::span<const std::byte> samples, Matrix& to) override {
        context_->use();
        if (samples.size() != to.bytes())
            throw std::logic_error(fmt::format("upload of {} bytes to a matrix of {}", samples.size(), to.bytes()));
        transfer_.upload(samples, to.storage.get(), context_->stream);
        uploaded_bytes_ += samples.size();
    }

    void download(const Matrix& from, std::span<std::complex<float>> to) override { download_as(from, to); }
    void download(const Matrix& from, std::span<std::complex<double>> to) override { download_as(from, to); }

    void download_as_stored(const Matrix& from, std::span<std::byte> to) override {
        context_->use();
        if (to.size() != from.bytes())
            throw std::logic_error(fmt::format("download of {} bytes into {}", from.bytes(), to.size()));
        downloaded_bytes_ += from.bytes();
        if (is_page_locked(to.data())) return transfer_.download(from.storage.get(), to, context_->stream);
        transfer_.download(from.storage.get(), from.bytes(), bytes_per_sample(from.format), context_->stream,
                           [&](std::size_t offset, std::span<const std::byte> piece) {
                               std::copy(piece.begin(), piece.end(), to.begin() + static_cast<std::ptrdiff_t>(offset));
                           });
    }

    void download_rows(const Matrix& from, const TakeRows& take) override {
        context_->use();
        require_native(from, "download");
        const std::size_t row_bytes = static_cast<std::size_t>(from.columns) * sizeof(Complex64);
        if (row_bytes == 0) return;
        transfer_.download(
            from.storage.get(), from.bytes(), row_bytes, context_->stream,
            [&](std::size_t offset, std::span<const std::byte> piece) {
                take(static_cast<std::int64_t>(offset / row_bytes),
                     {reinterpret_cast<const std::complex<float>*>(piece.data()), piece.size() / sizeof(Complex64)});
            });
        downloaded_bytes_ += from.bytes();
    }

    bool copy_finite(const Matrix& from, Matrix& to) override {
        context_->use();
        require_native(from, "copy of what is finite");
        require_matrix(to, SampleFormat::complex64, from.rows, from.columns, "copy of what is finite: its place");
        return copy_finite_on_gpu(from, to, context_->stream, count_of_image_);
    }

    std::unique_ptr<StagedLines> stage(SampleFormat format, std::int64_t rows, std::int64_t columns) override {
        context_->use();
        return std::make_unique<StagedLinesOnGpu>(context_, staged_, format, rows, columns);
    }

    std::shared_ptr<std::byte> host_memory(std::size_t bytes) override {
        context_->use();
        return PinnedBuffer(bytes).share();
    }

    BusRate bus_rate(std::size_t bytes) override {
        context_->use();
        const PinnedBuffer host(bytes);
        const DeviceBuffer device(bytes, "memory to measure the bus with");
        const auto rate = [&](const void* from, void* to, cudaMemcpyKind kind) {
            double best_ms = HUGE_VAL;
            for (int i = 0; i < 5; ++i) {
                const TimingEvent start, end;
                start.record(context_->stream);
                check(cudaMemcpyAsync(to, from, bytes, kind, context_->stream.get()), "measure the bus");
                end.record(context_->stream);
                best_ms = std::min(best_ms, end.ms_since(start));
            }
            return 1e3 * static_cast<double>(bytes) / best_ms;
        };
        return {rate(host.data(), device.data<void>(), cudaMemcpyHostToDevice),
                rate(device.data<void>(), host.data(), cudaMemcpyDeviceToHost)};
    }

    std::unique_ptr<DeviceStopwatch> stopwatch() override {
        context_->use();
        return std::make_unique<StopwatchOnGpu>(context_);
    }

    void corner_turn(const Matrix& in, Matrix& out, CornerTurnVariant variant, std::int64_t columns) override {
        const MatrixShape shape{in.rows, columns_to_turn(in, columns), in.columns};
        require_corner_turn("the GPU", corner_turn_variants(), variant, shape.rows, shape.columns, shape.pitch);
        context_->use();
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
        context_->use();
        if (from.bytes() != to.bytes())
            throw std::logic_error(fmt::format("copy of {} bytes to a matrix of {}", from.bytes(), to.bytes()));
        if (method == CopyMethod::kernel)
            return copy_by_kernel(from.storage.get(), to.storage.get(), from.bytes(), context_->stream);
        check(cudaMemcpyAsync(to.storage.get(), from.storage.get(), from.bytes(), cudaMemcpyDeviceToDevice,
                              context_->stream.get()),
              "copy a matrix");
    }

    std::int64_t count_differences(const Matrix& expected, const Matrix& got, bool turned) override {
        context_->use();
        require_comparable(expected, got, turned);
        if (bytes_per_sample(expected.format) == sizeof(std::uint64_t))
            return differences<std::uint64_t>(expected, got, turned);
        if (bytes_per_sample(expected.format) == sizeof(std::uint32_t))
            return differences<std::uint32_t>(expected, got, turned);
        throw std::logic_error(fmt::format("difference of samples of {} bytes", bytes_per_sample(expected.format)));
    }

    LoweringReport probe(const Algorithm& algorithm, const LoweringHints& hints) override {
        return probe_on_gpu(algorithm, hints, free_bytes(), *this, context_->limits);
    }
    double pixel_pulses_per_s(const Accumulation& pass) override {
        return info_.rates.pixel_pulses_per_s *
               accumulation_rate(pass, static_cast<std::size_t>(context_->limits.shared_bytes));
    }
    Lowered lower(const Algorithm& algorithm, const LoweringHints& hints) override {
        return lower_on_gpu(algorithm, hints, free_bytes(), *this, context_);
    }
    DeviceBench& bench() override { return *this; }
    std::vector<Chain> chains() const override { return {Chain::plain, Chain::fused, Chain::turn_free}; }

    std::unique_ptr<NonFiniteCounter> non_finite_counter(const EchoDecoding& decoding) override {
        context_->use();
        return non_finite_counter_on_gpu(decoding, context_, count_of_echo_);
    }

    std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding,
                                                  const BackprojectionChip& chip) override {
        context_->use();
        return backproject_on_gpu(echo, decoding, chip, *context_);
    }

    void matrix_product(const Matrix& a, const Matrix& b, Matrix& c, MatrixProductVariant variant) override {
        const ProductShape shape = product_shape(a, b, c);
        require_matrix_product("the GPU", matrix_product_variants(), variant);
        context_->use();
        if (a.format == SampleFormat::float32) return multiply<float>(variant, a, b, c, shape);
        if (a.format == SampleFormat::complex64) return multiply<Complex64>(variant, a, b, c, shape);
        multiply<Complex128>(variant, a, b, c, shape);
    }

    std::vector<MatrixProductVariant> matrix_product_variants() const override {
        return {cornerturn::matrix_product_variants.begin(), cornerturn::matrix_product_variants.end()};
    }

    std::unique_ptr<Recording> record(const std::function<void()>& work) override {
        return std::make_unique<Graph>(std::vector{context_}, work);
    }

    std::unique_ptr<ExchangeBench> exchange_among(std::span<Device* const> devices, Carrier carrier) override {
        std::vector<SharedContext> gpus;
        for (const Device* device : devices) {
            const auto* const gpu = dynamic_cast<const CudaDevice*>(device);
            if (gpu == nullptr)
                throw InputError(fmt::format("exchange between {} and {}: all devices must be of one kind", info().name,
                                             device->info().name));
            gpus.push_back(gpu->context_);
        }
        return exchange_between_gpus(std::move(gpus), carrier);
    }

    void synchronize() override { context_->stream.synchronize(); }
    void synchronize_with_others() override {
        context_->use();
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
        context_->use();
        const TimingEvent start, end;
        work();  // keeps the GPU busy while the host asks for the rest: launches then cost no measured time
        start.record(context_->stream);
        for (int i = 0; i < count; ++i) work();
        end.record(context_->stream);
        return end.ms_since(start);
    }

private:
    std::size_t free_bytes() const {
        context_->use();
        std::size_t free = 0, all = 0;
        check(cudaMemGetInfo(&free, &all), "ask for the free memory");
        return free;
    }

    template <class T>
    void turn(const Matrix& in, Matrix& out, MatrixShape shape, CornerTurnVariant variant) {
        corner_turn_on_gpu(variant, in.data<T>(), out.data<T>(), shape, context_->stream, cublas_);
    }

    template <class T>
    void multiply(MatrixProductVariant variant, const Matrix& a, const Matrix& b, Matrix& c,
                  const ProductShape& shape) {
        matrix_product_on_gpu(variant, a.data<T>(), b.data<T>(), c.data<T>(), shape, context_->limits.multiprocessors,
                              context_->stream, cublas_);
    }

    template <class Word>
    std::int64_t differences(const Matrix& expected, const Matrix& got, bool turned) {
        const MatrixShape shape{expected.rows, turned ? got.rows : expected.columns, expected.columns};
        return count_differences_on_gpu(expected.data<Word>(), got.data<Word>(), shape, turned, context_->stream);
    }

    template <class To>
    void download_as(const Matrix& from, std::span<std::complex<To>> to) {
        context_->use();
        require_native(from, "download");
        if (to.size() * sizeof(Complex64) != from.bytes())
            throw std::logic_error(
                fmt::format("download of {} x {} samples into {}", from.rows, from.columns, to.size()));
        downloaded_bytes_ += from.bytes();
        if (sizeof(To) == sizeof(float) && is_page_locked(to.data()))
            return transfer_.download(from.storage.get(), std::as_writable_bytes(to), context_->stream);
        transfer_.download(from.storage.get(), from.bytes(), sizeof(Complex64), context_->stream,
                           [&](std::size_t offset, std::span<const std::byte> piece) {
                               const auto* samples = reinterpret_cast<const Complex64*>(piece.data());
                               std::complex<To>* target = to.data() + offset / sizeof(Complex64);
                               for (std::size_t i = 0; i < piece.size() / sizeof(Complex64); ++i)
                                   target[i] = {samples[i].re, samples[i].im};
                           });
    }

    SharedContext context_;
    DeviceInfo info_;  ///< but for the memory that is free
    Cublas cublas_;
    CountOnGpu count_of_image_;
    std::shared_ptr<CountOnGpu> count_of_echo_ = std::make_shared<CountOnGpu>();
    mutable Transfer transfer_;  // its clocks wait when asked
    std::shared_ptr<UploadCount> staged_ = std::make_shared<UploadCount>();
    std::uint64_t uploaded_bytes_ = 0, downloaded_bytes_ = 0;
};

}  // namespace

CudaDevices cuda_devices() {
    const GpuCount gpus = count_gpus();
    CudaDevices found{.devices = {}, .reason = gpus.reason};
    for (int index = 0; index < gpus.count; ++index) try {
            found.devices.push_back(listed(index));
        } catch (const DeviceError& error) {
            found.reason = error.what();
        }
    if (!found.devices.empty()) found.reason.clear();
    return found;
}

std::unique_ptr<Device> open_cuda_device(int index) {
    const GpuCount gpus = count_gpus();
    if (gpus.count == 0) throw DeviceError(fmt::format("cuda:{}: {}; use --device cpu", index, gpus.reason));
    if (index < 0 || index >= gpus.count)
        throw DeviceError(
            fmt::format("cuda:{}: there is no such GPU, the last one here is cuda:{}", index, gpus.count - 1));
    check(cudaSetDevice(index), "choose the GPU");
    require_code_for_this_gpu();
    return std::make_unique<CudaDevice>(index);
}

}  // namespace cornerturn
