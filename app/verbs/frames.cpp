// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/log.h"
#include "app/verb.h"
#include "data/raw_file.h"
#include "kernels/errors.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

/// The names between the commas, in capitals.
std::vector<std::string> names_in(const std::string& option, const std::string& text) {
    std::vector<std::string> names(1);
    for (const char c : text) {
        if (c == ',')
            names.emplace_back();
        else
            names.back() += upper(c);
    }
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (name->empty()) throw InputError(fmt::format("{} {}: a name is missing beside a comma", option, text));
        if (std::find(names.begin(), name, *name) != name)
            throw InputError(fmt::format("{} {}: {} comes twice", option, text, *name));
    }
    return names;
}

bool is_all(const std::string& text) { return text == "all" || text == "ALL"; }
bool is_several(const std::string& text) { return text.find(',') != std::string::npos || is_all(text); }

void add_channel_option(const Verb& verb, FrameOptions& options) {
    verb.option("--channel", options.channel,
                "Channel of a CPHD file, by its name (default: the first of the polarization); or the number of a "
                "receive channel, from 0 on, where a NISAR L0B file stores each channel by itself")
        .type("NAME|N")
        .rare();
}

void add_burst_options(const Verb& verb, FrameOptions& options, const std::string& otherwise) {
    verb.option("--swath", options.swath, "Swath of a file of bursts: IW1 to IW3, EW1 to EW5, WV1, WV2. " + otherwise)
        .rare();
    verb.option("--burst", options.burst, "Number of a burst of that swath, from 0 on. " + otherwise)
        .type("N|all")
        .rare();
}

}  // namespace

void add_frame_options(const Verb& verb, FrameOptions& options) {
    verb.option("--frequency", options.frequency, "Frequency group of the file: A or B. Default: the first one")
        .type("A|B");
    verb.option("--polarization", options.polarization,
                "Transmitted and received polarization, such as HH. Default: the first one");
}

void add_echo_options(const Verb& verb, FrameOptions& options) {
    add_frame_options(verb, options);
    add_channel_option(verb, options);
    add_burst_options(verb, options, "Default: the first one");
}

void add_several_frames_options(const Verb& verb, FrameOptions& options) {
    verb.option("--frequency", options.frequency,
                "Frequency groups of the file: A, B, A,B or all. Default: the first one")
        .type("A|B|A,B|all")
        .rare();
    verb.option("--polarization", options.polarization,
                "Transmitted and received polarization, such as HH; HH,HV or all go into one file, with the same "
                "plans. Default: the first one")
        .rare();
    add_burst_options(verb, options, "Default: all of them");
    add_channel_option(verb, options);
}

std::optional<std::int64_t> burst_number(const FrameOptions& options) {
    if (options.burst.empty() || is_all(options.burst)) return std::nullopt;
    const auto number = number_from<std::int64_t>(options.burst);
    if (!number || *number < 0)
        throw InputError(fmt::format("--burst {}: expected a number from 0 on, or all", options.burst));
    return number;
}

FrameSelection one_frame(const FrameOptions& options) {
    FrameSelection chosen;
    if (!options.frequency.empty()) chosen.frequency = options.frequency;
    if (!options.polarization.empty()) chosen.polarization = options.polarization;
    if (!options.swath.empty()) chosen.swath = options.swath;
    chosen.burst = burst_number(options);
    if (!options.channel.empty()) chosen.channel = options.channel;
    chosen.told_delay = options.told_delay;
    chosen.kept = options.kept;
    chosen.tell = [](const std::string& remark) { log_warning("{}", remark); };
    return chosen;
}

std::vector<FrameSelection> choose_frames(const std::string& file, const FrameOptions& options) {
    const std::string &frequency = options.frequency, &polarization = options.polarization;
    if (!is_several(frequency) && !is_several(polarization)) return {one_frame(options)};
    if (!options.channel.empty())
        throw InputError(fmt::format("--channel {}: is one, and {} are several; leave one of them out", options.channel,
                                     is_several(polarization) ? "polarizations" : "frequencies"));
    const RawContents contents = list_raw(file);
    std::vector<std::string> frequencies{contents.frequencies.front().name};
    if (!frequency.empty()) frequencies = names_in("--frequency", frequency);
    if (is_all(frequency)) {
        frequencies.clear();
        for (const auto& there : contents.frequencies) frequencies.push_back(there.name);
    }
    std::vector<FrameSelection> chosen;
    for (const std::string& name : frequencies) {
        const auto there = std::find_if(contents.frequencies.begin(), contents.frequencies.end(),
                                        [&](const auto& f) { return f.name == name; });
        std::vector<std::string> polarizations{""};  // of a frequency that is not there: the reader says so
        if (there != contents.frequencies.end()) {
            polarizations = {there->polarizations.front()};
            if (!polarization.empty()) polarizations = names_in("--polarization", polarization);
            if (is_all(polarization)) polarizations = there->polarizations;
        }
        for (const std::string& one : polarizations) {
            chosen.push_back(one_frame(options));
            chosen.back().frequency = name;
            chosen.back().polarization = one;
        }
    }
    return chosen;
}

std::string path_of_piece(const std::string& path, const std::string& piece) {
    if (path.empty()) return path;
    const std::filesystem::path whole(path);
    return (whole.parent_path() / (whole.stem().string() + "-" + piece + whole.extension().string())).string();
}

}  // namespace cornerturn
