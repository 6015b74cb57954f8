// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/take.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/files/refusal.h"
#include "data/sentinel1/pulse_trains.h"
#include "kernels/host/letter_case.h"

namespace cornerturn::sentinel1 {

namespace fs = std::filesystem;

namespace {

/// What a job keeps: the packets of the file that it asked for last.
struct KeptPackets {
    std::string path;
    std::uint64_t bytes = 0;
    fs::file_time_type written;
    std::shared_ptr<const Packets> packets;
};

/// By the name of a measurement file, s1a-iw-raw-s-vh-...
bool is_crossed(const std::string& path) {
    const std::string name = lower(fs::path(path).filename().string());
    return name.find("-vh-") != std::string::npos || name.find("-hv-") != std::string::npos;
}

std::shared_ptr<const Packets> packets_of(const BinaryFile& file, KeptOfFile* kept) {
    if (!kept) return std::make_shared<const Packets>(read_packets(file));
    const std::lock_guard lock(kept->mutex);
    std::error_code error;
    const fs::file_time_type written = fs::last_write_time(file.name(), error);
    const auto* before = std::any_cast<KeptPackets>(&kept->value);
    if (before && !error && before->path == file.name() && before->bytes == file.bytes() && before->written == written)
        return before->packets;
    auto packets = std::make_shared<const Packets>(read_packets(file));
    if (!error) kept->value = KeptPackets{file.name(), file.bytes(), written, packets};
    return packets;
}

}  // namespace

bool begins_with_packet(const fs::path& path) try {
    const BinaryFile file(path);
    return file.bytes() >= Packet::header_bytes && is_packet(file.read(0, Packet::header_bytes));
} catch (const InputError&) {
    return false;
}

std::vector<std::string> measurements_in(const std::string& folder) {
    std::error_code error;
    std::vector<std::string> files;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename();
        if (name.ends_with(".dat") && !name.ends_with("-annot.dat") && !name.ends_with("-index.dat") &&
            begins_with_packet(it->path()))
            files.push_back(it->path());
    }
    // Those that were sent and received alike are brighter, and come first.
    std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) {
        return std::pair(is_crossed(a), std::string_view(a)) < std::pair(is_crossed(b), std::string_view(b));
    });
    return files;
}

Take::Take(const std::string& path, KeptOfFile* of_job) : file(path), kept(packets_of(file, of_job)), all(*kept) {
    std::set<unsigned> swaths;
    std::map<std::string, std::int64_t> found;
    for (const Packet& packet : all.packets) {
        if (!packet.is(Signal::echo)) continue;
        swaths.insert(packet.swath);
        if (swath_of(packet.swath) != nullptr) ++found[packet.polarizations()];
    }
    if (swaths.empty()) refuse(path, "holds no echoes, only noise and calibration");
    if (found.empty())
        refuse(path, fmt::format("holds echoes of the swaths {}; known are 1 to 6 (S1 to S6), 10 to 17 (IW, EW), "
                                 "18 and 19 (WV)",
                                 fmt::join(swaths, ", ")));
    const auto of_most =
        std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    constexpr std::int64_t false_ones = 100;  // a damaged header is no polarization
    for (const auto& [name, echoes] : found)
        if (!name.empty() && echoes * false_ones >= of_most->second) polarizations.push_back(name);
    if (polarizations.empty()) refuse(path, "holds echoes of no receiver that is known (0 is V, 1 is H)");
}

bool Take::has(const std::string& polarization) const {
    return std::find(polarizations.begin(), polarizations.end(), polarization) != polarizations.end();
}

Take open_take(const std::string& path, const FrameSelection& selection) {
    const std::optional<std::string>& polarization = selection.polarization;
    std::vector<std::string> files{path}, there;
    if (fs::is_directory(path)) {
        files = measurements_in(path);
        if (files.empty()) refuse(path, "holds no measurement file (.dat) of space packets");
    }
    for (const std::string& file : files) {
        Take take(file, selection.kept.get());
        if (!polarization || take.has(upper(*polarization))) return take;
        there.insert(there.end(), take.polarizations.begin(), take.polarizations.end());
    }
    refuse(path, fmt::format("there is no polarization {}, only {}; choose one of these", *polarization,
                             fmt::join(there, ", ")));
}

}  // namespace cornerturn::sentinel1
