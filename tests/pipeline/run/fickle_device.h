// SPDX-License-Identifier: Apache-2.0
// A device that a test makes slow, or breaks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/device_bench.h"
#include "kernels/exchange.h"

namespace cornerturn {

/// Another device, but for what happens whenever a step is waited for.
class FickleDevice final : public Device {
public:
    explicit FickleDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

    std::function<void(int step)> at_step;  ///< 1 is the first of all
    std::optional<std::size_t> free_bytes;

    void synchronize() override {
        ++steps_;
        if (at_step) at_step(steps_);
        device_->synchronize();
    }
    DeviceInfo info() const override {
        DeviceInfo info = device_->info();
        info.memory_free_bytes = free_bytes.value_or(info.memory_free_bytes);
        return info;
    }
    Matrix allocate(SampleFormat format, std::int64_t rows, std::int64_t columns) override {
        return device_->allocate(format, rows, columns);
    }
    void upload(std::span<const std::byte> samples, Matrix& to) override { device_->upload(samples, to); }
    void download(const Matrix& from, std::span<std::complex<float>> to) override { device_->download(from, to); }
    void download(const Matrix& from, std::span<std::complex<double>> to) override { device_->download(from, to); }
    void download_as_stored(const Matrix& from, std::span<std::byte> to) override {
        device_->download_as_stored(from, to);
    }
    void download_rows(const Matrix& from, const TakeRows& take) override { device_->download_rows(from, take); }
    std::unique_ptr<StagedLines> stage(SampleFormat format, std::int64_t rows, std::int64_t columns) override {
        return device_->stage(format, rows, columns);
    }
    std::shared_ptr<std::byte> host_memory(std::size_t bytes) override { return device_->host_memory(bytes); }
    std::unique_ptr<DeviceStopwatch> stopwatch() override { return device_->stopwatch(); }
    LoweringReport probe(const Algorithm& algorithm, const LoweringHints& hints) override {
        return device_->probe(algorithm, hints);
    }
    Lowered lower(const Algorithm& algorithm, const LoweringHints& hints) override {
        return device_->lower(algorithm, hints);
    }
    std::unique_ptr<EchoReduction> reduction(std::int64_t lines, std::int64_t samples,
                                             const EchoDecoding& decoding) override {
        return device_->reduction(lines, samples, decoding);
    }
    std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding,
                                                  const BackprojectionChip& chip) override {
        return device_->backproject(echo, decoding, chip);
    }
    void matrix_product(const Matrix& a, const Matrix& b, Matrix& c, MatrixProductVariant variant) override {
        device_->matrix_product(a, b, c, variant);
    }
    std::unique_ptr<Recording> record(const std::function<void()>& work) override { return device_->record(work); }
    std::unique_ptr<ExchangeBench> exchange_among(std::span<Device* const> devices) override {
        std::vector<Device*> inner;
        for (Device* device : devices) inner.push_back(dynamic_cast<FickleDevice&>(*device).device_.get());
        return device_->exchange_among(inner);
    }
    TransferCount transferred() const override { return device_->transferred(); }
    DeviceBench& bench() override { return device_->bench(); }

private:
    std::unique_ptr<Device> device_;
    int steps_ = 0;
};

}  // namespace cornerturn
