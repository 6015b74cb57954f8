// SPDX-License-Identifier: Apache-2.0
// Rows of an image that arrive in any order, kept on disk until all are there.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string>

namespace cornerturn {

/// A file without a name, which is gone when the program ends, however it does. What was not written is zero.
class ScratchRows {
public:
    /// Throws DeviceError where no file can be made in the folder.
    ScratchRows(const std::string& folder, std::int64_t columns);
    ~ScratchRows();
    ScratchRows(const ScratchRows&) = delete;
    ScratchRows& operator=(const ScratchRows&) = delete;

    /// Throw DeviceError where the disk fails or is full.
    void write(std::int64_t row, std::int64_t column, std::span<const std::complex<float>> samples);
    void read(std::int64_t first_row, std::span<std::complex<float>> rows) const;

private:
    std::string folder_;
    std::int64_t columns_;
    int descriptor_ = -1;
};

}  // namespace cornerturn
