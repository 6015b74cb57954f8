// SPDX-License-Identifier: Apache-2.0
// cornerturn doppler: what the echo itself says of Doppler centroid and velocity.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/common_options.h"
#include "app/console.h"
#include "app/verb.h"
#include "app/verbs/cpu_imager.h"
#include "app/verbs/doppler_report.h"
#include "app/verbs/frames.h"
#include "app/verbs/track_options.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "data/raw_file.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/run/even_lines.h"

namespace cornerturn {
namespace {

struct DopplerArguments {
    std::string input, png;
    JsonOutput json;
    FrameOptions frame;
    TrackOptions track;
    int threads = 0;
};

int run_doppler(const DopplerArguments& o) {
    const ThreadLimit limit(o.threads);
    check_outputs({o.json.file(), o.png}, {o.input, o.track.path()});
    FrameSelection selection = one_frame(o.frame);
    selection.threads = o.threads;
    std::vector<std::string> warnings;
    const auto track = GivenTrack::read(o.track);
    selection.other_track = track != nullptr;
    check_part(o.frame.part);
    const auto recorded = part_of_echo(on_track(open_raw(o.input, selection, warnings), track.get(), 0, warnings),
                                       o.frame.part, {}, o.threads);
    if (recorded->acquisition().sums_all_pulses())
        throw InputError(fmt::format(
            "{}: {} has no Doppler centroid that rows of an image could be made about: all of its pulses "
            "are summed",
            o.input, recorded->acquisition().phase_history ? "a spotlight" : "a track in a frame of the scene's own"));
    FocusOptions by_data;
    by_data.doppler_from = ParameterSource::data;
    const Imager imager = cpu_imager(o.threads);
    const auto uniform = on_uniform_times(*recorded, by_data, imager, &warnings);
    EchoSource& echo = uniform ? *uniform : *recorded;
    const DataParameters found = find_parameters(echo, imager);
    warnings.insert(warnings.end(), found.warnings.begin(), found.warnings.end());
    log_warnings(warnings);
    if (!o.png.empty()) write_png(o.png, line_chart_picture(doppler_charts(echo.acquisition(), found)));
    if (!o.json.instead_of_text()) fmt::print("{}", doppler_table(echo.acquisition(), found));
    nlohmann::ordered_json json = doppler_json(o.input, echo.acquisition(), found);
    if (track) json["track"] = track->json();
    o.json.write(json);
    return exit_code::success;
}

}  // namespace

void add_doppler(const Verb& program) {
    auto o = std::make_shared<DopplerArguments>();
    const Verb verb =
        program.verb("doppler", "Estimates Doppler centroid, its ambiguity and effective velocity from a raw echo");
    verb.footer(
        R"(The estimates are made from the data alone; what the file and its attitude say is only shown beside them.
Where there is an orbit, it gives the range histories. The multiple of the PRF comes from the phase slope
over range frequency and from the range walk between two azimuth looks. Its confidence is its share of the
likelihood; from 0.99 on it is called certain. The velocity follows from the azimuth FM rate, by the shift
of the looks along azimuth. +- is one standard deviation.

Examples:
  cornerturn doppler raw.h5 --png doppler.png
  cornerturn doppler raw.h5 --json | jq .data.centroid_hz)");
    verb.option("RAW.h5", o->input, "Raw echo, a file or a folder; its format is recognised by the content").required();
    add_echo_options(verb, o->frame);
    add_echo_part_options(verb, o->frame.part);
    add_track_options(verb, o->track);
    add_json_option(verb, o->json);
    verb.option("--png", o->png, "Also draw the centroid over range and over time").type("FILE.png").names_png();
    add_threads_option(verb, o->threads);
    verb.runs([=] { return run_doppler(*o); });
}

}  // namespace cornerturn
