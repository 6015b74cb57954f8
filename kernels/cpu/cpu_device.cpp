// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "kernels/cpu/back_projection/chip.h"
#include "kernels/cpu/exchange.h"
#include "kernels/cpu/lines/corner_turn.h"
#include "kernels/cpu/lines/line_walker.h"
#include "kernels/cpu/lowering.h"
#include "kernels/cpu/matrix_product/matrix_product.h"
#include "kernels/cpu/non_finite.h"
#include "kernels/cpu/staging.h"
#include "kernels/cpu/tiles/tiled_accumulation.h"
#include "kernels/device/device_bench.h"
#include "kernels/device/work_itself.h"
#include "kernels/errors.h"
#include "kernels/host/available_memory.h"
#include "kernels/host/processor_name.h"
#include "kernels/host/thread_limit.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

std::size_t machine_memory_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// In large pages where the system leaves the choice to programs: matrices are walked across their rows.
void* allocate_bytes(std::size_t bytes) {
    constexpr std::size_t large_page = 2 << 20, cache_line = 64;
    const bool large = bytes >= 4 * large_page;
    void* memory = nullptr;
    if (posix_memalign(&memory, large ? large_page : cache_line, bytes) != 0) return nullptr;
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

template <class Real>
class CpuDevice final : public Device, public DeviceBench {
public:
    explicit CpuDevice(int threads) : threads_(thread_count(threads)) {}

    DeviceInfo info() const override {
        DeviceInfo info = cpu_info(threads_);
        if constexpr (sizeof(Real) == 8) {
            info.name = "cpu-double";
            info.native = SampleFormat::complex128;
        }
        return info;
    }

    MemoryPlace place() const override { return host_memory_place; }

    Matrix allocate(SampleFormat format, std::int64_t rows, std::int64_t columns) override {
        Matrix matrix{.storage = nullptr, .capacity_bytes = 0, .format = format, .rows = rows, .columns = columns};
        matrix.capacity_bytes = (matrix.bytes() + 63) / 64 * 64;
        void* const memory = allocate_bytes(matrix.capacity_bytes);
        if (!memory)
            throw MemoryError(fmt::format(
                "matrix of {} x {} samples: {:.1f} MiB of memory are not there; process a smaller scene or free memory",
                rows, columns, static_cast<double>(matrix.capacity_bytes) / 1048576.0));
        matrix.storage = std::shared_ptr<void>(memory, std::free);
        return matrix;
    }

    void upload(std::span<const std::byte> samples, Matrix& to) override {
        if (samples.size() != to.bytes())
            throw std::logic_error(fmt::format("upload of {} bytes to a matrix of {}", samples.size(), to.bytes()));
        std::memcpy(to.storage.get(), samples.data(), samples.size());
        transferred_.uploaded_bytes += samples.size();
    }

    void download(const Matrix& from, std::span<std::complex<float>> to) override { convert(from, to); }
    void download(const Matrix& from, std::span<std::complex<double>> to) override { convert(from, to); }

    void download_as_stored(const Matrix& from, std::span<std::byte> to) override {
        if (to.size() != from.bytes())
            throw std::logic_error(fmt::format("download of {} bytes into {}", from.bytes(), to.size()));
        std::memcpy(to.data(), from.storage.get(), to.size());
        transferred_.downloaded_bytes += from.bytes();
    }

    void download_rows(const Matrix& from, const TakeRows& take) override {
        const std::int64_t at_once =
            std::max<std::int64_t>(1, (std::int64_t{4} << 20) / std::max<std::int64_t>(1, from.columns));
        std::vector<std::complex<float>> converted;
        for (std::int64_t first = 0; first < from.rows; first += at_once) {
            throw_if_interrupted();
            const Matrix rows = from.rows_from(first, std::min(at_once, from.rows - first));
            const auto count = static_cast<std::size_t>(rows.rows * rows.columns);
            if constexpr (sizeof(Real) == sizeof(float)) {
                require_matrix(rows, native_format<Real>, rows.rows, rows.columns, "download: the matrix");
                transferred_.downloaded_bytes += rows.bytes();
                take(first, {reinterpret_cast<const std::complex<float>*>(rows.data<Complex<Real>>()), count});
            } else {
                converted.resize(count);
                convert(rows, std::span(converted));
                take(first, converted);
            }
        }
    }

    bool copy_finite(const Matrix& from, Matrix& to) override {
        require_matrix(from, native_format<Real>, to.rows, to.columns, "copy of what is finite: the matrix");
        require_matrix(to, SampleFormat::complex64, to.rows, to.columns, "copy of what is finite: its place");
        const auto* source = from.data<Complex<Real>>();
        auto* target = to.data<Complex64>();
        const std::int64_t count = from.rows * from.columns;
        int bad = 0;
#pragma omp parallel for simd num_threads(threads_) reduction(| : bad)
        for (std::int64_t i = 0; i < count; ++i) {
            target[i] = complex_cast<float>(source[i]);
            bad |= target[i].re * 0.0f + target[i].im * 0.0f == 0.0f ? 0 : 1;  // what is not finite is not 0 then
        }
        return bad == 0;
    }

    std::unique_ptr<StagedLines> stage(SampleFormat format, std::int64_t rows, std::int64_t columns) override {
        return std::make_unique<StagedLinesOnCpu>(allocate(format, rows, columns), transferred_);
    }

    std::shared_ptr<std::byte> host_memory(std::size_t bytes) override {
        const Matrix memory = allocate(SampleFormat::int8, 1, static_cast<std::int64_t>((bytes + 1) / 2));
        return {memory.storage, memory.data<std::byte>()};
    }

    BusRate bus_rate(std::size_t bytes) override {
        const auto samples = static_cast<std::int64_t>((bytes + 1) / 2);
        const Matrix from = allocate(SampleFormat::int8, 1, samples);
        Matrix to = allocate(SampleFormat::int8, 1, samples);
        std::memset(from.data<std::byte>(), 1, from.bytes());
        double best_ms = HUGE_VAL;
        for (int i = 0; i < 5; ++i)
            best_ms = std::min(best_ms, time_ms([&] { std::memcpy(to.storage.get(), from.storage.get(), bytes); }, 1));
        return {1e3 * static_cast<double>(bytes) / best_ms, 1e3 * static_cast<double>(bytes) / best_ms};
    }

    std::unique_ptr<DeviceStopwatch> stopwatch() override { return std::make_unique<StopwatchOnCpu>(); }

    void corner_turn(const Matrix& in, Matrix& out, CornerTurnVariant variant, std::int64_t columns) override {
        columns = columns_to_turn(in, columns);
        require_corner_turn("the CPU", corner_turn_variants(), variant, in.rows, columns, in.columns);
        if (out.format != in.format) throw std::logic_error("corner turn: input and output have different formats");
        out = out.reshaped(columns, in.rows);
        if (bytes_per_sample(in.format) == sizeof(Complex<Real>)) return turn<Complex<Real>>(in, out, variant);
        if (bytes_per_sample(in.format) == sizeof(std::uint32_t)) return turn<std::uint32_t>(in, out, variant);
        throw std::logic_error(fmt::format("corner turn of samples of {} bytes", bytes_per_sample(in.format)));
    }

    std::vector<CornerTurnVariant> corner_turn_variants() const override {
        return {CornerTurnVariant::naive, CornerTurnVariant::production, CornerTurnVariant::inplace};
    }

    void copy(const Matrix& from, Matrix& to, CopyMethod method) override {
        if (from.bytes() != to.bytes())
            throw std::logic_error(fmt::format("copy of {} bytes to a matrix of {}", from.bytes(), to.bytes()));
        if (method == CopyMethod::library) return copy_by_library(from, to);
        const auto words =
            static_cast<std::int64_t>(from.bytes() / sizeof(std::uint16_t));  // the shortest sample has one
        const auto* source = from.data<std::uint16_t>();
        auto* target = to.data<std::uint16_t>();
#pragma omp parallel for simd num_threads(threads_)
        for (std::int64_t i = 0; i < words; ++i) target[i] = source[i];
    }

    std::int64_t count_differences(const Matrix& expected, const Matrix& got, bool turned) override {
        require_comparable(expected, got, turned);
        const std::size_t sample = bytes_per_sample(expected.format);
        const std::int64_t rows = expected.rows, columns = turned ? got.rows : expected.columns,
                           pitch = expected.columns;
        std::int64_t differences = 0;
#pragma omp parallel for num_threads(threads_) reduction(+ : differences)
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < columns; ++column) {
                const std::int64_t here = row * pitch + column, there = turned ? column * rows + row : here;
                differences +=
                    std::memcmp(expected.data<std::byte>() + here * static_cast<std::int64_t>(sample),
                                got.data<std::byte>() + there * static_cast<std::int64_t>(sample), sample) != 0;
            }
        return differences;
    }

    LoweringReport probe(const Algorithm& algorithm, const LoweringHints& hints) override {
        const ThreadLimit limit(threads_);
        return probe_on_cpu(algorithm, hints, native_format<Real>, threads_, *this);
    }
    double pixel_pulses_per_s(const Accumulation& pass) override {
        return info().rates.pixel_pulses_per_s * tiled_rate(pass);
    }
    Lowered lower(const Algorithm& algorithm, const LoweringHints& hints) override {
        const ThreadLimit limit(threads_);
        return lower_on_cpu<Real>(algorithm, hints, threads_, *this);
    }
    DeviceBench& bench() override { return *this; }
    std::vector<Chain> chains() const override { return {Chain::plain, Chain::turn_free}; }

    std::unique_ptr<NonFiniteCounter> non_finite_counter(const EchoDecoding& decoding) override {
        return non_finite_counter_on_cpu(decoding, threads_);
    }

    std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding,
                                                  const BackprojectionChip& chip) override {
        return backproject_on_cpu(echo, decoding, chip, threads_);
    }

    void matrix_product(const Matrix& a, const Matrix& b, Matrix& c, MatrixProductVariant variant) override {
        const ProductShape shape = product_shape(a, b, c);
        require_matrix_product("the CPU", matrix_product_variants(), variant);
        if (a.format == SampleFormat::float32) return multiply<float>(variant, a, b, c, shape);
        if (a.format == SampleFormat::complex64) return multiply<Complex64>(variant, a, b, c, shape);
        multiply<Complex128>(variant, a, b, c, shape);
    }

    std::vector<MatrixProductVariant> matrix_product_variants() const override {
        return {MatrixProductVariant::naive, MatrixProductVariant::tiled, MatrixProductVariant::production};
    }

    std::unique_ptr<Recording> record(const std::function<void()>& work) override {
        return std::make_unique<WorkItself>(work);
    }
    std::unique_ptr<ExchangeBench> exchange_among(std::span<Device* const> devices, Carrier carrier) override {
        if (carrier != Carrier::fastest)
            throw InputError(fmt::format("exchange by {}: CPUs share one memory; leave the carrier out, or choose GPUs",
                                         name_of(carrier)));
        for (const Device* device : devices)
            if (dynamic_cast<const CpuDevice*>(device) == nullptr)
                throw InputError(fmt::format("exchange between {} and {}: all devices must be of one kind", info().name,
                                             device->info().name));
        return std::make_unique<CpuExchange<Complex<Real>>>(devices.size(), info().native, threads_);
    }

    void synchronize() override {}
    TransferCount transferred() const override { return transferred_; }

    double time_ms(const std::function<void()>& work, int count) override {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < count; ++i) work();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }

