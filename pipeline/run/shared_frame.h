// SPDX-License-Identifier: Apache-2.0
// One frame over several devices. Each compresses some of the lines in range and sends every device the range cells
// that it makes its columns of the image of; nothing of the frame lies on one device as a whole.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/device/exchange.h"
#include "pipeline/plan/frame_cut.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {

/// Columns of an image that lie on one device.
struct ImageStrip {
    std::size_t device = 0;
    Interval columns;
    Matrix image;  ///< rows x columns
};

/// Plans and matrices for frames of one kind. For one thread at a time, which then uses all the devices.
class SharedFrame {
public:
    /// Why an algorithm does not go over several devices as one frame; "" where it does.
    static std::string why_not(Device& device, const Algorithm& algorithm, const LoweringHints& hints);

    /// The devices must be of one kind and outlive it. A device's columns come in strips, of at least `strip_columns`
    /// if there are several: it works on one while the next is still on the way. Throws InputError where why_not has a
    /// reason.
    SharedFrame(std::span<Device* const> devices, const Algorithm& algorithm, const LoweringHints& hints,
                std::int64_t strip_columns = 2048);
    ~SharedFrame();

    /// Report of the whole algorithm on the first device.
    const LoweringReport& report() const { return cut_.report(); }
    /// Lines of each device.
    const Slabs& lines() const { return cut_.lines(); }

    /// Lines of the frame that begin with `first_line`, as stored, on the device that takes them.
    void take_lines(std::size_t device, const Matrix& lines, std::int64_t first_line);
    /// Starts the rest, once all lines were taken; it runs asynchronously.
    void finish();
    /// Records `work` on this frame for replay; it must have run once before.
    std::unique_ptr<Recording> record(const std::function<void()>& work) { return exchange_->record(work); }
    /// Waits for the work.
    void wait() { exchange_->wait(); }
    /// The strips from left to right; the next frame reuses their storage.
    std::vector<ImageStrip> image() const;

private:
    struct LinesOnDevice;
    struct Strip;
    void send(std::size_t device, std::size_t strip, std::size_t to, const Matrix& lines, std::int64_t first_line);
    void send_to_others(std::size_t device, std::size_t strip, const Matrix& lines, std::int64_t first_line);

    std::vector<Device*> devices_;
    FrameCut cut_;
    std::unique_ptr<Exchange> exchange_;
    std::vector<std::unique_ptr<LinesOnDevice>> lines_on_;     // of each device
    std::vector<std::vector<std::unique_ptr<Strip>>> strips_;  // [device][strip]
    bool begun_ = false;
};

/// Rows of an image that lies in strips.
void download_rows(std::span<Device* const> devices, std::span<const ImageStrip> strips, std::int64_t first_row,
                   std::int64_t rows, std::span<std::complex<float>> to);

}  // namespace cornerturn
