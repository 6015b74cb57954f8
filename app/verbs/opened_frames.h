// SPDX-License-Identifier: Apache-2.0
// The frames of a raw file that a job asks for, opened.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/verbs/focus_job.h"
#include "data/files/frame_selection.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/run/autofocus.h"
#include "pipeline/run/focus.h"

namespace cornerturn {

/// With lines in equal steps; what is told of several is told once.
struct OpenedFrames {
    std::vector<FrameSelection> selections;
    std::vector<std::unique_ptr<EchoSource>> opened, sources;  ///< as recorded; as they go through
    std::vector<std::string> warnings;

    /// `options` learn what only the echo and its track tell.
    OpenedFrames(const FocusJob& job, FocusOptions& options);
    /// Of an echo that was opened by others.
    OpenedFrames(std::unique_ptr<EchoSource> echo, const FocusJob& job, FocusOptions& options);
    /// Lines fine enough for what such options make of them, which hold what the data of the first frame say.
    void refine(const FocusJob& job, const FocusOptions& options);
    /// What is asked for of the image, and the lines and samples that it needs; the options hold what the data say.
    void take_part(const FocusJob& job, FocusOptions& options);
    /// Finds the phases of the first frame's lines and takes them off those of all; the options tell of them then.
    AutofocusReport autofocus(const FocusJob& job, std::span<Device* const> devices, const Progress& progress,
                              FocusOptions& options);
    /// What was found in the first frame, off the lines of all.
    void take_away(const AutofocusRecord& found);

    std::vector<EchoSource*> pointers() const;
    /// Of a file for each frame, where there are several: "slc.png" gives "slc-A-HH.png".
    std::vector<std::string> paths(const std::string& path) const;

private:
    void add(std::unique_ptr<EchoSource> echo, const FocusJob& job, FocusOptions& options,
             std::vector<std::string> doubts);
    void take_pulses(const PartRequest& request);
    FocusOptions options_of(const EchoSource& echo, const Acquisition& first, const FocusOptions& options) const;
    void warn_once(std::vector<std::string> doubts);
    void go_through(std::unique_ptr<EchoSource> changed, std::unique_ptr<EchoSource>& echo);
};

}  // namespace cornerturn
