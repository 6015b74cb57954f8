// SPDX-License-Identifier: Apache-2.0
#include "data/files/sha256.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "data/files/file_descriptor.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

void check(int well, const char* call) {
    if (well != 1) throw DeviceError(fmt::format("libcrypto: {} failed", call));
}

}  // namespace

void Sha256::Release::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    check(context_ != nullptr, "EVP_MD_CTX_new");
    check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr), "EVP_DigestInit_ex");
}

void Sha256::add(std::span<const std::byte> bytes) {
    check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()), "EVP_DigestUpdate");
}

std::string Sha256::digits() {
    std::array<unsigned char, 32> digest{};
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr), "EVP_DigestFinal_ex");
    std::string text;
    for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
    return text;
}

std::string sha256_of(std::string_view text) {
    Sha256 sum;
    sum.add(std::as_bytes(std::span(text)));
    return sum.digits();
}

std::string sha256_of_file(const std::string& path) {
    const FileDescriptor file(path, O_RDONLY);
    if (!file.is_open()) throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
    std::vector<std::byte> piece(std::size_t{4} << 20);
    Sha256 sum;
    for (;;) {
        throw_if_interrupted();
        const ssize_t got = read(file, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EISDIR) throw InputError(fmt::format("{}: is a folder, expected a file", path));
        if (got < 0) throw DeviceError(fmt::format("{}: reading failed: {}", path, std::strerror(errno)));
        if (got == 0) return sum.digits();
        sum.add(std::span(piece).first(static_cast<std::size_t>(got)));
    }
}

StoredFile stored_file(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0)
        throw DeviceError(fmt::format("{}: is not there: {}", path, std::strerror(errno)));
    return {.path = path, .bytes = static_cast<std::uint64_t>(about.st_size)};
}

}  // namespace cornerturn
