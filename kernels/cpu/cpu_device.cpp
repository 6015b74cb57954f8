// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "kernels/cpu/backproject.h"
#include "kernels/cpu/corner_turn.h"
#include "kernels/cpu/matrix_product.h"
#include "kernels/cpu/pass_plans.h"
#include "kernels/cpu/statistics.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// A number of /proc/meminfo in bytes; 0 where there is none.
std::size_t meminfo_bytes(const std::string& key) {
    std::ifstream file("/proc/meminfo");
    for (std::string name, rest; file >> name && std::getline(file, rest);)
        if (name == key + ":") return std::strtoull(rest.c_str(), nullptr, 10) * 1024;
    return 0;
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "processor";
}

template <class Real>
class CpuDevice final : public Device {
public:
    explicit CpuDevice(int threads) : threads_(threads > 0 ? threads : omp_get_num_procs()) {}

    DeviceInfo info() const override {
        DeviceInfo info = cpu_info(threads_);
        if constexpr (sizeof(Real) == 8) {
            info.name = "cpu-double";
            info.native = SampleFormat::complex128;
        }
        return info;
    }

    Matrix allocate(SampleFormat format, std::int64_t rows, std::int64_t columns) override {
        Matrix matrix{.storage = nullptr, .capacity_bytes = 0, .format = format, .rows = rows, .columns = columns};
        matrix.capacity_bytes = (matrix.bytes() + 63) / 64 * 64;
        void* memory = std::aligned_alloc(64, matrix.capacity_bytes);
        if (!memory)
            throw DeviceError(fmt::format("matrix of {} x {} samples: {:.1f} MiB of memory are not there; process a smaller scene or free memory", rows, columns,
                                          static_cast<double>(matrix.capacity_bytes) / 1048576.0));
        matrix.storage = std::shared_ptr<void>(memory, std::free);
        return matrix;
    }

    void upload(std::span<const std::byte> samples, Matrix& to) override {
        if (samples.size() != to.bytes()) throw std::logic_error(fmt::format("upload of {} bytes to a matrix of {}", samples.size(), to.bytes()));
        std::memcpy(to.storage.get(), samples.data(), samples.size());
        transferred_.uploaded_bytes += samples.size();
    }

    void download(const Matrix& from, std::span<std::complex<float>> to) override { convert(from, to); }
    void download(const Matrix& from, std::span<std::complex<double>> to) override { convert(from, to); }

    void corner_turn(const Matrix& in, Matrix& out) override {
        out = out.reshaped(in.columns, in.rows);
        corner_turn_on_cpu(in.data<Complex<Real>>(), out.data<Complex<Real>>(), in.rows, in.columns, threads_);
    }

    std::unique_ptr<PassPlan> plan(const Pass& pass) override { return plan_on_cpu<Real>(pass, threads_); }

    EchoStatistics statistics(const Matrix& echo, const EchoDecoding& decoding) override { return statistics_on_cpu(echo, decoding, threads_); }

    std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding, const BackprojectionChip& chip) override {
        return backproject_on_cpu(echo, decoding, chip, threads_);
    }

    void matrix_product(const Matrix& a, const Matrix& b, Matrix& c) override {
        if (a.columns != b.rows || c.rows != a.rows || c.columns != b.columns)
            throw std::logic_error(
                fmt::format("matrix product: {} x {} times {} x {} does not give {} x {}", a.rows, a.columns, b.rows, b.columns, c.rows, c.columns));
        matrix_product_on_cpu(a.data<Complex<Real>>(), b.data<Complex<Real>>(), c.data<Complex<Real>>(), a.rows, a.columns, b.columns, threads_);
    }

    void synchronize() override {}
    TransferCount transferred() const override { return transferred_; }

private:
    template <class To>
    void convert(const Matrix& from, std::span<std::complex<To>> to) {
        const std::int64_t count = from.rows * from.columns;
        if (static_cast<std::int64_t>(to.size()) != count) throw std::logic_error(fmt::format("download of {} samples into {}", count, to.size()));
        const auto* source = from.data<Complex<Real>>();
#pragma omp parallel for num_threads(threads_)
        for (std::int64_t i = 0; i < count; ++i) to[static_cast<std::size_t>(i)] = {static_cast<To>(source[i].re), static_cast<To>(source[i].im)};
        transferred_.downloaded_bytes += from.bytes();
    }

    int threads_;
    TransferCount transferred_;
};

}  // namespace

DeviceInfo cpu_info(int threads) {
    return {.name = "cpu",
            .description = fmt::format("{}, {} threads", processor_name(), threads > 0 ? threads : omp_get_num_procs()),
            .memory_bytes = meminfo_bytes("MemTotal"),
            .memory_free_bytes = meminfo_bytes("MemAvailable"),
            .native = SampleFormat::complex64};
}

std::unique_ptr<Device> open_cpu_device(int threads) { return std::make_unique<CpuDevice<float>>(threads); }
std::unique_ptr<Device> open_cpu_double_device(int threads) { return std::make_unique<CpuDevice<double>>(threads); }

}  // namespace cornerturn
