// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_device.h"

#include <fmt/format.h>

#include <stdexcept>
#include <variant>

#include "kernels/cuda/backproject.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/context.h"
#include "kernels/cuda/corner_turn.h"
#include "kernels/cuda/matrix_product.h"
#include "kernels/cuda/plain/plans.h"
#include "kernels/cuda/statistics.h"
#include "kernels/cuda/transfer.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

DeviceInfo info_of(int index) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), "ask for the properties of the GPU");
    check(cudaSetDevice(index), "choose the GPU");
    DeviceInfo info{.name = fmt::format("cuda:{}", index),
                    .description = fmt::format("{}, {} multiprocessors, compute capability {}.{}", properties.name,
                                               properties.multiProcessorCount, properties.major, properties.minor),
                    .native = SampleFormat::complex64};
    check(cudaMemGetInfo(&info.memory_free_bytes, &info.memory_bytes), "ask for the free memory");
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
        return {.reason = fmt::format("the NVIDIA driver (CUDA {}.{}) is too old for this program (CUDA {}.{})", driver / 1000,
                                      driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10)};
    return {.reason = fmt::format("the NVIDIA driver offers no GPU ({})", describe(status))};
}

void require_native(const Matrix& matrix, std::string_view what) {
    if (matrix.format != SampleFormat::complex64)
        throw std::logic_error(
            fmt::format("{}: a matrix of {} bytes a sample; this device works on complex64", what, bytes_per_sample(matrix.format)));
}

class CudaDevice final : public Device {
public:
    explicit CudaDevice(int index) : context_(std::make_shared<CudaContext>()) { context_->index = index; }

    ~CudaDevice() override { cudaStreamSynchronize(context_->stream.get()); }

    DeviceInfo info() const override { return info_of(context_->index); }

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
        transferred_.uploaded_bytes += samples.size();
    }

    void download(const Matrix& from, std::span<std::complex<float>> to) override { download_as(from, to); }
    void download(const Matrix& from, std::span<std::complex<double>> to) override { download_as(from, to); }

    void corner_turn(const Matrix& in, Matrix& out) override {
        context_->use();
        require_native(in, "corner turn");
        require_native(out, "corner turn");
        out = out.reshaped(in.columns, in.rows);
        corner_turn_on_gpu(in.data<Complex64>(), out.data<Complex64>(), in.rows, in.columns, context_->stream);
    }

    std::unique_ptr<PassPlan> plan(const Pass& pass) override {
        context_->use();
        return std::visit([this](const auto& p) { return plain_plan(p, context_); }, pass);
    }

    EchoStatistics statistics(const Matrix& echo, const EchoDecoding& decoding) override {
        context_->use();
        return statistics_on_gpu(echo, decoding, *context_);
    }

    std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding,
                                                  const BackprojectionChip& chip) override {
        context_->use();
        return backproject_on_gpu(echo, decoding, chip, *context_);
    }

    void matrix_product(const Matrix& a, const Matrix& b, Matrix& c) override {
        context_->use();
        if (a.columns != b.rows || c.rows != a.rows || c.columns != b.columns)
            throw std::logic_error(fmt::format("matrix product: {} x {} times {} x {} does not give {} x {}", a.rows, a.columns, b.rows,
                                               b.columns, c.rows, c.columns));
        for (const Matrix* matrix : {&a, &b, static_cast<const Matrix*>(&c)}) require_native(*matrix, "matrix product");
        matrix_product_on_gpu(a.data<Complex64>(), b.data<Complex64>(), c.data<Complex64>(), a.rows, a.columns, b.columns,
                              context_->stream);
    }

    void synchronize() override { context_->stream.synchronize(); }
    TransferCount transferred() const override { return transferred_; }

private:
    template <class To>
    void download_as(const Matrix& from, std::span<std::complex<To>> to) {
        context_->use();
        require_native(from, "download");
        if (to.size() * sizeof(Complex64) != from.bytes())
            throw std::logic_error(fmt::format("download of {} x {} samples into {}", from.rows, from.columns, to.size()));
        transfer_.download(from.storage.get(), from.bytes(), context_->stream, [&](std::size_t offset, std::span<const std::byte> piece) {
            const auto* samples = reinterpret_cast<const Complex64*>(piece.data());
            std::complex<To>* target = to.data() + offset / sizeof(Complex64);
            for (std::size_t i = 0; i < piece.size() / sizeof(Complex64); ++i) target[i] = {samples[i].re, samples[i].im};
        });
        transferred_.downloaded_bytes += from.bytes();
    }

    SharedContext context_;
    Transfer transfer_;
    TransferCount transferred_;
};

}  // namespace

CudaDevices cuda_devices() {
    const GpuCount gpus = count_gpus();
    CudaDevices found{.devices = {}, .reason = gpus.reason};
    for (int index = 0; index < gpus.count; ++index) try {
            found.devices.push_back(info_of(index));
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
        throw DeviceError(fmt::format("cuda:{}: there is no such GPU, the last one here is cuda:{}", index, gpus.count - 1));
    check(cudaSetDevice(index), "choose the GPU");
    require_code_for_this_gpu();
    return std::make_unique<CudaDevice>(index);
}

}  // namespace cornerturn