private:
    template <class T>
    void turn(const Matrix& in, Matrix& out, CornerTurnVariant variant) {
        if (variant == CornerTurnVariant::naive)
            return naive_corner_turn_on_cpu(in.data<T>(), out.data<T>(), in.rows, out.rows, in.columns, threads_);
        if (variant == CornerTurnVariant::production)
            return corner_turn_on_cpu(in.data<T>(), out.data<T>(), in.rows, out.rows, in.columns, threads_);
        if (in.storage != out.storage) copy_by_library(in, out);
        inplace_corner_turn_on_cpu(out.data<T>(), in.rows, threads_);
    }

    template <class T>
    void multiply(MatrixProductVariant variant, const Matrix& a, const Matrix& b, Matrix& c,
                  const ProductShape& shape) {
        matrix_product_on_cpu(variant, a.data<T>(), b.data<T>(), c.data<T>(), shape, threads_);
    }

    /// Each thread its share, in whole pages.
    void copy_by_library(const Matrix& from, Matrix& to) {
        constexpr std::size_t page = 4096;
        const std::size_t pages = (from.bytes() + page - 1) / page, shares = static_cast<std::size_t>(threads_);
#pragma omp parallel for num_threads(threads_)
        for (std::size_t share = 0; share < shares; ++share) {
            const std::size_t first = pages * share / shares * page,
                              last = std::min(pages * (share + 1) / shares * page, from.bytes());
            if (first < last) std::memcpy(to.data<std::byte>() + first, from.data<std::byte>() + first, last - first);
        }
    }

    template <class To>
    void convert(const Matrix& from, std::span<std::complex<To>> to) {
        require_matrix(from, native_format<Real>, from.rows, from.columns, "download: the matrix");
        const std::int64_t count = from.rows * from.columns;
        if (static_cast<std::int64_t>(to.size()) != count)
            throw std::logic_error(fmt::format("download of {} samples into {}", count, to.size()));
        const auto* source = from.data<Complex<Real>>();
#pragma omp parallel for num_threads(threads_)
        for (std::int64_t i = 0; i < count; ++i)
            to[static_cast<std::size_t>(i)] = {static_cast<To>(source[i].re), static_cast<To>(source[i].im)};
        transferred_.downloaded_bytes += from.bytes();
    }

    int threads_;
    TransferCount transferred_;
};

}  // namespace

