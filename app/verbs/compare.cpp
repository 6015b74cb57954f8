// SPDX-License-Identifier: Apache-2.0
// cornerturn compare: how well two images of one scene agree.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/common_options.h"
#include "app/console.h"
#include "app/number.h"
#include "app/verb.h"
#include "app/verbs/comparison_report.h"
#include "app/verbs/frames.h"
#include "app/verbs/shared_axes.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "data/open_image.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

using Json = nlohmann::ordered_json;

struct CompareArguments {
    std::string first, second;
    JsonOutput json;
    FrameOptions frame;
    std::optional<std::string> registration, coherence, amplitude, signal_to_error;
    ComparisonOptions comparison;
};

/// A figure and what was asked of it.
struct Limit {
    const char* name;
    double value, limit;
    bool at_least;
    const char* unit;
    bool met() const { return at_least ? value >= limit : value <= limit; }
};

/// Throws InputError for a limit that every image or none would meet.
double limit_in(const std::string& option, const std::string& text, double least, double most) {
    const double value = parse_number(option, text);
    if (!(value >= least && value <= most))
        throw InputError(fmt::format("{} {}: expected {} to {}", option, text, least, most));
    return value;
}

std::vector<Limit> limits_of(const CompareArguments& o, const ImageComparison& c) {
    std::vector<Limit> limits;
    if (o.registration) {
        const double largest =
            std::max(std::abs(c.complex_offset.azimuth_px.median), std::abs(c.complex_offset.range_px.median));
        limits.push_back({"offset of samples", c.complex_offset.chips > 0 ? largest : std::nan(""),
                          limit_in("--require-registration", *o.registration, 0, 1e6), false, "px"});
    }
    if (o.coherence)
        limits.push_back(
            {"median coherence", c.coherence_median, limit_in("--require-coherence", *o.coherence, 0, 1), true, ""});
    if (o.amplitude)
        limits.push_back({"amplitude correlation", c.amplitude_correlation,
                          limit_in("--require-amplitude-correlation", *o.amplitude, 0, 1), true, ""});
    if (o.signal_to_error)
        limits.push_back({"signal to error as they are", c.signal_to_error_db,
                          parse_number("--require-signal-to-error", *o.signal_to_error), true, "dB"});
    return limits;
}

std::string limit_text(const Limit& limit) {
    return fmt::format("{}  {}: {:.6g}{} (at {} {:.6g}{})\n", limit.met() ? "PASS" : "FAIL", limit.name, limit.value,
                       *limit.unit ? fmt::format(" {}", limit.unit) : "", limit.at_least ? "least" : "most",
                       limit.limit, *limit.unit ? fmt::format(" {}", limit.unit) : "");
}

Json limits_json(const std::vector<Limit>& limits) {
    Json checks = Json::array();
    for (const Limit& limit : limits)
        checks.push_back({{"name", limit.name},
                          {"value", limit.value},
                          {"limit", limit.limit},
                          {"sense", limit.at_least ? "at least" : "at most"},
                          {"unit", limit.unit},
                          {"passed", limit.met()}});
    return checks;
}

/// "" where there is nothing to tell.
std::string tracks_text(const TrackMatch& tracks) {
    constexpr double told_m = 1e-3;
    const auto line = [](const std::string& what) { return fmt::format("{:<23}{}\n", "tracks", what); };
    if (tracks.later_s != 0)
        return line(fmt::format("one track, that of B {:.6f} s {}: its rows are laid over those of A by places on it",
                                std::abs(tracks.later_s), tracks.later_s > 0 ? "later" : "earlier"));
    if (tracks.largest_distance_m > told_m)
        return line(fmt::format("up to {:.3g} m apart: rows and ranges of A and B are not of the same places",
                                tracks.largest_distance_m));
    return {};
}

int compare(const CompareArguments& o) {
    const ThreadLimit thread_limit(o.comparison.threads);
    limits_of(o, {});  // a limit that is no number is refused before anything is read
    check_outputs({o.json.file()}, {o.first, o.second});
    FrameSelection selection = one_frame(o.frame);
    selection.threads = o.comparison.threads;
    StoredImage first = open_image(o.first, selection), second = open_image(o.second, selection);
    const std::optional<TrackMatch> tracks = share_axes(o.first, first.header(), o.second, second.header());
    const ImageComparison comparison =
        compare_images({o.first, first.view()}, {o.second, second.view()}, o.comparison, console_progress());
    const std::vector<Limit> limits = limits_of(o, comparison);
    const bool passed = std::all_of(limits.begin(), limits.end(), [](const Limit& limit) { return limit.met(); });
    Json json{{"a", o.first}, {"b", o.second}};
    json.update(comparison_json(comparison, tracks));
    json["checks"] = limits_json(limits);
    json["passed"] = passed;
    if (!o.json.instead_of_text()) {
        if (tracks) fmt::print("{}", tracks_text(*tracks));
        fmt::print("{}", comparison_text(comparison));
        for (const Limit& limit : limits) fmt::print("{}", limit_text(limit));
    }
    o.json.write(json);
    return passed ? exit_code::success : exit_code::check_failed;
}

}  // namespace

void add_compare(const Verb& program) {
    auto o = std::make_shared<CompareArguments>();
    const Verb verb = program.verb(
        "compare", "Says how well two images of one scene agree: place, amplitude, coherence, phase, error");
    verb.footer(
        R"(The images are matched by zero-Doppler time and slant range, those on a map by x and y, where pixels
must lie on each other (focus --grid A.h5 takes over a grid); their spacings must be equal. Offsets are
those of B less those of A, to a thousandth of a pixel, by cross-correlation of chips of 64 x 64
samples: of the samples and of their power. Coherence is |sum a b*| / sqrt(sum |a|^2 sum |b|^2) in
windows of 16 x 16 samples, after the mean offset and the phase ramp of each chip are removed. Images
that have nothing in common reach about 0.06. Amplitude correlation (Pearson), phase and signal to error
are of the samples as they are. Exit code 1 if a required limit is not met.

Examples:
  cornerturn compare rda.h5 csa.h5
  cornerturn compare rda.h5 csa.h5 --require-coherence 0.99 --require-registration 0.02
  cornerturn compare rda.h5 csa.h5 --json | jq .coherence.median)");
    verb.option("A.h5", o->first, "Focused image, NISAR RSLC or GSLC, SICD, GeoTIFF or ENVI: the reference").required();
    verb.option("B.h5", o->second, "Focused image to compare with it").required();
    add_frame_options(verb, o->frame);
    verb.option("--chips", o->comparison.most_chips, "Largest number of chips to compare, evenly spread")
        .type("N")
        .between(1, 1000000)
        .shows_default();
    verb.flag("--whole", o->comparison.whole,
              "Compare all that both images cover, not only what both declare fully compressed");
    verb.option("--require-registration", o->registration, "Largest median offset of the samples in either axis")
        .type("PX");
    verb.option("--require-coherence", o->coherence, "Smallest median coherence").type("0..1");
    verb.option("--require-amplitude-correlation", o->amplitude, "Smallest amplitude correlation").type("0..1");
    verb.option("--require-signal-to-error", o->signal_to_error, "Smallest signal to error of the images as they are")
        .type("DB");
    add_json_option(verb, o->json);
    add_threads_option(verb, o->comparison.threads);
    verb.runs([=] { return compare(*o); });
}

}  // namespace cornerturn
