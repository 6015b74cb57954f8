// SPDX-License-Identifier: Apache-2.0
// Of an annotation and beside it, what is told of places and angles.
#include "data/safe/ground_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/safe/annotation.h"
#include "kernels/errors.h"

namespace cornerturn::safe {
namespace {

constexpr std::int64_t points_per_line = 21;

void write_place(const NewElement& list, const ProductFacts& facts, const BurstStack& stack, const StackedBurst& burst,
                 std::int64_t line_of_burst, std::int64_t line_of_stack, std::int64_t sample) {
    const GroundView view = view_of(stack, burst, line_of_burst, sample);
    const NewElement point = list.in("geolocationGridPoint");
    point.text("azimuthTime", utc(facts.epoch, stack.time_s(burst, static_cast<double>(line_of_burst))));
    point.number("slantRangeTime", stack.delay_s(static_cast<double>(sample)));
    point.count("line", line_of_stack);
    point.count("pixel", sample);
    point.number("latitude", view.place.latitude_deg);
    point.number("longitude", view.place.longitude_deg);
    point.number("height", view.place.height_m);
    point.number("incidenceAngle", view.incidence_deg);
    point.number("elevationAngle", view.elevation_deg);
}

}  // namespace

GroundView view_of(const BurstStack& stack, const StackedBurst& burst, std::int64_t line, std::int64_t sample) {
    const Acquisition& acquisition = burst.header.acquisition;
    const double time_s = stack.time_s(burst, static_cast<double>(line)),
                 range_m = stack.range_m(static_cast<double>(sample)),
                 height_m = burst.header.processing.scene_height_m;
    const auto view =
        ground_view(interpolate(*acquisition.orbit, time_s), range_m, acquisition.identification.look_side, height_m);
    if (!view)
        throw InputError(
            fmt::format("burst {} {}: a slant range of {:.1f} m does not reach a height of {:.1f} m; check "
                        "--height and the orbit",
                        stack.swath().swath, acquisition.burst->number, range_m, height_m));
    return *view;
}

std::vector<std::int64_t> samples_along(const BurstStack& stack, std::int64_t count) {
    std::vector<std::int64_t> samples;
    const std::int64_t intervals = std::max<std::int64_t>(1, std::min(count, stack.samples) - 1);
    for (std::int64_t k = 0; k <= intervals; ++k) samples.push_back(k * (stack.samples - 1) / intervals);
    return samples;
}

void write_places(const NewElement& product, const ProductFacts& facts, const BurstStack& stack) {
    const std::vector<std::int64_t> samples = samples_along(stack, points_per_line);
    const auto lines = std::ssize(stack.bursts) + 1;
    const NewElement list =
        product.in("geolocationGrid").in("geolocationGridPointList").with("count", lines * std::ssize(samples));
    for (std::int64_t i = 0; i < lines; ++i) {
        const bool last = i + 1 == lines;
        const StackedBurst& burst = last ? stack.bursts.back() : stack.bursts[static_cast<std::size_t>(i)];
        const std::int64_t line = last ? stack.lines - 1 : 0, line_of_stack = i * stack.lines - (last ? 1 : 0);
        for (const std::int64_t sample : samples) write_place(list, facts, stack, burst, line, line_of_stack, sample);
    }
}

void write_antenna_pattern(const NewElement& product, const ProductFacts& facts, const BurstStack& stack) {
    const std::vector<std::int64_t> samples = samples_along(stack, points_per_line);
    const NewElement list =
        product.in("antennaPattern").in("antennaPatternList").with("count", std::ssize(stack.bursts));
    for (const StackedBurst& burst : stack.bursts) {
        std::vector<double> delays_s, elevations_deg, incidences_deg;
        for (const std::int64_t sample : samples) {
            const GroundView view = view_of(stack, burst, stack.lines / 2, sample);
            delays_s.push_back(stack.delay_s(static_cast<double>(sample)));
            elevations_deg.push_back(view.elevation_deg);
            incidences_deg.push_back(view.incidence_deg);
        }
        const NewElement pattern = list.in("antennaPattern");
        pattern.text("swath", stack.swath().swath);
        pattern.text("azimuthTime", utc(facts.epoch, stack.middle_time_s(burst)));
        array(pattern, "slantRangeTime", delays_s, scientific);
        array(pattern, "elevationAngle", elevations_deg, "{:.9g}");
        // Complex: none was taken off. Readers want the element.
        std::vector<double> ones;
        for (std::size_t i = 0; i < samples.size(); ++i) ones.insert(ones.end(), {1.0, 0.0});
        array(pattern, "elevationPattern", ones);
        array(pattern, "incidenceAngle", incidences_deg, "{:.9g}");
        pattern.number("terrainHeight", burst.header.processing.scene_height_m);
    }
}

}  // namespace cornerturn::safe
