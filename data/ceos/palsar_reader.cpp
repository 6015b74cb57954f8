// SPDX-License-Identifier: Apache-2.0
#include "data/ceos/palsar_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include "data/ceos/palsar_leader.h"
#include "data/ceos/palsar_lines.h"
#include "data/ceos/record.h"
#include "data/files/refusal.h"
#include "kernels/host/letter_case.h"
#include "kernels/interrupt.h"
#include "pipeline/acquisition/fits/line_fit.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;
using ceos::Kind;
using ceos::Record;

struct PalsarSet {
    std::string leader;
    struct Image {
        std::string polarization, path;
    };
    std::vector<Image> images;  ///< HH before HV, VH and VV
};

bool begins_as(const fs::path& path, Kind kind) try {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return false;  // who opens a pipe waits for what comes through it
    const BinaryFile file(path);
    return file.bytes() >= Record::header_bytes && big_endian(file.read(4, 4)) == static_cast<std::uint32_t>(kind);
} catch (const InputError&) {
    return false;
}

/// "HH" of IMG-HH-ALPSRP000010700-H1.0__A.
std::string polarization_of(const std::string& name) {
    const auto is_letter = [](char c) { return c == 'H' || c == 'V'; };
    return name.size() > 7 && name.starts_with("IMG-") && is_letter(name[4]) && is_letter(name[5]) && name[6] == '-'
               ? name.substr(4, 2)
               : std::string();
}
std::string scene_of(const std::string& name) {
    if (!polarization_of(name).empty()) return name.substr(7);
    return name.starts_with("LED-") ? name.substr(4) : std::string();
}

std::vector<fs::path> files_in(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        files.push_back(it->path());
    std::sort(files.begin(), files.end());
    return files;
}

/// Images of CEOS whose names are not PALSAR's; nullopt: there are none.
std::optional<std::string> other_image(const fs::path& path) {
    std::error_code error;
    const auto is_other = [](const fs::path& file) {
        return polarization_of(file.filename()).empty() && begins_as(file, Kind::image_descriptor);
    };
    if (!fs::is_directory(path, error)) return is_other(path) ? std::optional(path.filename().string()) : std::nullopt;
    for (const fs::path& file : files_in(path))
        if (is_other(file)) return file.filename().string();
    return std::nullopt;
}

PalsarSet find_set(const std::string& path) {
    const bool is_folder = fs::is_directory(path);
    const fs::path folder = is_folder ? fs::path(path) : fs::path(path).parent_path();
    std::string scene = is_folder ? std::string() : scene_of(fs::path(path).filename());
    PalsarSet set;
    for (const fs::path& file : files_in(folder.empty() ? "." : folder)) {
        const std::string name = file.filename(), of = scene_of(name);
        if (of.empty() || (!scene.empty() && of != scene)) continue;
        if (begins_as(file, Kind::leader_descriptor)) {
            set.leader = file;
        } else if (begins_as(file, Kind::image_descriptor)) {
            if (scene.empty() && !set.images.empty() && scene_of(fs::path(set.images.front().path).filename()) != of)
                refuse(path, fmt::format("holds several scenes, {} and {}; name a file of one of them",
                                         scene_of(fs::path(set.images.front().path).filename()), of));
            set.images.push_back({polarization_of(name), file});
        }
    }
    if (const auto other = set.images.empty() ? other_image(path) : std::nullopt)
        refuse(path,
               fmt::format("{} is an image file of CEOS, but not named as ALOS PALSAR's are (IMG-HH-...); those of "
                           "others (ERS, JERS-1, RADARSAT-1, Envisat, ALOS-2) are not read",
                           shown(*other)));
    if (set.images.empty()) refuse(path, "there is no image file IMG-HH-... (or HV, VH, VV) of PALSAR");
    if (set.leader.empty()) refuse(path, "there is no leader LED-... beside the image file, which has the orbit");
    return set;
}

