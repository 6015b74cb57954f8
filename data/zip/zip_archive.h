// SPDX-License-Identifier: Apache-2.0
// Zip archives by libzip, also of more than 4 GB: members that are stored or deflated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct zip;  // of libzip

namespace cornerturn {

class ZipArchive {
public:
    struct Member {
        std::string name;  ///< with folders, as the archive has it
        std::uint64_t index = 0;
    };

    /// By its first bytes. False, too, where it cannot be read.
    static bool is_zip(const std::string& path);

    /// Throws InputError where the directory at the end is damaged.
    explicit ZipArchive(const std::string& path);
    const std::vector<Member>& members() const { return members_; }

    /// Into a file that is not there yet. Throws InputError where the member is damaged, or of a kind that is not read;
    /// Interrupted on a request to stop.
    void unpack(const Member& member, const std::string& to) const;

private:
    struct Close {
        void operator()(zip* archive) const;
    };

    std::string path_;
    std::unique_ptr<zip, Close> archive_;
    std::vector<Member> members_;
};

}  // namespace cornerturn
