// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/part_options.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "app/number.h"
#include "app/verb.h"
#include "app/verbs/cpu_imager.h"
#include "data/nisar/epoch.h"
#include "kernels/errors.h"
#include "kernels/host/number_text.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/even_lines.h"

namespace cornerturn {
namespace {

using Line = std::int64_t;

/// Between the ends of a span there is a colon, as in times of the day: it is the one on both sides of which there is
/// what is wanted, or nothing.
template <class Value, class Read>
std::optional<AskedSpan<Value>> span_in(const std::string& text, const Read& read) {
    for (std::size_t at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1)) {
        const std::string first = text.substr(0, at), last = text.substr(at + 1);
        const AskedSpan<Value> span{read(first), read(last)};
        if ((span.first || first.empty()) && (span.last || last.empty())) return span;
    }
    return std::nullopt;
}

AskedSpan<Line> lines_in(const std::string& text) {
    const auto span = span_in<Line>(text, number_from<Line>);
    if (!span)
        throw InputError(
            fmt::format("--lines {}: expected FIRST:LAST, the first line and the one behind the last, as 2000:6000, "
                        "2000: or -4000: (from the end)",
                        text));
    return *span;
}

AskedSpan<double> times_in(const std::string& text, const Epoch& epoch) {
    const auto span = span_in<double>(text, [&](const std::string& one) -> std::optional<double> {
        if (const auto utc = parse_epoch(one)) return utc->seconds_since(epoch);
        const auto seconds = number_from<double>(one);
        return seconds && std::isfinite(*seconds) ? seconds : std::nullopt;
    });
    if (!span)
        throw InputError(
            fmt::format("--time {}: expected FIRST:LAST, in seconds since the epoch that info tells, or as "
                        "2026-01-02T03:04:05.6 (UTC)",
                        text));
    if (span->first && span->last && !(*span->first < *span->last))
        throw InputError(fmt::format("--time {}: ends before it begins", text));
    return *span;
}

GeographicBox box_in(const std::string& text) {
    const std::vector<double> numbers = parse_numbers("--bbox", text);
    if (numbers.size() != 4)
        throw InputError(fmt::format("--bbox {}: expected four numbers, WEST,SOUTH,EAST,NORTH in degrees", text));
    GeographicBox box{.south_deg = numbers[1], .north_deg = numbers[3], .west_deg = numbers[0], .east_deg = numbers[2]};
    if (box.east_deg < box.west_deg) box.east_deg += 360;  // over the meridian of 180 degrees
    if (!(box.south_deg >= -90 && box.south_deg < box.north_deg && box.north_deg <= 90))
        throw InputError(
            fmt::format("--bbox {}: latitudes of {} to {} degrees; expected the southern one first, within +-90", text,
                        box.south_deg, box.north_deg));
    if (!(std::abs(box.west_deg) <= 360 && box.east_deg > box.west_deg && box.east_deg - box.west_deg <= 360))
        throw InputError(
            fmt::format("--bbox {}: longitudes of {} to {} degrees hold nothing", text, numbers[0], numbers[2]));
    return box;
}

void add_part_options(const Verb& verb, PartOptions& o, const std::string& lines, const std::string& times,
                      const std::string& box) {
    verb.option("--lines", o.lines, lines + ", as slices of Python: 2000:6000, 2000:, -4000: (from the end)")
        .type("A:B")
        .rare();
    verb.option(
            "--time", o.time,
            times +
                ": seconds since the epoch (info tells it) or UTC as 2026-01-02T03:04:05.6; either end may be left out")
        .type("A:B")
        .rare();
    verb.option("--bbox", o.box, box).type("W,S,E,N");
}

/// What is asked of an echo that has even lines, or of one as it was recorded.
Interval lines_of(const Acquisition& recorded, const Acquisition& even, const Interval& lines) {
    const auto at = [&](std::int32_t line) { return recorded.line_at(even.pulse_time_s(static_cast<double>(line))); };
    constexpr std::int64_t aside = 16;  // as many as are interpolated between
    const bool same = &recorded == &even;
    if (same) return lines;
    return {static_cast<std::int32_t>(std::max<std::int64_t>(0, std::llround(at(lines.first)) - aside)),
            static_cast<std::int32_t>(std::min<std::int64_t>(recorded.lines, std::llround(at(lines.last)) + aside))};
}

/// The window that is asked for: lines by number and time, and what a box needs.
struct EchoRectangle {
    Interval lines, samples;
};

EchoRectangle rectangle_of(const Acquisition& recorded, const Acquisition& even, const PartRequest& request,
                           const FocusOptions& options) {
    EchoRectangle asked{asked_lines(recorded, request), {0, static_cast<std::int32_t>(recorded.samples)}};
    if (!request.box) return asked;
    const ImagePart part = part_of_image(even, options, {.box = request.box, .box_text = request.box_text});
    const Interval needed = lines_of(recorded, even, part.lines);
    asked = {{std::max(asked.lines.first, needed.first), std::min(asked.lines.last, needed.last)}, part.samples};
    if (asked.lines.first >= asked.lines.last)
        throw InputError(fmt::format("{}: needs lines {} to {}, none of which {}{} holds", request.box_text,
                                     needed.first, needed.last - 1, request.lines_text, request.time_text));
    return asked;
}

}  // namespace