/// Times of lines are cut to microseconds or milliseconds: the line through all of them tells begin and PRF better.
void set_times(const PalsarLines& lines, Acquisition& acquisition) {
    const double first_s = lines.heads.front().time_s;
    const StraightLine times = line_through(lines.number.size(), [&](std::size_t i) {
        return LinePoint{.at = static_cast<double>(lines.number[i]), .value = lines.heads[i].time_s - first_s};
    });
    acquisition.prf_hz = 1 / times.slope;
    acquisition.first_pulse_time_s = first_s + times(0);
    if (lines.number.back() + 1 == std::ssize(lines.number)) return;
    for (const std::int64_t number : lines.number)
        acquisition.pulse_times_s.push_back(acquisition.first_pulse_time_s + static_cast<double>(number) * times.slope);
}

/// exp(j pi slope u^2) at whole samples about the middle one, as it is sent: round(duration rate) of them.
Chirp chirp_of(const PalsarLeader& leader) {
    Chirp chirp{.slope_hz_s = leader.chirp_slope_hz_s, .duration_s = leader.chirp_duration_s};
    const auto samples = std::llround(leader.chirp_duration_s * leader.sample_rate_hz);
    for (std::int64_t i = 0; i < samples; ++i) {
        const double u = (static_cast<double>(i) - 0.5 * static_cast<double>(samples - 1)) / leader.sample_rate_hz;
        chirp.replica.push_back(
            std::polar(1.0f, static_cast<float>(std::remainder(std::numbers::pi * leader.chirp_slope_hz_s * u * u,
                                                               2 * std::numbers::pi))));
    }
    return chirp;
}

struct Opened {
    BinaryFile file;
    PalsarLines lines;
    PalsarLeader leader;
    Acquisition acquisition;
};

void set_window(const PalsarLines& lines, Acquisition& acquisition) {
    const std::int64_t farthest = *std::max_element(lines.shift.begin(), lines.shift.end());
    acquisition.samples = lines.samples + farthest;
    if (farthest == 0) return;
    acquisition.decoding.intervals_per_line = 1;
    for (const std::int64_t shift : lines.shift)
        acquisition.decoding.valid_samples.push_back(
            {static_cast<std::int32_t>(shift), static_cast<std::int32_t>(shift + lines.samples)});
}

/// Raw echo of other satellites has other lines.
void require_alos(const std::string& file, const std::string& mission) {
    const std::string name = upper(mission);
    if (name.empty() || name == "ALOS" || name == "ALOS-1" || name == "ALOS1") return;
    refuse(file, fmt::format("is of {}; of CEOS only raw echo of ALOS (PALSAR, level 1.0) is read", shown(mission)));
}

Opened open_set(const std::string& path, const FrameSelection& selection, std::vector<std::string>& warnings) {
    const PalsarSet set = find_set(path);
    const std::string wanted =
        selection.polarization ? upper(*selection.polarization) : polarization_of(fs::path(path).filename().string());
    const auto image = wanted.empty() ? set.images.begin()
                                      : std::find_if(set.images.begin(), set.images.end(),
                                                     [&](const auto& i) { return i.polarization == wanted; });
    std::vector<std::string> there;
    for (const auto& i : set.images) there.push_back(i.polarization);
    if (selection.frequency && upper(*selection.frequency) != "A")
        refuse(path, fmt::format("there is no frequency {}, only A", *selection.frequency));
    if (image == set.images.end())
        refuse(path, fmt::format("there is no polarization {}, only {}; choose one of these", wanted,
                                 fmt::join(there, ", ")));
    if (wanted.empty() && there.size() > 1)
        warnings.push_back(
            fmt::format("{}: holds polarizations {}; {} is taken", path, fmt::join(there, ", "), there.front()));

    Opened opened{
        .file = BinaryFile(image->path), .lines = {}, .leader = read_palsar_leader(set.leader), .acquisition = {}};
    const PalsarLeader& leader = opened.leader;
    require_alos(set.leader, leader.mission);
    Acquisition& acquisition = opened.acquisition;
    acquisition.range_spacing_m = speed_of_light_m_s / (2 * leader.sample_rate_hz);
    opened.lines = palsar_lines_of(opened.file, acquisition.range_spacing_m, warnings);
    acquisition.polarization = image->polarization;
    acquisition.lines = std::ssize(opened.lines.heads);
    acquisition.format = SampleFormat::complex64;
    const std::chrono::sys_days day = opened.lines.heads.front().day;
    const std::chrono::year_month_day date(day);
    acquisition.epoch =
        fmt::format("{:04}-{:02}-{:02}T00:00:00", int(date.year()), unsigned(date.month()), unsigned(date.day()));
    set_times(opened.lines, acquisition);
    set_window(opened.lines, acquisition);
    acquisition.carrier_hz = speed_of_light_m_s / leader.wavelength_m;
    acquisition.near_range_m = opened.lines.near_m;
    acquisition.chirp = chirp_of(leader);
    acquisition.orbit = leader.orbit;
    for (double& time_s : acquisition.orbit->time_s)
        time_s += 86400.0 * static_cast<double>((leader.orbit_day - day).count());
    constexpr double farthest_s = 1e5;  // what a wrong date makes is farther still
    if (const double outside_s = seconds_outside(*acquisition.orbit, acquisition.first_pulse_time_s);
        outside_s > farthest_s)
        refuse(path, fmt::format("its lines lie {:.6g} s outside the leader's state vectors, at most {} s are taken",
                                 outside_s, farthest_s));
    acquisition.identification.mission = leader.mission.empty() ? "ALOS" : leader.mission;
    acquisition.identification.instrument = "PALSAR";
    acquisition.identification.look_side = LookSide::right;
    acquisition.identification.pass_direction = leader.orbit.velocity_m_s.front()[2] < 0 ? "descending" : "ascending";
    return opened;
}

