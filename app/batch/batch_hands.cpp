// SPDX-License-Identifier: Apache-2.0
#include "app/batch/batch_hands.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "app/verbs/each_burst.h"

namespace cornerturn {
namespace {

constexpr std::uintmax_t little_bytes = std::uintmax_t{4} << 20, unknown_bytes = UINTMAX_MAX;

/// Of all scenes; unknown_bytes where one is a folder, or not there.
std::uintmax_t largest_file(const std::vector<SceneJob>& scenes) {
    std::uintmax_t largest = 1;
    for (const SceneJob& scene : scenes) {
        std::error_code error;
        const std::uintmax_t bytes = std::filesystem::file_size(scene.job.input, error);
        if (error) return unknown_bytes;
        largest = std::max(largest, bytes);
    }
    return largest;
}

/// At most `most`, as long as they take less than half of the free memory: a sample has two bytes in most files, and
/// some 40 once it is computed with.
int scenes_with_room(const DeviceInfo& device, std::uintmax_t largest, int most) {
    constexpr std::uintmax_t bytes_of_scene_per_byte_of_file = 24;
    if (largest == unknown_bytes) return 1;
    return jobs_with_room(device.memory_free_bytes, bytes_of_scene_per_byte_of_file * largest, most);
}

}  // namespace

/// Steps of little scenes are so short that threads would mostly wait for each other: on a CPU each such scene has a
/// thread of its own, as far as there are that many in hand. Threads of larger ones wait too little to share them out.
BatchHands batch_hands(const std::vector<SceneJob>& scenes, const DeviceInfo& device, int at_once, int threads) {
    constexpr int most_little = 16;
    const std::uintmax_t largest = largest_file(scenes);
    const bool little = device.shares_host_memory && largest <= little_bytes;
    const int beside = device.shares_host_memory ? std::clamp(threads / 4, 1, 3) : 6;
    const int most = little ? std::max(beside, std::min(threads, most_little)) : beside;
    const int in_hand = at_once > 0 ? at_once : scenes_with_room(device, largest, most);
    return {in_hand, little ? std::max(1, threads / in_hand) : threads};
}

}  // namespace cornerturn