void add_image_part_options(const Verb& verb, PartOptions& options) {
    add_part_options(
        verb, options,
        "Make only the part of the image that the beam's centre sees while these lines are sent (from all lines that "
        "it needs)",
        "Make only these rows of the image, by their zero-Doppler time",
        "Make the part that holds this box: west, south, east, north in degrees. The box lies on the ground, at "
        "--height or on --dem. Only the lines and samples that it needs are read");
}

void add_echo_part_options(const Verb& verb, PartOptions& options) {
    add_part_options(verb, options, "Take only these lines", "Take only lines that were sent between two times",
                     "Take only what an image of this box on the ground needs: west, south, east, north in degrees");
}

PartRequest part_request(const PartOptions& o, const std::string& epoch) {
    PartRequest request;
    if (o.lines) request.lines = lines_in(*o.lines), request.lines_text = "--lines " + *o.lines;
    if (o.time) {
        request.time_s = times_in(*o.time, parse_epoch(epoch).value_or(Epoch{}));
        request.time_text = "--time " + *o.time;
    }
    if (o.box) request.box = box_in(*o.box), request.box_text = "--bbox " + *o.box;
    return request;
}

void check_part(const PartOptions& options) { part_request(options, Acquisition{}.epoch); }

void add_part_facts(const PartOptions& o, RunFacts& facts) {
    const std::string none = "not given";
    facts.emplace_back("--lines", o.lines.value_or(none));
    facts.emplace_back("--time", o.time.value_or(none));
    facts.emplace_back("--bbox", o.box.value_or(none));
}

std::unique_ptr<EchoSource> part_of_echo(std::unique_ptr<EchoSource> echo, const PartOptions& part,
                                         const FocusOptions& options, int threads) {
    if (!part.given()) return echo;
    const Acquisition& recorded = echo->acquisition();
    const PartRequest request = part_request(part, recorded.epoch);
    if (!request.box) {
        const EchoRectangle asked = rectangle_of(recorded, recorded, request, {});
        return std::make_unique<EchoWindow>(std::move(echo), asked.lines, asked.samples);
    }
    const Imager imager = cpu_imager(threads);
    const auto even = on_even_lines(*echo, options, imager);
    EchoSource& lines = even ? *even : *echo;
    const EchoRectangle asked =
        rectangle_of(recorded, lines.acquisition(), request, with_estimates(lines, options, imager));
    return std::make_unique<EchoWindow>(std::move(echo), asked.lines, asked.samples);
}

Acquisition part_of_header(const Acquisition& acquisition, const PartOptions& part, const FocusOptions& options) {
    if (!part.given()) return acquisition;
    FocusOptions told = options;
    if (!doppler_before_data(acquisition, told))
        told.doppler_centroid_hz = 0;
    else if (!acquisition.doppler_of_pixels_hz && !acquisition.doppler_centroid_hz && !told.doppler_centroid_hz)
        told.doppler_from = ParameterSource::orbit;
    const EchoRectangle asked = rectangle_of(acquisition, acquisition, part_request(part, acquisition.epoch), told);
    return window_of(acquisition, asked.lines, asked.samples);
}

}  // namespace cornerturn
