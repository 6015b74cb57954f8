// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/shared_axes.h"

#include "data/nisar/epoch.h"
#include "data/open_image.h"
#include "pipeline/acquisition/product_epoch.h"

namespace cornerturn {
namespace {

void share_epoch(Image& first, Image& second) {
    const auto a = parse_epoch(first.acquisition.epoch), b = parse_epoch(second.acquisition.epoch);
    if (!a || !b) return;
    count_from(first.acquisition.epoch, b->seconds_since(*a), second);
}

std::optional<TrackMatch> share_track(Image& first, Image& second) {
    constexpr double same_m = 0.01, same_rows = 1e-3;
    const auto known = [](const Image& header) {
        return header.acquisition.orbit && header.acquisition.orbit->time_s.size() > 1;
    };
    const ImageGrid& rows = first.grid;
    if (!known(first) || !known(second)) return std::nullopt;
    TrackMatch match =
        match_of(*first.acquisition.orbit, *second.acquisition.orbit, rows.time_s(0), rows.last_time_s());
    if (match.largest_distance_m > same_m || std::abs(match.later_s) <= same_rows * rows.time_spacing_s)
        match.later_s = 0;
    second.grid.first_time_s -= match.later_s;
    return match;
}

}  // namespace

std::optional<TrackMatch> share_axes(const std::string& first_name, Image& first, const std::string& second_name,
                                     Image& second) {
    if (first.map || second.map) return std::nullopt;  // both lie on maps, or the comparison refuses them
    require_axes(first_name, first, "compare");
    require_axes(second_name, second, "compare");
    share_epoch(first, second);
    return share_track(first, second);
}

}  // namespace cornerturn
