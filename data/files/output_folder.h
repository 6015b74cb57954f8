// SPDX-License-Identifier: Apache-2.0
// Folders of files, which appear under their name only when all of them are complete.
#pragma once

#include <string>

#include "data/files/unfinished.h"

namespace cornerturn {

/// Throws InputError unless such a folder can be made: there is nothing of this name, and the folder around it is
/// writable.
void check_output_folder(const std::string& path);

/// A folder being filled under a hidden temporary name beside its final one. Unless commit() was reached all of it is
/// removed again.
class OutputFolder {
public:
    /// Throws InputError as check_output_folder does.
    explicit OutputFolder(const std::string& path);
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    /// Where a file of it is to be written, "annotation/calibration/a.xml"; the folders above it are made.
    std::string path_of(const std::string& file);
    /// Brings all files to the disk and gives the folder its name. Throws DeviceError if that fails.
    void commit();

private:
    std::string path_;
    UnfinishedName temporary_;
    bool committed_ = false;
};

}  // namespace cornerturn
