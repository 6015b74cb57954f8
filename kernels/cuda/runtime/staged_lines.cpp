// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/staged_lines.h"

#include <utility>

#include "kernels/cuda/runtime/check.h"

namespace cornerturn {

StagedLinesOnGpu::StagedLinesOnGpu(SharedContext context, std::shared_ptr<UploadCount> count, SampleFormat format,
                                   std::int64_t rows, std::int64_t columns)
    : context_(std::move(context)),
      count_(std::move(count)),
      place_{.storage = nullptr, .capacity_bytes = 0, .format = format, .rows = rows, .columns = columns} {}

StagedLinesOnGpu::~StagedLinesOnGpu() {
    // Nothing may still be on its way out of this memory, or be read from it.
    cudaStreamSynchronize(context_->copies.get());
    cudaStreamSynchronize(context_->stream.get());
}

std::span<std::byte> StagedLinesOnGpu::host() {
    context_->use();
    if (host_.bytes() == 0) host_ = PinnedBuffer(place_.bytes());
    sent_.synchronize();
    return {host_.data(), host_.bytes()};
}

Matrix StagedLinesOnGpu::send_from(const std::byte* lines, std::int64_t rows) {
    context_->use();
    if (!place_.storage) {
        DeviceBuffer buffer(place_.bytes(), "lines of the echo");
        place_.capacity_bytes = buffer.bytes();
        place_.storage = std::move(buffer).share();
    }
    return copy(lines, place_.rows_from(0, rows));
}

Matrix StagedLinesOnGpu::send_into(Matrix& whole, std::int64_t first_row, std::int64_t rows) {
    context_->use();
    require_matrix(whole, place_.format, whole.rows, place_.columns, "the matrix that lines are sent to");
    return copy(host_.data(), whole.rows_from(first_row, rows));
}

Matrix StagedLinesOnGpu::copy(const std::byte* lines, Matrix to) {
    context_->copies.wait(free_);
    count_->clock.start(context_->copies);
    check(cudaMemcpyAsync(to.storage.get(), lines, to.bytes(), cudaMemcpyHostToDevice, context_->copies.get()),
          "copy lines of the echo to the device");
    count_->clock.stop(context_->copies);
    context_->copies.record(sent_);
    context_->stream.wait(sent_);
    count_->bytes += to.bytes();
    return to;
}

void StagedLinesOnGpu::release() { context_->stream.record(free_); }

}  // namespace cornerturn
