// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/image_measures.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/verbs/map_report.h"
#include "app/verbs/point_report.h"
#include "app/verbs/scene_report.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/measure/illuminated_band.h"
#include "pipeline/measure/map_targets.h"

namespace cornerturn {
namespace {

constexpr int usual_peaks = 9;

std::vector<AnalysisTarget> chosen_targets(const ImageView& image, const PointWishes& wishes,
                                           std::vector<std::string>& remarks) {
    if (!wishes.targets.empty()) return wishes.targets;
    if (!wishes.peaks) {
        if (auto known = known_targets(image.header()); !known.empty()) return known;
        remarks.push_back(fmt::format("no known targets; taking the {} strongest peaks", usual_peaks));
    }
    auto peaks = strongest_peaks(image, wishes.peaks.value_or(usual_peaks));
    if (peaks.empty() && wishes.peaks)
        throw InputError("no peak far enough from the edges of the image; give --target RANGE,TIME");
    return peaks;
}

/// Theory needs the part of the processed band that the beam illuminates.
void settle_beam_bandwidth(Image& header, const ImageView& image, const PointWishes& wishes,
                           const std::vector<AnalysisTarget>& targets, const TripleProduct& multiply,
                           std::vector<std::string>& remarks) {
    auto& beam_hz = header.acquisition.azimuth_bandwidth_hz;
    if (wishes.beam_bandwidth_hz) {
        beam_hz = wishes.beam_bandwidth_hz;
        if (!(*beam_hz > 0))
            throw InputError(fmt::format("--beam-bandwidth {}: must be positive, in Hz", *wishes.beam_bandwidth_hz));
    } else if (!beam_hz) {
        const auto bright = strongest_peaks(image, usual_peaks);
        beam_hz = estimate_beam_bandwidth_hz(image, bright.empty() ? targets : bright, multiply);
        if (beam_hz)
            remarks.push_back(fmt::format(
                "the beam lights some {:.4g} Hz, as the spectra of bright points show; --beam-bandwidth sets it",
                *beam_hz));
    }
}

constexpr double part_of_scene = 0.5;  // of the work, where points are measured, too

SceneStatistics told_statistics(const ImageView& image, const Progress& progress) {
    if (progress) progress("scene", 0);
    SceneStatistics statistics = scene_statistics(image);
    if (progress) progress("scene", part_of_scene);
    return statistics;
}

/// Of the last one of `measures`.
template <class Measures>
void tell_point(const Measures& measures, std::size_t points, const Progress& progress) {
    if (!progress) return;
    const double before = measures.scene ? part_of_scene : 0;
    progress("points",
             before + (1 - before) * static_cast<double>(measures.points.size()) / static_cast<double>(points));
}

}  // namespace

PointMeasures measure_points(Image& header, const ImageView& image, const PointWishes& wishes,
                             const TripleProduct& multiply, std::vector<std::string>& remarks,
                             const Progress& progress) {
    PointMeasures measures;
    // A scene without known targets is told of as a whole, too.
    if (wishes.scene || (wishes.targets.empty() && !wishes.peaks && header.acquisition.truth.empty()))
        measures.scene = told_statistics(image, progress);
    const std::vector<AnalysisTarget> targets = chosen_targets(image, wishes, remarks);
    if (!targets.empty()) settle_beam_bandwidth(header, image, wishes, targets, multiply, remarks);
    for (const AnalysisTarget& target : targets) {
        throw_if_interrupted();
        measures.points.push_back(analyze_point(image, target, multiply));
        measures.ambiguities.push_back(measures.points.back().refused.empty()
                                           ? azimuth_ambiguities(image, measures.points.back())
                                           : std::vector<AmbiguityEcho>{});
        tell_point(measures, targets.size(), progress);
    }
    return measures;
}

nlohmann::json to_json(const Image& header, const PointMeasures& measures) {
    nlohmann::json json = points_json(header, measures.points);
    for (std::size_t i = 0; i < measures.points.size(); ++i)
        if (measures.points[i].refused.empty())
            json["targets"][i]["azimuth_ambiguities"] = ambiguities_json(measures.ambiguities[i]);
    if (measures.scene) json["scene"] = scene_json(*measures.scene);
    return json;
}

MapMeasures measure_map(const ImageView& image, const MapWishes& wishes, const TripleProduct& multiply,
                        const Progress& progress) {
    std::vector<MapTarget> targets = wishes.targets;
    for (MapTarget& target : targets) target.place = counted_on(*image.header().map, target.place);
    if (targets.empty() && !wishes.peaks) targets = known_map_targets(image.header());
    MapMeasures measures;
    if (wishes.scene || (targets.empty() && !wishes.peaks)) measures.scene = told_statistics(image, progress);
    if (targets.empty()) targets = strongest_map_points(image, wishes.peaks.value_or(usual_peaks));
    for (const MapTarget& target : targets) {
        throw_if_interrupted();
        measures.points.push_back(analyze_map_point(image, target, multiply));
        tell_point(measures, targets.size(), progress);
    }
    return measures;
}

nlohmann::json to_json(const Image& header, const MapMeasures& measures) {
    nlohmann::json json = map_points_json(header, measures.points);
    if (measures.scene) json["scene"] = scene_json(*measures.scene);
    return json;
}

}  // namespace cornerturn
