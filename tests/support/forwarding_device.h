// SPDX-License-Identifier: Apache-2.0
// Another device, one of whose operations a test makes slow, wrong or fail.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kernels/device/device_bench.h"
#include "kernels/device/exchange.h"

namespace cornerturn {

/// Does what another device does. Tests override what they want otherwise.
class ForwardingDevice : public Device {
public:
    explicit ForwardingDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

    DeviceInfo info() const override { return device_->info(); }
    MemoryPlace place() const override { return device_->place(); }
    std::uintptr_t stream() const override { return device_->stream(); }
    void synchronize() override { device_->synchronize(); }
    void synchronize_with_others() override { device_->synchronize_with_others(); }
    bool copy_finite(const Matrix& from, Matrix& to) override { return device_->copy_finite(from, to); }
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
    std::unique_ptr<NonFiniteCounter> non_finite_counter(const EchoDecoding& decoding) override {
        return device_->non_finite_counter(decoding);
    }
    std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding,
                                                  const BackprojectionChip& chip) override {
        return device_->backproject(echo, decoding, chip);
    }
    void matrix_product(const Matrix& a, const Matrix& b, Matrix& c, MatrixProductVariant variant) override {
        device_->matrix_product(a, b, c, variant);
    }
    std::unique_ptr<Recording> record(const std::function<void()>& work) override { return device_->record(work); }
    std::unique_ptr<ExchangeBench> exchange_among(std::span<Device* const> devices, Carrier carrier) override {
        std::vector<Device*> inner;
        for (Device* device : devices) inner.push_back(dynamic_cast<ForwardingDevice&>(*device).device_.get());
        return device_->exchange_among(inner, carrier);
    }
    TransferCount transferred() const override { return device_->transferred(); }
    BusSpans take_bus_spans() override { return device_->take_bus_spans(); }
    DeviceBench& bench() override { return device_->bench(); }

private:
    std::unique_ptr<Device> device_;
};

}  // namespace cornerturn
