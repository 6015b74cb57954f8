// SPDX-License-Identifier: Apache-2.0
// Zip archives as raw echo is downloaded: lines are read in any order and more than once, so that what an archive holds
// of it is unpacked into a temporary folder first.
#pragma once

#include <memory>
#include <string>

#include "data/files/temporary_folder.h"

namespace cornerturn {

class UnpackedArchive {
public:
    /// Throws InputError where the archive is damaged, or the temporary folder has no room.
    explicit UnpackedArchive(const std::string& archive);

    /// The folder or the file that was in it; the folder of all, where there were several.
    const std::string& path() const { return path_; }

private:
    TemporaryFolder folder_;
    std::string path_;
};

/// Of a zip archive that holds files named as those of raw echo; else nullptr. Jobs open a file several times: the last
/// few archives stay unpacked while they do not change, to the end of the process. Throws as UnpackedArchive does.
std::shared_ptr<const UnpackedArchive> unpacked_if_zip(const std::string& path);

}  // namespace cornerturn
