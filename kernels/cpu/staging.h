// SPDX-License-Identifier: Apache-2.0
// Staging on a CPU: the memory that lines are read into is the device's own, so nothing is copied.
#pragma once

#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/device/staging.h"

namespace cornerturn {

class StagedLinesOnCpu final : public StagedLines {
public:
    StagedLinesOnCpu(Matrix memory, TransferCount& count) : memory_(std::move(memory)), count_(count) {}

    std::span<std::byte> host() override { return {memory_.data<std::byte>(), memory_.bytes()}; }

    Matrix send(std::int64_t rows) override { return counted(memory_.rows_from(0, rows)); }

    Matrix send_from(const std::byte* lines, std::int64_t rows) override {
        Matrix matrix = counted(memory_.rows_from(0, rows));
        std::memcpy(matrix.storage.get(), lines, matrix.bytes());
        return matrix;
    }

    Matrix send_into(Matrix& whole, std::int64_t first_row, std::int64_t rows) override {
        require_matrix(whole, memory_.format, whole.rows, memory_.columns, "the matrix that lines are sent to");
        Matrix matrix = counted(whole.rows_from(first_row, rows));
        std::memcpy(matrix.storage.get(), memory_.rows_from(0, rows).storage.get(), matrix.bytes());
        return matrix;
    }

    void release() override {}

private:
    Matrix counted(Matrix sent) {
        count_.uploaded_bytes += sent.bytes();
        return sent;
    }

    Matrix memory_;
    TransferCount& count_;
};

class StopwatchOnCpu final : public DeviceStopwatch {
public:
    void start() override { since_ = std::chrono::steady_clock::now(); }
    void stop() override {
        spans_.push_back({since_, std::chrono::steady_clock::now()});
        seconds_ += std::chrono::duration<double>(spans_.back().end - since_).count();
    }
    double seconds() override { return seconds_; }
    std::vector<BusySpan> take_spans() override { return std::exchange(spans_, {}); }

private:
    std::chrono::steady_clock::time_point since_;
    std::vector<BusySpan> spans_;
    double seconds_ = 0;
};

}  // namespace cornerturn
