// SPDX-License-Identifier: Apache-2.0
// Which echoes of a raw file a command is about.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/verbs/part_options.h"
#include "data/files/frame_selection.h"

namespace cornerturn {

class Verb;

/// What --frequency, --polarization, --channel, --swath and --burst said, and which part of them; empty: nothing.
struct FrameOptions {
    std::string frequency, polarization;
    std::string channel = {}, swath = {}, burst = {};
    ToldDelay told_delay = ToldDelay::automatic;
    PartOptions part = {};
    std::shared_ptr<KeptOfFile> kept = {};  ///< of FrameSelection, by the jobs of a file's bursts
};

/// These options of a verb about one image, about one echo, and of a verb that takes several.
void add_frame_options(const Verb& verb, FrameOptions& options);
void add_echo_options(const Verb& verb, FrameOptions& options);
void add_several_frames_options(const Verb& verb, FrameOptions& options);

/// The number of --burst; nothing where it is empty or `all`. Throws InputError for what is neither.
std::optional<std::int64_t> burst_number(const FrameOptions& options);

/// The one echo or image that is meant; the readers refuse what is not there and say what is.
FrameSelection one_frame(const FrameOptions& options);

/// The echoes that are meant: the first there is, one, several with commas between them, or `all`. Throws InputError
/// for what the file does not hold and for names that come twice.
std::vector<FrameSelection> choose_frames(const std::string& file, const FrameOptions& options);

/// "slc.h5" for the burst IW1-0: "slc-IW1-0.h5"; "" remains that.
std::string path_of_piece(const std::string& path, const std::string& piece);

}  // namespace cornerturn
