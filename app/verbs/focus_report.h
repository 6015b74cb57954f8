// SPDX-License-Identifier: Apache-2.0
// What a run of focus says of itself: as text for people, as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/verbs/image_options.h"
#include "data/files/sha256.h"
#include "pipeline/echo/timeline.h"
#include "pipeline/ranks/focus_over_ranks.h"
#include "pipeline/run/autofocus.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// What plain copies do here, in bytes a second; 0: not measured.
struct MachineRates {
    BusRate bus;
    double disk_read = 0;
    double disk_write = 0;
};

/// What ran when, from the beginning of the job to its report.
struct JobTimeline {
    std::vector<Timeline::Lane> lanes;
    double wall_s = 0;
};

/// One sentence: what took longest of it, and how long nothing was noted.
std::string longest_text(const JobTimeline& timeline);

/// A whole run: one or more frames of one file.
struct FocusRun {
    std::string input, output;
    FocusOptions options;
    DeviceInfo device;
    GivenTracks tracks = {};  ///< that were given
    std::vector<FocusReport> frames;
    std::vector<DeviceShare> devices = {};          ///< that shared the work; of one that did all of it, too
    std::vector<RankWork> ranks = {};               ///< of several
    std::optional<AutofocusReport> autofocus = {};  ///< of the first frame, for all
    std::vector<std::string> warnings;              ///< of reading the file
    std::uint64_t written_bytes = 0;
    double open_device_s = 0;
    double open_file_s = 0;  ///< and its metadata
    double close_s = 0;      ///< of the outputs
    double wall_s = 0;       ///< from opening the file to closing the image
    MachineRates rates;
    JobTimeline timeline = {};         ///< of a run that reports
    std::vector<StoredFile> products;  ///< the image file first, then pictures

    double busy_s(std::string_view part) const;
    /// Bytes of all frames over the measured rates, were there nothing else to do and had each device a bus of its own;
    /// 0: not measured.
    double transfer_bound_s() const;
    double disk_bound_s() const;
};

/// Geometry, lengths, resolution and memory plan, several lines (--dry-run).
std::string setup_text(const Acquisition& acquisition, const FocusSetup& setup, const FocusOptions& options,
                       const DeviceInfo& device);

/// How matrices are turned: "none" where they are not.
std::string_view turn_taken(const FocusSetup& setup, const LoweringHints& hints);

/// One line: how several devices, whose names these are, would share that.
std::string shares_text(std::span<const FocusSetup> setups, const std::string& names, std::size_t devices);

/// The same of ranks.
std::string ranks_text(std::span<const FocusSetup> setups, int ranks);

/// One line: what autofocus found.
std::string autofocus_line(const AutofocusReport& report);

/// One line: what was made, on what, in which time, and what was busy how long.
std::string summary_line(const FocusRun& run);

/// Path, bytes and, where it is known, sha256 of each.
nlohmann::json files_json(const std::vector<StoredFile>& files);

/// Of one frame, what would be done; and on what.
nlohmann::json planned_json(const Acquisition& acquisition, const FocusSetup& setup, const FocusOptions& options);
/// Of one frame, what was done.
nlohmann::json report_json(const FocusReport& frame, const FocusOptions& options);
nlohmann::json device_json(const DeviceInfo& device);

/// The report for programs: docs/schemas/focus.json.
nlohmann::json focus_json(const FocusRun& run);
bool is_json_report(const std::string& path);

}  // namespace cornerturn
