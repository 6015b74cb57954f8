// SPDX-License-Identifier: Apache-2.0
// Echo lines on their way to the GPU, in a stream of copies beside the stream that computes.
#pragma once

#include "kernels/cuda/runtime/context.h"
#include "kernels/cuda/runtime/memory.h"
#include "kernels/device/staging.h"

namespace cornerturn {

/// What all staged lines of a device count together.
struct UploadCount {
    std::uint64_t bytes = 0;
    StreamClock clock;
};

class StagedLinesOnGpu final : public StagedLines {
public:
    StagedLinesOnGpu(SharedContext context, std::shared_ptr<UploadCount> count, SampleFormat format, std::int64_t rows,
                     std::int64_t columns);
    ~StagedLinesOnGpu() override;
    StagedLinesOnGpu(const StagedLinesOnGpu&) = delete;
    StagedLinesOnGpu& operator=(const StagedLinesOnGpu&) = delete;

    std::span<std::byte> host() override;
    Matrix send(std::int64_t rows) override { return send_from(host_.data(), rows); }
    Matrix send_from(const std::byte* lines, std::int64_t rows) override;
    Matrix send_into(Matrix& whole, std::int64_t first_row, std::int64_t rows) override;
    void release() override;

private:
    Matrix copy(const std::byte* lines, Matrix to);

    SharedContext context_;
    std::shared_ptr<UploadCount> count_;
    Matrix place_;       // on the device; its storage comes with the first use
    PinnedBuffer host_;  // likewise
    Event sent_, free_;
};

}  // namespace cornerturn
