// SPDX-License-Identifier: Apache-2.0
// Work common to azimuth blocks on one device and on several.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/echo/timeline.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// In the same order.
std::vector<const Acquisition*> acquisitions_of(std::span<EchoSource* const> frames);

/// The algorithm that forms one block.
Algorithm algorithm_of(const Acquisition& frame, const FocusSetup& setup, std::size_t block);

/// Whether samples of this format may be NaN or infinite.
bool has_floating_point_samples(const Acquisition& frame);

/// An image that is not finite is none: throws DeviceError, and with that nothing is written.
void check_finite(std::span<const std::complex<float>> rows, std::int64_t first_row, std::int64_t columns,
                  const Acquisition& frame);

/// The same, looked for by a device with memory of its own, before the rows come down. False: it did not look, or found
/// one.
bool is_finite(Device& device, const Matrix& image);

/// Adds rows of a part's image to those of the sum.
void add_to(std::complex<float>* sum, std::span<const std::complex<float>> rows);

/// How many blocks an earlier run has completed.
std::size_t blocks_there(const std::vector<AzimuthBlock>& blocks, std::int64_t rows);

/// Lines of a frame that were looked at with the blocks before this one, of which the first is `first`.
std::int64_t lines_counted(const std::vector<AzimuthBlock>& blocks, std::size_t block, std::size_t first);

/// What the bus of a device carried since it was last asked, in the lanes of this device; nothing without a timeline.
void note_copies(Device& device, Timeline* timeline, std::size_t number);

}  // namespace cornerturn
