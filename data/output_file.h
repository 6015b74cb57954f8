// SPDX-License-Identifier: Apache-2.0
// Output files appear under their name only when complete.
#pragma once

#include <cstdint>
#include <string>

namespace cornerturn {

/// Throws InputError unless `output` can be created or replaced: its folder exists and is writable, it is no folder or device, and
/// it is not the same file as `input` (may be empty). Cheap; call it before any work is done.
void check_output_path(const std::string& output, const std::string& input = {});

/// A file being written under a hidden temporary name beside its final one. Unless commit() was reached the temporary file is
/// removed again, whatever happened; where a program must end at once, by remove_unfinished(). A file-size limit shows up as an error of
/// the writing call, not as a signal.
class OutputFile {
public:
    /// Checks the path and, so that a disk too small is noticed before hours of work, that `expected_bytes` fit.
    explicit OutputFile(const std::string& path, std::uint64_t expected_bytes = 0);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    const std::string& path() const { return path_; }                      ///< final
    const std::string& temporary_path() const { return temporary_path_; }  ///< write here
    std::uint64_t expected_bytes() const { return expected_bytes_; }

    /// Brings the complete file to the disk and gives it its final name, replacing what was there. Throws DeviceError if that fails.
    void commit();

private:
    std::string path_;
    std::string temporary_path_;
    std::uint64_t expected_bytes_;
    bool committed_ = false;
};

}  // namespace cornerturn
