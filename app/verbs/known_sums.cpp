// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/known_sums.h"

#include <cstdint>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <tuple>

#include "data/files/input_state.h"

namespace cornerturn {

std::string known_sha256(const std::string& path) {
    static std::mutex of_known;
    static std::map<std::tuple<std::string, std::uint64_t, std::string>, std::shared_future<std::string>> known;
    const InputState state = input_state(path);
    std::unique_lock lock(of_known);
    auto& sum = known[{std::filesystem::absolute(path).string(), state.bytes, state.modified}];
    // Whoever waits first reads; one that could not be read is read again.
    if (!sum.valid()) sum = std::async(std::launch::deferred, sha256_of_input, path).share();
    const std::shared_future<std::string> mine = sum;
    lock.unlock();
    try {
        return mine.get();
    } catch (...) {
        lock.lock();
        sum = {};
        throw;
    }
}

}  // namespace cornerturn
