// SPDX-License-Identifier: Apache-2.0
// Where a bench puts its files.
#pragma once

#include <string>

namespace cornerturn {

/// A folder of a bench's own, which goes away with all that is in it, also where the program must end at once.
class BenchFolder {
public:
    /// In `parent`; empty: in the folder for temporary files. Throws InputError where none can be made.
    BenchFolder(const std::string& bench, const std::string& parent);
    ~BenchFolder();
    BenchFolder(const BenchFolder&) = delete;
    BenchFolder& operator=(const BenchFolder&) = delete;

    const std::string& path() const { return path_; }
    /// A file in it.
    std::string file(const std::string& name) const;
    /// A folder in it, which is made.
    std::string folder(const std::string& name) const;

private:
    std::string path_;
};

}  // namespace cornerturn
