// SPDX-License-Identifier: Apache-2.0
// Files by what they are, not by how their names are written: two names for one file are found out.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace cornerturn {

/// The files that a run reads and writes. A file is known by its device and inode (so by hard links, too), and, whether
/// it is there yet or not, by the folder it lies in, behind all symbolic links, and its name there.
class FileNames {
public:
    struct Named {
        std::string path;
        bool written = false;
        std::string by = {};  ///< who named it, for people
    };

    /// The one that was added before for the same file; nullptr: none.
    const Named* find(const std::string& path) const;
    void add(Named file);

private:
    using Key = std::tuple<dev_t, ino_t, std::string>;
    static std::vector<Key> keys_of(const std::string& path);

    std::map<Key, Named> files_;
};

/// Throws InputError unless each of `outputs` can be created or replaced (check_output_path), no two of them are one
/// file, and none is one of `inputs`. Empty names, of what was not asked for, are passed over. All that were named.
FileNames check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs = {});

}  // namespace cornerturn
