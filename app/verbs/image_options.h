// SPDX-License-Identifier: Apache-2.0
// The options that decide what image is formed and how, the same for every verb that forms one.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/verbs/track_options.h"
#include "data/files/frame_selection.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

class Verb;

/// As they were written.
struct ImageOptions {
    std::string algorithm = "auto", chain = "auto", corner_turn = "production", extent = "full", precision = "full",
                troposphere = "auto", autofocus = "none";
    std::optional<std::string> doppler_centroid, velocity, height, dem, heights, range_delay, azimuth_bandwidth,
        max_memory;
    std::optional<std::int64_t> block_rows;
    std::string range_window = "none", azimuth_window = "none";
    int taps = 16;
    double error_db = -60;
    bool force = false;
    TrackOptions track;
    std::optional<std::string> reference_track;
};

/// What --troposphere says of the delay that the file itself tells.
ToldDelay told_delay(const ImageOptions& options);

/// What only the echo tells: of a spotlight the map that it lies on, and the height of the scene, where nobody said
/// other.
void take_scene(const ImageOptions& said, const Acquisition& acquisition, FocusOptions& options);

void add_image_options(const Verb& verb, ImageOptions& options);

/// The two files that these name, as they are read.
struct GivenTracks {
    std::shared_ptr<const GivenTrack> track, reference;

    GivenTracks() = default;
    /// Throws InputError.
    explicit GivenTracks(const ImageOptions& options);
    /// An echo along the one, if there is one; `options` get the other, for this echo and those beside it.
    std::unique_ptr<EchoSource> apply(std::unique_ptr<EchoSource> echo, FocusOptions& options,
                                      std::vector<std::string>& warnings) const;
    /// Says in a report which they are.
    void tell(nlohmann::json& report) const;
};

/// Throws InputError naming the option for what cannot be. What a user should hear is added to `remarks`.
FocusOptions focus_options(const ImageOptions& options, std::vector<std::string>& remarks);

}  // namespace cornerturn
