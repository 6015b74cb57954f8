// SPDX-License-Identifier: Apache-2.0
// SHA-256 of texts and files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace cornerturn {

/// Of bytes that come in pieces.
class Sha256 {
public:
    Sha256();
    void add(std::span<const std::byte> bytes);
    /// 64 hexadecimal digits; once.
    std::string digits();

private:
    struct Release {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Release> context_;
};

std::string sha256_of(std::string_view text);

/// Reads the file from its beginning to its end, which brings it into the system's cache on the way. Throws InputError
/// if it cannot be opened, DeviceError if reading fails, Interrupted on request.
std::string sha256_of_file(const std::string& path);

/// A file that was made. `sha256` is empty until it was asked for.
struct StoredFile {
    std::string path;
    std::uint64_t bytes = 0;
    std::string sha256 = {};
};
/// Its size; throws DeviceError if it is not there.
StoredFile stored_file(const std::string& path);

}  // namespace cornerturn
