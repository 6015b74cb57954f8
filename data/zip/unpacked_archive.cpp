// SPDX-License-Identifier: Apache-2.0
#include "data/zip/unpacked_archive.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "data/files/refusal.h"
#include "data/files/unfinished.h"
#include "data/zip/zip_archive.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

/// Measurement files of Sentinel-1, images and leaders of PALSAR, CPHD.
bool is_of_raw_echo(const std::string& member) {
    const std::string name = fs::path(member).filename();
    if (name.starts_with("._")) return false;  // what macOS notes beside each file
    if (name.ends_with(".dat")) return !name.ends_with("-annot.dat") && !name.ends_with("-index.dat");
    return name.starts_with("IMG-") || name.starts_with("LED-") || name.ends_with(".cphd");
}

std::vector<ZipArchive::Member> wanted_of(const ZipArchive& archive) {
    std::vector<ZipArchive::Member> wanted;
    std::copy_if(archive.members().begin(), archive.members().end(), std::back_inserter(wanted),
                 [](const ZipArchive::Member& member) { return is_of_raw_echo(member.name); });
    return wanted;
}

/// As it was when it was unpacked.
struct State {
    std::string path;
    std::uintmax_t bytes = 0;
    fs::file_time_type written;
    friend bool operator==(const State&, const State&) = default;
};

}  // namespace

UnpackedArchive::UnpackedArchive(const std::string& path) try : folder_("unpacked", "what a zip archive holds") {
    const ZipArchive archive(path);
    std::set<fs::path> tops;
    for (const ZipArchive::Member& member : wanted_of(archive)) {
        throw_if_interrupted();
        // Of the folders the last alone, which is named as the product is: no name leads out of ours.
        const fs::path given(member.name);
        const std::string parent = given.parent_path().filename();
        const fs::path inside =
            parent.empty() || parent == ".." || parent == "." ? given.filename() : parent / given.filename();
        const fs::path to = folder_.path() / inside;
        fs::create_directories(to.parent_path());
        remember_unfinished(to.parent_path());
        remember_unfinished(to);
        archive.unpack(member, to);
        tops.insert(folder_.path() / *inside.begin());
    }
    path_ = tops.size() == 1 ? tops.begin()->string() : folder_.path();
} catch (const fs::filesystem_error& error) {
    refuse(path, fmt::format("cannot be unpacked into {}: {}", error.path1().string(), error.code().message()));
}

std::shared_ptr<const UnpackedArchive> unpacked_if_zip(const std::string& path) {
    struct Kept {
        State state;
        std::shared_ptr<const UnpackedArchive> archive;
    };
    constexpr std::size_t most = 4;  // of scenes of a batch that are in hand at once
    static std::mutex mutex;
    static std::deque<Kept> kept;
    std::error_code none;
    if (!fs::is_regular_file(path, none) || !ZipArchive::is_zip(path)) return nullptr;
    const State state{fs::absolute(path, none), fs::file_size(path, none), fs::last_write_time(path, none)};
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const Kept& one) { return one.state == state; });
    if (found != kept.end()) return found->archive;
    if (wanted_of(ZipArchive(path)).empty()) return nullptr;
    if (kept.size() == most) kept.pop_front();
    kept.push_back({state, std::make_shared<const UnpackedArchive>(path)});
    return kept.back().archive;
}

}  // namespace cornerturn