class PalsarFrame final : public EchoSource {
public:
    explicit PalsarFrame(Opened opened) : opened_(std::move(opened)) {}
    const Acquisition& acquisition() const override { return opened_.acquisition; }
    std::uint64_t stored_bytes() const override {
        return static_cast<std::uint64_t>(2 * opened_.acquisition.lines * opened_.lines.samples);
    }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override {
        throw_if_interrupted();
        const auto bias_i = static_cast<float>(opened_.leader.bias_i),
                   bias_q = static_cast<float>(opened_.leader.bias_q);
        auto* out = reinterpret_cast<std::complex<float>*>(to.data());
        std::vector<std::byte> stored(static_cast<std::size_t>(2 * opened_.lines.samples));
        for (std::int64_t line = first_line; line < first_line + lines; ++line, out += opened_.acquisition.samples) {
            const auto at = static_cast<std::size_t>(line);
            opened_.file.read(opened_.lines.heads[at].samples_at, stored);
            std::fill_n(out, opened_.acquisition.samples, 0.0f);
            auto* sample = out + opened_.lines.shift[at];
            for (std::size_t i = 0; i < stored.size(); i += 2)
                *sample++ = {as_number(stored[i]) - bias_i, as_number(stored[i + 1]) - bias_q};
        }
    }

private:
    static float as_number(std::byte stored) { return std::to_integer<std::uint8_t>(stored); }

    Opened opened_;
};

}  // namespace

bool is_palsar(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error))
        return begins_as(path, Kind::image_descriptor) || begins_as(path, Kind::leader_descriptor);
    const std::vector<fs::path> files = files_in(path);
    return std::any_of(files.begin(), files.end(),
                       [](const fs::path& file) { return begins_as(file, Kind::image_descriptor); });
}

RawContents list_palsar(const std::string& path) {
    RawContents contents;
    contents.frequencies.push_back({"A", {}});
    const std::string of_file = fs::is_directory(path) ? "" : polarization_of(fs::path(path).filename());
    for (const auto& image : find_set(path).images)
        if (of_file.empty() || image.polarization == of_file)
            contents.frequencies[0].polarizations.push_back(image.polarization);
    return contents;
}

Acquisition read_palsar_header(const std::string& path, const FrameSelection& selection,
                               std::vector<std::string>& warnings) {
    return open_set(path, selection, warnings).acquisition;
}

std::unique_ptr<EchoSource> open_palsar(const std::string& path, const FrameSelection& selection,
                                        std::vector<std::string>& warnings) {
    return std::make_unique<PalsarFrame>(open_set(path, selection, warnings));
}

}  // namespace cornerturn
