// SPDX-License-Identifier: Apache-2.0
// --track, --orbit and what goes with them: positions of a navigation or orbit file in place of those of the echo's.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data/files/resume.h"
#include "data/navigation/track_file.h"
#include "pipeline/echo/source_and_sink.h"

namespace cornerturn {

class Verb;

/// As they were written.
struct TrackOptions {
    std::optional<std::string> file = {}, origin = {}, lever_arm = {}, time_offset = {}, orbit = {};
    /// "" where none is given, for check_outputs.
    std::string path() const { return file ? *file : orbit.value_or(""); }
};

void add_track_options(const Verb& verb, TrackOptions& options);

/// Throws InputError naming the option for what cannot be; reads nothing.
TrackPlacement placement_of(const TrackOptions& options);

/// What --resume compares: of --track and --reference-track.
void add_track_facts(const TrackOptions& options, const std::optional<std::string>& reference, RunFacts& facts);

/// A track that was read.
class GivenTrack {
public:
    /// None where no file is given. Of two files the origin is of those whose frame is local. Throws InputError.
    static std::shared_ptr<const GivenTrack> read(const TrackOptions& options, bool of_two = false);

    const NavigationTrack& track() const { return file_.track; }
    /// What a user should hear is added to `warnings`. Throws InputError.
    Acquisition along(const Acquisition& acquisition, double height_m, std::vector<std::string>& warnings) const;
    /// As the track of the rows of its image (given_reference).
    Orbit reference_for(const Acquisition& acquisition, std::vector<std::string>& warnings) const;
    nlohmann::json json() const;

private:
    GivenTrack(const TrackOptions& options) : placement_(placement_of(options)) {}

    TrackPlacement placement_;
    std::optional<std::string> orbit_;
    TrackFile file_;
    std::vector<std::string> remarks_;
};

/// An echo along the track that is given, as it is where none is. `height_m`: of the ground.
std::unique_ptr<EchoSource> on_track(std::unique_ptr<EchoSource> echo, const GivenTrack* track, double height_m,
                                     std::vector<std::string>& warnings);

}  // namespace cornerturn