/// As measured on cores of 2023 with AVX-512; others are slower at all of it alike.
WorkRates rates_of_threads(int threads) {
    constexpr WorkRates of_thread{.bytes_per_s = 6e9,
                                  .operations_per_s = 15e9,
                                  .pixel_pulses_per_s = 0.9e9,
                                  .factorised_pulses_per_s = 0.9e9,
                                  .raised_pulses_per_s = 0.9e9};
    return {threads * of_thread.bytes_per_s, threads * of_thread.operations_per_s,
            threads * of_thread.pixel_pulses_per_s, threads * of_thread.factorised_pulses_per_s,
            threads * of_thread.raised_pulses_per_s};
}

DeviceInfo cpu_info(int threads) {
    const int workers = thread_count(threads);
    return {.name = "cpu",
            .description = fmt::format("{}, {} threads", processor_name(), workers),
            .memory_bytes = machine_memory_bytes(),
            .memory_free_bytes = available_memory_bytes(),
            .native = SampleFormat::complex64,
            .shares_host_memory = true,
            .rates = rates_of_threads(workers)};
}

std::unique_ptr<Device> open_cpu_device(int threads) { return std::make_unique<CpuDevice<float>>(threads); }
std::unique_ptr<Device> open_cpu_double_device(int threads) { return std::make_unique<CpuDevice<double>>(threads); }

}  // namespace cornerturn
