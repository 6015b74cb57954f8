// SPDX-License-Identifier: Apache-2.0
// Output files appear under their name only when complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "data/files/unfinished.h"

namespace cornerturn {

/// Throws InputError unless `output` can be created or replaced: its folder exists and is writable, it is no folder or
/// device, and it is not the same file as `input` (may be empty). Cheap; call it before any work is done.
void check_output_path(const std::string& output, const std::string& input = {});

/// Waits until a file or folder is on the disk. What cannot be opened or waited for (special file systems) is left
/// alone. Throws DeviceError.
void bring_to_disk(const std::string& path);

/// What becomes of a file that is not complete when the program ends.
enum class Unfinished {
    removed,
    kept  ///< under a name that the next run finds
};

/// Bytes in words: "3.2 MiB", of less than one in KiB.
std::string size_text(std::uint64_t bytes);

/// Where an unfinished file is kept.
std::string unfinished_name(const std::string& path);

/// A file being written under a hidden temporary name beside its final one. Unless commit() was reached the temporary
/// file is removed again, whatever happened, unless it is to be kept; where a program must end at once, by
/// remove_unfinished(). A file-size limit shows up as an error of the writing call, not as a signal.
class OutputFile {
public:
    /// Checks the path and, so that a disk too small is noticed before hours of work, that `expected_bytes` fit. Throws
    /// InputError where another run has the unfinished file.
    explicit OutputFile(const std::string& path, std::uint64_t expected_bytes = 0,
                        Unfinished unfinished = Unfinished::removed);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    const std::string& path() const { return path_; }                      ///< final
    const std::string& temporary_path() const { return temporary_path_; }  ///< write here
    std::uint64_t expected_bytes() const { return expected_bytes_; }

    /// Brings the complete file to the disk and gives it its final name, replacing what was there. Throws DeviceError
    /// if that fails.
    void commit();

private:
    std::string path_;
    std::optional<UnfinishedName> own_name_;  ///< none where the file is kept
    std::string temporary_path_;
    std::uint64_t expected_bytes_;
    Unfinished unfinished_;
    bool committed_ = false;
};

/// Removes what runs that were killed have left of a file that they were writing, but for what another run still
/// writes, or may write: where the file system does not tell (NFS without locks), all stays.
void remove_abandoned(const std::string& path);

/// The same of many files, whose folders are listed once each, when the first of their files is asked for: a listing
/// for each of a thousand files in one folder would take longer than they do. For several threads.
class AbandonedFiles {
public:
    void remove_of(const std::string& path);

private:
    std::mutex one_at_a_time_;
    std::map<std::string, std::set<std::string>> names_;  ///< of unfinished files in a folder
};

/// Puts a small file in place of another as a whole, and waits until it is on the disk. Throws DeviceError.
void replace_file(const std::string& path, std::span<const std::byte> bytes);
void replace_file(const std::string& path, std::string_view text);
/// Removes a file, if it is there, and waits until that is on the disk.
void remove_file(const std::string& path);

}  // namespace cornerturn
