// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/opened_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/verbs/cpu_imager.h"
#include "data/raw_file.h"
#include "data/sentinel1/element_pattern.h"
#include "kernels/errors.h"
#include "pipeline/echo/descalloped_echo.h"
#include "pipeline/echo/phased_echo.h"
#include "pipeline/plan/map_setup.h"
#include "pipeline/plan/view_choice.h"
#include "pipeline/run/even_lines.h"

namespace cornerturn {

namespace {

/// Nothing where nobody asked for it.
std::unique_ptr<EchoSource> descalloped(EchoSource& echo, const FocusJob& o) {
    if (o.descalloping == "none") return nullptr;
    const Acquisition& acquisition = echo.acquisition();
    if (!acquisition.burst)
        throw InputError(
            fmt::format("--descalloping: is of bursts, whose beam is steered, and {} is none; leave it out", o.input));
    return std::make_unique<DescallopedEcho>(echo, o.has_pattern_file()
                                                       ? read_element_pattern(o.descalloping, acquisition)
                                                       : sentinel1_tile_pattern(acquisition.wavelength_m()));
}

}  // namespace

OpenedFrames::OpenedFrames(const FocusJob& o, FocusOptions& options) : selections(choose_frames(o.input, o.frames)) {
    for (FrameSelection& selection : selections) {
        selection.threads = o.threads;
        selection.told_delay = told_delay(o.image);
        selection.other_track = o.tracks.track != nullptr;
        std::vector<std::string> doubts;
        auto echo = open_raw(o.input, selection, doubts);
        add(std::move(echo), o, options, std::move(doubts));
    }
}

OpenedFrames::OpenedFrames(std::unique_ptr<EchoSource> echo, const FocusJob& o, FocusOptions& options) {
    add(std::move(echo), o, options, {});
}

void OpenedFrames::add(std::unique_ptr<EchoSource> recorded, const FocusJob& o, FocusOptions& options,
                       std::vector<std::string> doubts) {
    auto echo = o.tracks.apply(std::move(recorded), options, doubts);
    go_through(descalloped(*echo, o), echo);
    take_scene(o.image, echo->acquisition(), options);
    check_map(echo->acquisition(), options);  // before the data are asked, which takes seconds
    go_through(on_even_lines(*echo, options, cpu_imager(o.threads), &doubts), echo);
    sources.push_back(std::move(echo));
    warn_once(std::move(doubts));
}

void OpenedFrames::refine(const FocusJob& o, const FocusOptions& options) {
    const Acquisition first = sources.front()->acquisition();
    if (first.sums_all_pulses()) return;  // whose lines are as fine as they have to be
    std::vector<std::string> doubts;
    for (auto& echo : sources)
        go_through(on_finer_samples(*echo, options_of(*echo, first, options), o.threads, &doubts), echo);
    warn_once(std::move(doubts));
}

void OpenedFrames::take_part(const FocusJob& o, FocusOptions& options) {
    if (!o.frames.part.given()) return;
    const Acquisition first = sources.front()->acquisition();
    const PartRequest request = part_request(o.frames.part, first.epoch);
    if (first.sums_all_pulses()) return take_pulses(request);
    std::vector<std::shared_ptr<const ImagePart>> parts;
    for (auto& echo : sources) {
        const ImageGrid* const rows = parts.empty() ? nullptr : &parts.front()->grid;
        const auto part = std::make_shared<const ImagePart>(
            part_of_image(echo->acquisition(), options_of(*echo, first, options), request, rows));
        go_through(std::make_unique<EchoWindow>(*echo, part->lines, part->samples, echo_of(echo->acquisition(), *part)),
                   echo);
        parts.push_back(part);
    }
    options.part = parts.front();
    options.part_of_frames = std::move(parts);
}

/// Where every pulse is summed into every pixel, the image of some is another one.
void OpenedFrames::take_pulses(const PartRequest& request) {
    if (request.box)
        throw InputError(
            fmt::format("{}: of what is made of all pulses, give the bounds of the map by --grid FILE; "
                        "--lines and --time take some of the pulses",
                        request.box_text));
    for (auto& echo : sources) {
        const Interval samples{0, static_cast<std::int32_t>(echo->acquisition().samples)};
        echo = std::make_unique<EchoWindow>(std::move(echo), asked_lines(echo->acquisition(), request), samples);
    }
}

/// Of a frame, whose first one is known.
FocusOptions OpenedFrames::options_of(const EchoSource& echo, const Acquisition& first,
                                      const FocusOptions& options) const {
    if (&echo == sources.front().get()) return options;
    return options_beside(first, doppler_by(first, options, options.height_m), echo.acquisition(), options);
}

AutofocusReport OpenedFrames::autofocus(const FocusJob& o, std::span<Device* const> devices, const Progress& progress,
                                        FocusOptions& options) {
    const Acquisition& first = sources.front()->acquisition();
    if (first.local_track)
        throw InputError(
            "--autofocus: looks at images on the zero-Doppler grid, and at spotlights, and a track in a frame of the "
            "scene's own is neither; leave it out");
    if (first.phase_history && options.autofocus != Autofocus::phase_gradient)
        throw InputError(
            fmt::format("--autofocus {}: looks at images on the zero-Doppler grid, which a spotlight has not; use pga",
                        name_of(options.autofocus)));
    FocusOptions for_looking = options;
    if (!first.phase_history) for_looking.map.reset();
    AutofocusReport report = find_line_phases(devices, *sources.front(), for_looking, o.threads, progress);
    if (report.rms_rad > 0) take_away(report.record);
    options.autofocused = report.record;
    return report;
}

void OpenedFrames::take_away(const AutofocusRecord& found) {
    const Acquisition first = sources.front()->acquisition();
    for (auto& source : sources) {
        auto phased = std::make_unique<PhasedEcho>(*source, phases_for(found, first, source->acquisition()));
        opened.push_back(std::move(source));
        source = std::move(phased);
    }
}

std::vector<EchoSource*> OpenedFrames::pointers() const {
    std::vector<EchoSource*> pointers;
    for (const auto& source : sources) pointers.push_back(source.get());
    return pointers;
}

std::vector<std::string> OpenedFrames::paths(const std::string& path) const {
    if (path.empty() || sources.size() == 1) return {path};
    std::vector<std::string> paths;
    for (const auto& source : sources) {
        const Acquisition& frame = source->acquisition();
        paths.push_back(path_of_piece(path, frame.frequency + "-" + frame.polarization));
    }
    return paths;
}

void OpenedFrames::warn_once(std::vector<std::string> doubts) {
    for (std::string& doubt : doubts)
        if (std::find(warnings.begin(), warnings.end(), doubt) == warnings.end()) warnings.push_back(std::move(doubt));
}

void OpenedFrames::go_through(std::unique_ptr<EchoSource> changed, std::unique_ptr<EchoSource>& echo) {
    if (!changed) return;
    opened.push_back(std::move(echo));
    echo = std::move(changed);
}

}  // namespace cornerturn
