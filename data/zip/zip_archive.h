// SPDX-License-Identifier: Apache-2.0
// Zip archives, also of more than 4 GB (PKWARE's APPNOTE, sections 4.3 to 4.5): members that are stored or deflated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/files/binary_file.h"

namespace cornerturn {

class ZipArchive {
public:
    struct Member {
        std::string name;  ///< with folders, as the archive has it
        std::uint64_t packed_bytes = 0, bytes = 0, header_at = 0;
        std::uint32_t checksum = 0;
        int method = 0;
        bool encrypted = false;
    };

    /// By its first bytes. False, too, where it cannot be read.
    static bool is_zip(const std::string& path);

    /// Throws InputError where the directory at the end is damaged.
    explicit ZipArchive(const std::string& path);
    const std::vector<Member>& members() const { return members_; }

    /// Into a file that is not there yet. Throws InputError where the member is damaged, or of a kind that is not read.
    void unpack(const Member& member, const std::string& to) const;

private:
    std::uint64_t data_at(const Member& member) const;

    BinaryFile file_;
    std::vector<Member> members_;
};

}  // namespace cornerturn
